"""Kinds of values that options of these commands take, refused in plain words."""

from __future__ import annotations

import math
import re

import click

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class Duration(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions only
    """Seconds: `90`, `1.5h`, `30m`, or `hh:mm:ss`."""

    name = "seconds"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        text = str(value).strip()
        if match := re.fullmatch(r"(\d+):(\d\d):(\d\d)", text):
            hours, minutes, seconds = map(int, match.groups())
            return float(3600 * hours + 60 * minutes + seconds)
        match = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+)([smhd]?)", text)
        if match is None or not float(match[1]):
            self.fail(f"{text!r} is not a time: write seconds, or 30m, 2h, 01:30:00", param, ctx)
        return float(match[1]) * _UNITS[match[2]]


class ScoreBounds(click.ParamType):  # type: ignore[type-arg]  # likewise
    """Two numbers, `LOW,HIGH`."""

    name = "bounds"

    def convert(
        self, value: str | tuple[float, float], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float]:
        if not isinstance(value, str):
            return value
        try:
            low, high = (float(part) for part in value.split(","))
        except ValueError:
            self.fail(f"{value!r} is not LOW,HIGH, such as 0,1", param, ctx)
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            self.fail(f"{value!r}: two numbers, the lower one first", param, ctx)
        return low, high


class Objectives(click.ParamType):  # type: ignore[type-arg]  # likewise
    """Two or more names of metrics, `A,-B`: a minus in front says that less is better."""

    name = "objectives"

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        if not isinstance(value, str):
            return value
        names = tuple(part.strip() for part in value.split(","))
        metrics = {name.removeprefix("-") for name in names}
        if "" in metrics or len(metrics) < len(names) or len(names) < 2:  # noqa: PLR2004 - one is --metric
            self.fail(f"{value!r}: two or more metrics, each once, such as accuracy,-seconds", param, ctx)
        return names
