"""The newest trials in words: what gained most, what lost most, and why programs were rejected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff

from evograft_hookspecs import History, Trial
from evograft_playbook.learning.run_summary import LONGEST_REASON, MOST_TOLD

SHOWN = 3
"""Gains, and as many losses."""
LONGEST_DIFF = 1500


@dataclass(frozen=True)
class TrialGain:
    """What a trial gained over the better of its parents."""

    gain: float
    trial: Trial
    parent: Trial


def describe_recent(trials: Sequence[Trial], history: History) -> dict[str, str]:
    """Describe trials by the names of a template's placeholders.

    Args:
        trials: the newest ones.
        history: has their parents.
    """
    gains = sorted(_find_gains(trials, history), key=lambda each: (-each.gain, each.trial.number))
    reasons = Counter(
        " ".join(each.evaluation.reason.split())[:LONGEST_REASON]
        for each in trials
        if each.evaluation.status == "rejected"
    )
    return {
        "gains": "\n\n".join(_describe(each) for each in gains[:SHOWN] if each.gain > 0),
        "losses": "\n\n".join(_describe(each) for each in reversed(gains[-SHOWN:]) if each.gain < 0),
        "rejected": "\n".join(f"{count} times: {reason}" for reason, count in reasons.most_common(MOST_TOLD)),
    }


def _find_gains(trials: Iterable[Trial], history: History) -> Iterable[TrialGain]:
    for trial in trials:
        parents = map(history.trial, trial.candidate.parents if trial.candidate else ())
        scored = [(parent.score, parent) for parent in parents if parent.score is not None]
        if trial.score is not None and trial.duplicate_of is None and scored:
            score, parent = max(scored, key=lambda each: each[0])
            yield TrialGain(trial.score - score, trial, parent)


def _describe(each: TrialGain) -> str:
    operator = each.trial.candidate.operator if each.trial.candidate else "-"
    head = f"{each.parent.score:.6g} → {each.trial.score:.6g} by {operator}"
    lines = unified_diff(_list_lines(each.parent), _list_lines(each.trial), lineterm="", n=1)
    shown = "\n".join(list(lines)[2:])
    return f"{head}\n{shown[:LONGEST_DIFF]}"


def _list_lines(trial: Trial) -> list[str]:
    files: Mapping[str, str] = trial.candidate.files if trial.candidate else {}
    return [line for path in sorted(files) for line in files[path].splitlines()]
