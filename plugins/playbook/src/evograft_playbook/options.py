"""The options of the plugin."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from evograft_hookspecs import NoOptions
from evograft_hookspecs.values import Text
from evograft_playbook.learning.bounds import Bounds
from evograft_playbook.search.options import SearchOptions
from evograft_playbook.store import get_usual_path


class PlaybookOptions(NoOptions):
    """Options of a run that uses a playbook, and of what it leaves there."""

    path: Text = ""
    """The playbook, which is made when it is not there; empty: the user's usual one."""
    top_k: Annotated[int, Field(strict=True, ge=1, le=50)] = 6
    """Bullets that a trial is offered at most."""
    left_out: Annotated[float, Field(strict=True, ge=0, lt=1)] = 0.25
    """How probably a bullet that fits is kept from a trial. The trials without it show what it is worth: with 0 none is
    credited."""
    learn: Annotated[bool, Field(strict=True)] = True
    """Whether the playbook is changed when the run is complete."""
    reflect_every: Annotated[int, Field(strict=True, ge=0)] = 0
    """After this number of trials, and again each time, a model says what the next ones should know or try, from what
    has gained and failed; 0: never."""
    language: Literal["en", "ja"] = "en"
    """Of the prompt for lessons."""
    max_tokens: Annotated[int, Field(strict=True, ge=1)] = 4096
    """Of the model's answer to it; thinking counts for many models."""
    search: SearchOptions = SearchOptions()
    bounds: Bounds = Bounds()

    @property
    def playbook(self) -> Path:
        """Return where the playbook is."""
        return Path(self.path).expanduser() if self.path else get_usual_path()
