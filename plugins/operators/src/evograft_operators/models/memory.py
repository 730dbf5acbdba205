"""Earlier trials in a prompt: what scored well lately, what was rejected, which lines were dropped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from evograft_hookspecs import Evaluation, History, Trial
from evograft_novelty import find_ancestors, find_lost_lines
from evograft_operators.models.attempts import rank_score
from evograft_operators.models.text import one_line, write_score

SCORED, REJECTED, LOST, GIST = 5, 8, 20, 8
"""How many entries of each, and how many lines show what a program does."""

ENTRY, LINE = 300, 160
"""Characters of an entry, and of a line of a program, at most."""

_IMPORT = re.compile(r"\s*(#\s*(include|pragma)\b|using namespace\b|import\b|from\b.*\bimport\b)")
"""Lines that say nothing of what a program does."""

METRIC = 60
"""Characters of a metric's name, at most."""


FindOrigin = Callable[[Trial], Trial]


def itself(trial: Trial) -> Trial:
    """Return the trial: each program counts on its own."""
    return trial


def list_scored(
    chosen: Iterable[Trial],
    shown: Collection[Mapping[str, str]],
    *,
    ideas: bool = False,
    find_origin: FindOrigin = itself,
) -> tuple[str, ...]:
    """List trials: the score, what was said about it, and what is in it.

    Args:
        chosen: the trials, by `choose_scored`.
        shown: the files of the programs that the prompt shows.
        ideas: whether a program is told by its author's idea, where that is kept.
        find_origin: the trial whose program one has with other numbers, and whose idea.
    """
    told = set(find_lost_lines({}, shown))
    entries: list[str] = []
    for trial in chosen:
        origin = find_origin(trial)
        idea = origin.candidate.idea if ideas and origin.candidate else ""
        told_by = f"by {trial.candidate.operator}" if ideas and trial.candidate else trial.evaluation.feedback
        number = f"#{trial.number}" if origin is trial else f"#{trial.number}: #{origin.number} with other numbers"
        score = write_score(trial.score, exact=ideas)
        said = one_line(f"{score} ({number}) {idea or told_by}", ENTRY)
        files = trial.candidate.files if trial.candidate else {}
        gist = (
            []
            if idea and origin is trial
            else [line for line in gist_of(files, told) if not (ideas and _IMPORT.match(line))]
        )
        entries.append("\n".join((said, *(f"  + {line}" for line in gist))))
        told.update(find_lost_lines({}, [files]))
    return tuple(entries)


def choose_scored(
    latest: Iterable[Trial], known: Collection[Trial], find_origin: FindOrigin = itself
) -> tuple[Trial, ...]:
    """Return the best of the latest trials that the prompt does not show anyway, each program once, the best first.

    Args:
        latest: the trials.
        known: those that the prompt shows.
        find_origin: the trial whose program one has with other numbers: of both only the better one is told.
    """
    numbers = {trial.number for trial in known}
    ranked = sorted(
        (trial for trial in latest if trial.score is not None and trial.number not in numbers),
        key=lambda trial: (-rank_score(trial), trial.number),
    )
    once: dict[str, Trial] = {}
    shown = {_program_of(find_origin(trial)) for trial in known} if find_origin is not itself else set()
    for trial in ranked:
        program = _program_of(find_origin(trial))
        if program not in shown:
            once.setdefault(program, trial)
    return tuple(once.values())[:SCORED]


def _program_of(trial: Trial) -> str:
    return trial.candidate.id if trial.candidate else ""


def gist_of(files: Mapping[str, str], told: Collection[str]) -> list[str]:
    """Return some of the lines that a program has and that were not shown yet, in their order.

    The least indented come first: of a new function its head says more than a line from within.
    """
    new = {line for line in find_lost_lines({}, [files]) if line not in told}
    lines = dict.fromkeys(line for path in sorted(files) for line in files[path].splitlines() if line.strip() in new)
    depths = [len(line) - len(line.lstrip()) for line in lines]
    outermost = set(sorted(range(len(depths)), key=depths.__getitem__)[:GIST])
    return [one_line(line, LINE) for place, line in enumerate(lines) if place in outermost]


def list_metrics(evaluation: Evaluation, limit: int) -> tuple[str, ...]:
    """Return what was measured, in the evaluation's own order, at most `limit` entries `name: value`.

    A name is the evaluator's text: it is brought to one short line, so that it cannot pass for a part of the prompt.
    """
    shown = list(evaluation.metrics.items())[:limit]
    entries = [f"{one_line(name, METRIC)}: {value:.6g}" for name, value in shown]
    left_out = len(evaluation.metrics) - len(shown)
    return (*entries, f"… ({left_out} more)") if entries and left_out else tuple(entries)


def list_rejected(latest: Collection[Trial], *, of_models: bool = False) -> tuple[str, ...]:
    """List why candidates were rejected lately, the newest reason first, each with how often it came up.

    Args:
        latest: from the history.
        of_models: only of those that a model made: a number that a tuner tried in vain is no lesson for it.
    """
    told = [trial for trial in latest if trial.model or not of_models]
    reasons = [one_line(reason, ENTRY) for trial in told for reason in _reasons(trial)]
    counts = Counter(reversed(reasons))
    return tuple(f"{reason} (×{count})" if count > 1 else reason for reason, count in list(counts.items())[:REJECTED])


def find_dropped_lines(parents: Collection[Trial], history: History, limit: int) -> tuple[str, ...]:
    """Return lines that the first parent's ancestors had and no parent has, the latest to be dropped first.

    Args:
        parents: those that the prompt shows.
        history: where ancestors are looked up.
        limit: how many ancestors are.
    """
    programs = [(parent.number, parent.candidate.files) for parent in parents if parent.candidate]
    if not programs or not limit:
        return ()
    ancestors = find_ancestors(next(iter(parents)), history.trial, limit)
    shown = {f"{number}/{path}": text for number, files in programs for path, text in files.items()}
    lost = find_lost_lines(shown, [trial.candidate.files for trial in ancestors if trial.candidate])
    return tuple(one_line(line, LINE) for line in lost[:LOST])


def _reasons(trial: Trial) -> Iterator[str]:
    yield from (attempt.reason for attempt in trial.attempts)
    if trial.evaluation.status == "rejected" and trial.duplicate_of is None:
        yield trial.evaluation.reason
