"""Numbers for people."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

CENT = 0.01
MINUTE = 60
LARGEST = 1e12
UNITS = ((1e9, "G", 1e9), (1e6, "M", 1e6), (1e4, "k", 1e3))
"""From which size on a unit is used, its letter, and what it stands for."""


def score(value: float | None) -> str:
    return "–" if value is None else f"{value:.6g}"


def gain(value: float | None) -> str:
    if value == 0:
        return "±0"
    return "–" if value is None else f"{value:+.3g}"


def count(value: int) -> str:
    return f"{value:,}"


def percent(part: float, whole: float) -> str:
    """Return `–` if there is no whole; never 100 % of less than all, nor 0 % of something."""
    if not whole:
        return "–"
    tenths = round(1000 * part / whole)
    if part and not tenths:
        return "< 0.1 %"
    return f"{(tenths if part == whole else min(999, tenths)) / 10:g} %"


def dollars(value: float) -> str:
    """Return `$12.34`, `$0.0042`, `$2.1e-05`."""
    if value and abs(value) < CENT:
        return f"${value:.2g}"
    return f"${value:,.4f}" if abs(value) < 1 else f"${value:,.2f}"


def duration(seconds: float) -> str:
    """Return `4.8 s`, `3 min 5 s`, `2 h 13 min`."""
    if seconds < MINUTE:
        return f"{seconds:.3g} s"
    whole = timedelta(seconds=round(seconds))
    if whole < timedelta(hours=1):
        return f"{whole.seconds // MINUTE} min {whole.seconds % MINUTE} s"
    return f"{whole // timedelta(hours=1):,} h {whole.seconds // MINUTE % MINUTE} min"


def short(value: float) -> str:
    """Return `0.95`, `12k`, `3.5M`, `1e+12`."""
    for bound, unit, worth in UNITS:
        if bound <= abs(value) < LARGEST:
            return f"{value / worth:.10g}{unit}".replace("-", "−")
    return f"{value:.10g}".replace("-", "−")


def ticks(values: Sequence[float]) -> list[str]:
    """Return values of one axis, with equally many decimals."""
    plain = [short(value) for value in values]
    decimals = max((len(word.partition(".")[2]) for word in plain if "e" not in word), default=0)
    if any(word[-1] in "GMk" or "e" in word for word in plain):
        return plain
    return [f"{value:.{decimals}f}".replace("-", "−") for value in values]
