"""A program's cases next to the best reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evograft_ahc.scoring.best_scores import compute_gain
from evograft_ahc.scoring.references import References


@dataclass(frozen=True)
class CaseComparison:
    """A case."""

    case: str
    score: float
    reference: float
    gain: float
    """How much better, as a share of the reference."""


def compare_cases(scores: Mapping[str, float], references: References, sign: int) -> Iterator[CaseComparison]:
    """Compare the cases that a program and a reference have solved.

    Args:
        scores: as in `Evaluation.cases`.
        references: of which the best on each case counts.
        sign: 1 where more is better, else -1.
    """
    for case, score in scores.items():
        known = references.on(case)
        if known:
            best = max(known, key=lambda reference: sign * reference)
            yield CaseComparison(case, score, best, compute_gain(score, best, sign))
