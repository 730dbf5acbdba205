"""What `evo status` says about the best trial: an entry point of the group `evograft.status`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evograft_hookspecs import Evaluation, Trial
from evograft_program.trust.confirmation import CONFIRMED, TRUST
from evograft_program.trust.summary import EVALUATIONS, SCORE_STD


def describe_best(trial: Trial) -> Iterator[str]:
    """Yield how often the best candidate was evaluated, and whether it was confirmed."""
    metrics = trial.evaluation.metrics
    if is_mean(trial.evaluation):
        yield f"mean of {metrics[EVALUATIONS]:.0f} evaluations, standard deviation {metrics[SCORE_STD]:.3g}"
    record = find_record(trial.evaluation)
    if record:
        said = CONFIRMED if record[CONFIRMED] else f"not {CONFIRMED}"
        yield f"{said}: first {record['first']:.6g}, then {record['then']:.6g}"


def is_mean(evaluation: Evaluation) -> bool:
    """Return whether its score is the mean of several evaluations."""
    return bool(evaluation.cases) and {EVALUATIONS, SCORE_STD} <= evaluation.metrics.keys()


def find_record(evaluation: Evaluation) -> Mapping[str, Any]:
    """Return what a confirmation has recorded; empty: there was none."""
    record = evaluation.details.get(TRUST)
    return record if isinstance(record, Mapping) else {}
