"""What the phase after a set-up is told."""

from __future__ import annotations

from typing import Literal

from evograft_hookspecs.values import Name, Text, Value


class HandOver(Value):
    """What the phase after a set-up is told."""

    environment_ready: bool
    environment_name: Name
    setup_status: Literal["success", "failed"]
    errors: tuple[Text, ...]
