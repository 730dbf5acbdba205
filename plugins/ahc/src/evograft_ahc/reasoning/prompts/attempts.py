"""What was tried before in the same way, for prompts that are to do something else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from evograft.text.escapes import sanitize
from evograft.text.i18n import Catalog
from evograft_ahc.scoring.best_scores import compute_gain
from evograft_hookspecs import Trial

MOST = 6
"""Attempts that are told, the newest first."""
LONGEST = 500
"""Characters of an idea or a reason."""


def describe_attempts(known: Iterable[Trial], group: str, language: str) -> str:
    """Return the attempts of a kind with their ideas and outcomes; empty: there were none.

    Args:
        known: trials that the reader may know, oldest first.
        group: such as `speed_up`: what the ids of their proposals begin with, after the plugin's name.
        language: of the text.
    """
    trials = {trial.number: trial for trial in known}
    t = Catalog(language, __package__)
    lines = [_describe(trial, trials.get, t) for trial in _of_kind(reversed(trials.values()), group)]
    return "\n".join((t("tried"), *lines)) if lines else ""


def _of_kind(trials: Iterable[Trial], group: str) -> Iterator[Trial]:
    left = MOST
    for trial in trials:
        made_so = trial.proposal is not None and trial.proposal.id.startswith(f"ahc.{group}")
        if left and made_so and trial.candidate is not None and trial.candidate.idea:
            left -= 1
            yield trial


def _describe(trial: Trial, find: Callable[[int], Trial | None], t: Catalog) -> str:
    idea = trial.candidate.idea if trial.candidate else ""
    return f"- #{trial.number} {sanitize(idea, LONGEST)} – {_outcome(trial, find, t)}"


def _outcome(trial: Trial, find: Callable[[int], Trial | None], t: Catalog) -> str:
    evaluation = trial.evaluation
    if evaluation.status == "pruned":
        return t("pruned")
    if trial.score is None:
        return t("rejected", reason=sanitize(evaluation.reason, LONGEST))
    parent = find(trial.candidate.parents[0]) if trial.candidate and trial.candidate.parents else None
    if parent is None or parent.score is None:
        return t("no_parent", score=f"{trial.score:.6g}")
    return t("better", gain=f"{100 * compute_gain(trial.score, parent.score, 1):+.2f} %")
