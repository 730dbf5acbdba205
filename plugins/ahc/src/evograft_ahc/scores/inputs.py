"""What the variables of inputs are, and groups of cases by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evograft_ahc.text.messages import ContestUserError
from evograft_ahc.workspace.folder import Workspace

READ = 65_536
"""Bytes of an input that are looked at: variables stand at the beginning."""
SKIPPED = "_"
MOST_VALUES, RANGES = 6, 4
"""A variable with more values is cut into ranges, with as many cases each as can be."""

Variables = Mapping[str, float]


@dataclass(frozen=True)
class CaseGroup:
    """Cases whose variable has values within a range."""

    variable: str
    low: float
    high: float
    cases: tuple[str, ...]

    @property
    def values(self) -> str:
        return f"{self.low:g}" if self.low == self.high else f"{self.low:g} - {self.high:g}"


def read_variables(workspace: Workspace, names: str, cases: Sequence[str]) -> dict[str, Variables]:
    """Return the variables of the cases whose inputs are there.

    Args:
        workspace: of the contest.
        names: of the words that an input begins with, over all its lines; `_` for those that are of no interest.
        cases: their names.

    Raises:
        ContestUserError: a word with a name is missing, or no number.
    """
    files = {case: workspace.input(case) for case in cases}
    return {case: _read(file, names.split()) for case, file in files.items() if file.is_file()}


def group_cases(variables: Mapping[str, Variables]) -> Iterator[CaseGroup]:
    """Yield the groups of each variable that differs between cases, lower values first."""
    for name in next(iter(variables.values()), {}):
        values = sorted({case[name] for case in variables.values()})
        if len(values) == 1:
            continue
        for low, high in _ranges(sorted(case[name] for case in variables.values()), values):
            cases = tuple(case for case, known in variables.items() if low <= known[name] <= high)
            yield CaseGroup(name, low, high, cases)


def _ranges(of_cases: Sequence[float], values: Sequence[float]) -> list[tuple[float, float]]:
    if len(values) <= MOST_VALUES:
        return [(value, value) for value in values]
    starts = sorted({of_cases[len(of_cases) * part // RANGES] for part in range(RANGES)})
    ends = [max(value for value in values if value < start) for start in starts[1:]]
    return list(zip(starts, [*ends, values[-1]], strict=True))


def _read(file: Path, names: Sequence[str]) -> dict[str, float]:
    with file.open("rb") as content:
        words = content.read(READ).decode(errors="replace").split()
    try:
        named = zip(names, words[: len(names)], strict=True)
        return {name: float(word) for name, word in named if name != SKIPPED}
    except ValueError as err:
        raise ContestUserError(
            f"scores.input {' '.join(names)!r} does not fit {str(file)!r}, which begins with {_beginning(words)!r}: "
            "name the numbers that inputs begin with, and write _ for words without a use",
            ja=f"scores.input {' '.join(names)!r} は {str(file)!r} (先頭: {_beginning(words)!r}) に合いません。"
            "入力の先頭にある数の名前を書き、使わない語は _ としてください",
        ) from err


def _beginning(words: Sequence[str]) -> str:
    return " ".join(words[:8])[:80]
