"""The best score of each case among all programs that are known, which stands in for references from the first on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evograft_ahc.scoring.references import References
from evograft_hookspecs import Trial


@dataclass(frozen=True)
class CaseBest:
    """On a case, in the contest's own units."""

    score: float
    trial: int | None
    """`None`: a program from before the run."""


def collect_best_scores(trials: Iterable[Trial], references: References, sign: int) -> dict[str, CaseBest]:
    """Return the best score of each case that was solved.

    Args:
        trials: those that a trial may know, so that equal runs have equal answers.
        references: programs from before the run.
        sign: 1 where more is better, else -1.
    """
    best: dict[str, CaseBest] = {}
    known: list[tuple[int | None, Mapping[str, float]]] = [(None, program) for program in references.programs]
    for number, scores in (*known, *((trial.number, trial.evaluation.cases) for trial in trials)):
        for case, score in scores.items():
            if case not in best or sign * score > sign * best[case].score:
                best[case] = CaseBest(score, number)
    return best


def compute_gain(score: float, best: float, sign: int) -> float:
    """Return how much better a score is than another, as a share of that."""
    return sign * (score - best) / max(abs(best), 1.0)
