"""Lineage of the best candidate: from parent to parent, back to a seed or a fresh start."""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from evograft.log.history import operator_of
from evograft.text.escapes import sanitize
from evograft.text.excerpts import Program, program
from evograft_hookspecs import Trial
from evograft_report.figures.program_diff import Differ, FileDiff, find_different

NEWEST, OLDEST = 45, 15
"""Steps that are shown of a longer line."""
DIFF_LINES = 120
SOURCE_LINES = 400

Files = Mapping[str, str]


@dataclass(frozen=True)
class UsedAdvice:
    """Advice in the prompt of a step."""

    id: str
    text: str
    """Empty: it was not among what was offered."""


@dataclass(frozen=True)
class Ancestor:
    """A step of the line: a program, and what it changed of its parent."""

    trial: int
    score: float | None
    gain: float | None
    """By how much it beats the parent on the line; `None`: one of the two has no score."""
    operator: str
    model: str
    island: str
    instruction: str
    repairs: int
    """Candidates of this trial that were rejected before."""
    advice: tuple[UsedAdvice, ...]
    parent: int | None
    """The next on the line; `None`: it is a seed or a fresh start."""
    other_parents: tuple[int, ...]
    changes: tuple[FileDiff, ...]
    files_left_out: int
    """Changed files beyond those."""


@dataclass(frozen=True)
class Lineage:
    """The line of the best candidate."""

    trial: int
    source: Program
    newest: tuple[Ancestor, ...]
    """The best candidate first."""
    left_out: int
    """Steps between the newest and the oldest."""
    oldest: tuple[Ancestor, ...]
    improvements: int
    """Steps of the whole line that beat their parent."""

    @property
    def length(self) -> int:
        """Steps of the whole line."""
        return len(self.newest) + self.left_out + len(self.oldest)


def trace_lineage(best: Trial, lookup: Callable[[int], Trial], model_of: Callable[[int], str]) -> Lineage:
    """Trace the line of a trial with a candidate; of several parents it follows the nearest one.

    Args:
        best: where the line ends.
        lookup: finds a trial by number.
        model_of: the model that a trial asked.
    """
    line = list(_trace(best, lookup))
    pairs = list(zip(line, [*line[1:], None], strict=True))
    middle = max(0, len(line) - NEWEST - OLDEST)
    cut = NEWEST if middle else len(line)

    differ = Differ()

    def steps(first: int, last: int) -> tuple[Ancestor, ...]:
        return tuple(_step(lookup(child), parent, lookup, model_of, differ) for child, parent in pairs[first:last])

    scores = [lookup(number).score for number in line]
    return Lineage(
        trial=best.number,
        source=program(_files(best), lines=SOURCE_LINES),
        newest=steps(0, cut),
        left_out=middle,
        oldest=steps(cut + middle, len(line)),
        improvements=sum((_gain(child, parent) or 0.0) > 0 for child, parent in pairwise(scores)),
    )


def _trace(trial: Trial, lookup: Callable[[int], Trial]) -> Iterator[int]:
    yield trial.number
    while (parent := _nearest_parent(trial, lookup)) is not None:
        yield parent.number
        trial = parent


def _nearest_parent(trial: Trial, lookup: Callable[[int], Trial]) -> Trial | None:
    """Return the parent that shares most lines with the trial; of equals the first."""
    # A parent is older than its child; anything else would lead in circles.
    parents = list(_find_all((number for number in _parents(trial) if number < trial.number), lookup))
    if not parents[1:]:
        return parents[0] if parents else None
    own = _lines(trial)
    return max(parents, key=lambda parent: (own & _lines(parent)).total())


def _find_all(numbers: Iterable[int], lookup: Callable[[int], Trial]) -> Iterator[Trial]:
    for number in numbers:
        with contextlib.suppress(KeyError):
            yield lookup(number)


def _lines(trial: Trial) -> Counter[str]:
    return Counter(line.strip() for text in _files(trial).values() for line in text.splitlines())


def _files(trial: Trial | None) -> Files:
    return trial.candidate.files if trial and trial.candidate else {}


def _parents(trial: Trial) -> tuple[int, ...]:
    return trial.candidate.parents if trial.candidate else ()


def _step(
    trial: Trial,
    parent: int | None,
    lookup: Callable[[int], Trial],
    model_of: Callable[[int], str],
    differ: Differ,
) -> Ancestor:
    before = lookup(parent) if parent is not None else None
    proposal, selection = trial.proposal, trial.selection
    changes = differ.changes(_files(before), _files(trial), lines=DIFF_LINES)
    return Ancestor(
        trial=trial.number,
        score=trial.score,
        gain=_gain(trial.score, before.score if before else None),
        operator=operator_of(trial),
        model=model_of(trial.number),
        island=sanitize(selection.island_name or str(selection.island), 60) if selection else "",
        instruction=sanitize(proposal.instruction, 400) if proposal else "",
        repairs=len(trial.attempts),
        advice=_advice(trial),
        parent=parent,
        other_parents=tuple(number for number in _parents(trial) if number != parent),
        changes=changes,
        files_left_out=len(find_different(_files(before), _files(trial))) - len(changes),
    )


def _advice(trial: Trial) -> tuple[UsedAdvice, ...]:
    offered = {advice.id: advice.text for advice in trial.proposal.advice} if trial.proposal else {}
    used = trial.candidate.used_advice if trial.candidate else ()
    return tuple(UsedAdvice(sanitize(each, 100), sanitize(offered.get(each, ""), 400)) for each in used[:20])


def _gain(score: float | None, before: float | None) -> float | None:
    if score is None or before is None or not math.isfinite(score - before):
        return None
    # A difference by rounding only is not a gain.
    return 0.0 if math.isclose(score, before, rel_tol=1e-12) else score - before
