"""The seed programs of a run: at least one has to be worth something, or else there is nothing to evolve."""

from __future__ import annotations

from collections.abc import Sequence

from evograft.errors import EvograftError, PluginError, ServiceError
from evograft_hookspecs import Trial


def require_seed(trials: Sequence[Trial], *, evaluator: object) -> None:
    """Check the trials of all seed programs.

    Args:
        trials: of the seeds; empty: the run starts from nothing, which it may.
        evaluator: who evaluated them.

    Raises:
        PluginError: the evaluator accepts none of them.
        ServiceError: none could be evaluated.
    """
    if not trials or any(trial.score is not None for trial in trials):
        return
    broken = all(trial.evaluation.status == "failed" for trial in trials)
    first = trials[0]
    which = "the seed program" if len(trials) == 1 else f"all {len(trials)} seed programs"
    became = "could not be evaluated" if broken else f"{'was' if len(trials) == 1 else 'were'} rejected"
    err: EvograftError = (ServiceError if broken else PluginError)(
        f"{evaluator}: {which} {became}, so there is nothing to evolve: {first.evaluation.reason} (trial 0); "
        "fix that and start another run"
    )
    err.is_resumable = False
    raise err
