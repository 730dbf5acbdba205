"""Numbers that are seconds: how long a program may take is no choice, because more is better up to its task's limit."""

from __future__ import annotations

import re

CLOCK = re.compile(
    rb"\b(?:time|perf_counter|monotonic|process_time|clock|steady_clock|chrono|elapsed|deadline|seconds)\b|\bnow\("
)
"""What a line mentions that looks at a clock."""
MOMENT = re.compile(rb"\b(?:began|begin|begun|end|start|started|stop|until|t0|t_?start|t_?end)\s*[-+]\s*\Z")
"""What stands before a number that is added to a moment, such as `begin + 2.5`."""


def is_of_a_clock(source: bytes, place: int) -> bool:
    """Return whether the number that begins at a byte of a program is compared with a clock, or added to a moment."""
    first = source.rfind(b"\n", 0, place) + 1
    last = source.find(b"\n", place)
    line = source[first : len(source) if last < 0 else last]
    return CLOCK.search(line) is not None or MOMENT.search(source[first:place]) is not None
