"""A playbook as JSON."""

from __future__ import annotations

from typing import Literal

from pydantic import ValidationError

from evograft.api import UserError, explain_validation
from evograft.text.escapes import escaped, sanitize
from evograft_hookspecs.values import Value
from evograft_playbook.types import Bullet, Playbook


class PlaybookFile(Value):
    """The contents of a file."""

    format: Literal["evograft-playbook"]
    version: Literal[1]
    bullets: tuple[Bullet, ...]


def to_json(playbook: Playbook) -> str:
    file = PlaybookFile(format="evograft-playbook", version=1, bullets=playbook.bullets)
    return escaped(file.model_dump_json(indent=2)) + "\n"


def from_json(text: str) -> Playbook:
    """Invert `to_json`; a text that is anything else is a UserError that says where."""
    try:
        return Playbook(bullets=PlaybookFile.model_validate_json(text).bullets)
    except ValidationError as err:
        raise UserError(sanitize(explain_validation(err, PlaybookFile), 300)) from err
