"""Whole numbers as arguments, refused in plain words."""

from __future__ import annotations

from typing import NoReturn

import click

MOST = 10**9
"""Larger numbers of anything are a slip of the finger."""


class WholeNumber(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions only
    """A whole number of at least `least`, and at most a thousand millions."""

    name = "number"

    def __init__(self, *, least: int) -> None:
        self._least = least

    def convert(self, value: str | int, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = int(value)
        except ValueError:
            self._refuse(value, param, ctx)
        if not self._least <= number <= MOST:
            self._refuse(value, param, ctx)
        return number

    def _refuse(self, value: str | int, param: click.Parameter | None, ctx: click.Context | None) -> NoReturn:
        self.fail(f"{str(value)!r} is not a whole number from {self._least} to {MOST}", param, ctx)
