"""The hand-over to the phase after a set-up."""

from __future__ import annotations

from typing import Literal

from evograft_hookspecs.values import Name, Text, Value


class HandOver(Value):
    """The hand-over to the phase after a set-up."""

    environment_ready: bool
    environment_name: Name
    setup_status: Literal["success", "failed"]
    errors: tuple[Text, ...]
