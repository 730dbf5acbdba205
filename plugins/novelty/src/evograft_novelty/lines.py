"""Line cycling: lines that a program's ancestors had and lost, and that its newest descendant adds again.

Lines are compared without the white space at their ends, over all files together. Blank lines and lines
without a letter or digit, such as `});`, do not count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

Files = Mapping[str, str]

LETTER_OR_DIGIT = re.compile(r"[^\W_]")

KEPT = 256
"""Texts whose lines are kept, because the same programs are compared with each new one."""


@dataclass(frozen=True)
class LineCycling:
    """How many of the lines that a child adds are old ones."""

    added: int
    """Lines of the child beyond those of its parents."""
    cycled: int
    """Those of them that an ancestor had."""
    lines: tuple[str, ...] = ()
    """The text of the first cycled lines in the child's order, each once."""

    @property
    def share(self) -> float:
        """Cycled lines among the added ones; 0 when nothing was added."""
        return self.cycled / self.added if self.added else 0.0


def measure_cycling(
    child: Files, parents: Sequence[Files], ancestors: Iterable[Files], *, shown: int = 20
) -> LineCycling:
    """Count the lines that a child adds, and how many of them an ancestor had.

    Of a line that stands several times, the child adds as many copies as it has more than each of its parents;
    those are cycled as far as one ancestor had as many. Moving a line is not adding it.

    Args:
        child: path to text.
        parents: the programs that the child was made from.
        ancestors: those before them; the parents themselves may be among them.
        shown: how many cycled lines to name.
    """
    own = _count(child)
    kept = _truncate(_count(parent) for parent in parents)
    added = own - kept
    returned = (own & _truncate(_count(ancestor) for ancestor in ancestors)) - kept
    named = tuple(line for line in added if line in returned)[:shown]
    return LineCycling(added=added.total(), cycled=returned.total(), lines=named)


def find_lost_lines(parent: Files, ancestors: Iterable[Files]) -> list[str]:
    """Return lines that ancestors had and the parent has not, each once.

    They tell a model what was tried and dropped.

    Args:
        parent: path to text.
        ancestors: the nearest first, as `find_ancestors` gives them: its lines come first, as the latest to be lost.
    """
    present = set(_lines(parent))
    lost = {line: None for ancestor in ancestors for line in _lines(ancestor) if line not in present}
    return list(lost)


def _count(files: Files) -> Counter[str]:
    return Counter(_lines(files))


def _lines(files: Files) -> Iterable[str]:
    return chain.from_iterable(_lines_of(files[path]) for path in sorted(files))


@lru_cache(maxsize=KEPT)
def _lines_of(text: str) -> tuple[str, ...]:
    return tuple(line for line in map(str.strip, text.splitlines()) if LETTER_OR_DIGIT.search(line))


def _truncate(counts: Iterable[Counter[str]]) -> Counter[str]:
    most: Counter[str] = Counter()
    for count in counts:
        most |= count
    return most
