r"""A playbook as Markdown that people read and edit: a heading for each section, an item for each bullet.

    ## shr

    - [shr-00001] helpful=3 harmful=0 created=2025-01-15T10:30:00Z updated=2025-01-15T10:30:00Z source="user" ::
      Read the statement twice.
      Then read the limits.

An item's text is the lines below it, indented by two blanks. What a text can't hold unharmed in a file that editors and
terminals get to see stands there as `\uXXXX`, and its item is marked `escaped`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import groupby

from pydantic import ValidationError

from evograft.api import UserError, explain_validation
from evograft.text.escapes import UNSAFE, escaped, sanitize
from evograft_playbook.types import Bullet, Playbook

INDENT = "  "
_ITEM = re.compile(
    r"- \[(?P<id>[^\]\s]*)\] helpful=(?P<helpful>[0-9]{1,18}) harmful=(?P<harmful>[0-9]{1,18}) "
    r'created=(?P<created>\S+) updated=(?P<updated>\S+) source=(?P<source>"(?:[^"\\]|\\.)*")'
    r"(?P<retired> retired)?(?P<escaped> escaped)? ::"
)
_ESCAPE = re.compile(r"\\(?:\\|u([0-9a-f]{4}))")


def to_markdown(playbook: Playbook) -> str:
    ordered = sorted(playbook.bullets, key=lambda bullet: bullet.id)
    lines = ["# Playbook"]
    for section, bullets in groupby(ordered, key=lambda bullet: bullet.section):
        lines += ["", f"## {section}", ""]
        for bullet in bullets:
            lines += _item(bullet)
    return "\n".join(lines) + "\n"


def from_markdown(text: str) -> Playbook:
    """Invert `to_markdown`; what is neither heading nor item is a UserError that says where."""
    numbered = enumerate(text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n"), start=1)
    bullets: dict[str, Bullet] = {}
    for number, head, body in _items(numbered):
        bullet = _bullet(number, head, body)
        if bullet.id in bullets:
            raise UserError(f"line {number}: a second bullet {bullet.id!r}")
        bullets[bullet.id] = bullet
    return Playbook(bullets=tuple(bullets.values()))


def _item(bullet: Bullet) -> Iterator[str]:
    data = bullet.model_dump(mode="json")
    unsafe = UNSAFE.search(bullet.content) is not None
    source = escaped(json.dumps(bullet.source, ensure_ascii=False))
    yield (
        f"- [{bullet.id}] helpful={bullet.helpful} harmful={bullet.harmful} created={data['created']} "
        f"updated={data['updated']} source={source}{' retired' * bullet.retired}{' escaped' * unsafe} ::"
    )
    content = escaped(bullet.content.replace("\\", r"\\")) if unsafe else bullet.content
    yield from (f"{INDENT}{line}" for line in content.split("\n"))


def _items(numbered: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str, list[str]]]:
    """Yield the items, each with its place, its head and its lines.

    Blank lines count where indented ones follow.
    """
    item: tuple[int, str, list[str]] | None = None
    blank = 0
    for number, line in numbered:
        if line.startswith(INDENT) and item:
            item[2].extend([""] * blank + [line.removeprefix(INDENT)])
            blank = 0
        elif not line.strip():
            blank += 1
        elif line.startswith("- ["):
            if item:
                yield item
            item, blank = (number, line, []), 0
        elif line.startswith("#"):
            if item:
                yield item
            item = None
        else:
            raise UserError(f"line {number}: neither a heading nor a bullet: {sanitize(line, 60)!r}")
    if item:
        yield item


def _bullet(number: int, head: str, lines: list[str]) -> Bullet:
    found = _ITEM.fullmatch(head.rstrip())
    if not found:
        raise UserError(f"line {number}: a bullet begins as it was exported, not {sanitize(head, 80)!r}")
    content = "\n".join(lines)
    if found["escaped"]:
        # What lies beyond the basic plane was written as two halves.
        content = _ESCAPE.sub(_unescape, content).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    try:
        return Bullet.model_validate(
            {
                "id": found["id"],
                "section": found["id"].partition("-")[0],
                "content": content,
                "helpful": int(found["helpful"]),
                "harmful": int(found["harmful"]),
                "created": found["created"],
                "updated": found["updated"],
                "source": json.loads(found["source"]),
                "retired": found["retired"] is not None,
            }
        )
    except ValidationError as err:
        raise UserError(f"line {number}: {sanitize(explain_validation(err, Bullet), 300)}") from err
    except json.JSONDecodeError as err:
        raise UserError(f"line {number}: the source is no JSON text: {err.msg}") from err


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else "\\"
