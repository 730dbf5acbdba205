"""Bounds of a playbook that grows by learning."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evograft_hookspecs.values import Value

Bound = Annotated[int, Field(strict=True, ge=1)]


class Bounds(Value):
    """Bullets in use at most. A playbook that was imported with more keeps as many as it had."""

    in_all: Bound = 500
    a_section: Bound = 150
