"""Times, rates and sums of money in the words that commands print."""

from __future__ import annotations

import time
from datetime import timedelta

MINUTE, HOUR, DAY = 60, 3600, 86400
TWO_MINUTES = 2 * MINUTE
MOST_DAYS = 14
"""Beyond these a date says more than an age."""


def duration(seconds: float) -> str:
    """Return seconds as `12.3 s`, and from two minutes on as `1:02:03`."""
    return f"{seconds:g} s" if seconds < TWO_MINUTES else str(timedelta(seconds=round(seconds)))


def age(moment: float, *, now: float | None = None) -> str:
    """Return how long ago a moment was, in one unit; long ago, its date."""
    passed = max(0.0, (time.time() if now is None else now) - moment)
    if passed < TWO_MINUTES:
        return f"{passed:.0f} s ago"
    if passed < 2 * HOUR:
        return f"{passed / MINUTE:.0f} min ago"
    if passed < 2 * DAY:
        return f"{passed / HOUR:.0f} h ago"
    if passed < MOST_DAYS * DAY:
        return f"{passed / DAY:.0f} days ago"
    return time.strftime("%Y-%m-%d", time.localtime(moment))


def pace(trials_per_second: float) -> str:
    """Return a rate in the unit in which it is a number of a usual size."""
    for unit, seconds in (("s", 1), ("min", MINUTE)):
        rate = trials_per_second * seconds
        if rate >= 1:
            return f"{rate:.3g} trials/{unit}" if rate < 100 else f"{rate:.0f} trials/{unit}"  # noqa: PLR2004 - three digits
    return f"{trials_per_second * HOUR:.2g} trials/h"


def price(dollars: float | None) -> str:
    """Return what models have cost; empty: nothing."""
    if dollars is None:
        return "price unknown"
    if not dollars:
        return ""
    return f"${dollars:.4f}" if dollars >= 0.0001 else "less than $0.0001"  # noqa: PLR2004 - what four digits show
