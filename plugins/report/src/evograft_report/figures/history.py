"""Events of a run from outside: instructions, stops, changed settings, judgements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from evograft.log.records import FinalEvaluation
from evograft.runs.lock_file import Epoch, RunFolder
from evograft.text.escapes import sanitize
from evograft_hookspecs import Control, Evaluation

MOST_EVENTS = 200
MOST_CHANGES = 40
MOST_NUMBERS = 80
FEEDBACK = 8000


@dataclass(frozen=True)
class LogEvent:
    """Something that happened at a place in the log."""

    kind: Literal["tell", "stop", "settings"]
    commits: int
    """How many trials were committed then."""
    first_trial: int
    """The first that it affects; for a stop the first that was not started."""
    text: str


@dataclass(frozen=True)
class SettingChange:
    """A setting that an epoch changed."""

    key: str
    before: str
    after: str


@dataclass(frozen=True)
class SettingsPeriod:
    """An epoch: the settings that hold from a trial on."""

    first_trial: int
    changes: tuple[SettingChange, ...]
    """Compared with the one before; of versions too."""
    left_out: int


@dataclass(frozen=True)
class FinalFigures:
    """The newest judgement of a best candidate after a stop."""

    trial: int
    commits: int
    is_current: bool
    """Whether the run has not continued since."""
    status: str
    score: float | None
    reason: str
    numbers: tuple[tuple[str, float], ...]
    """Objectives and metrics."""
    feedback: str


@dataclass(frozen=True)
class RunEvents:
    """Everything but trials."""

    events: tuple[LogEvent, ...]
    """The newest, in the order in which they happened."""
    left_out: int
    """Older events that are not shown."""
    periods: tuple[SettingsPeriod, ...]


def list_events(run: RunFolder, controls: list[Control]) -> RunEvents:
    return RunEvents(
        events=tuple(map(_event, controls[-MOST_EVENTS:])),
        left_out=max(0, len(controls) - MOST_EVENTS),
        periods=(SettingsPeriod(run.epochs[0].first_trial, (), 0), *(_period(*pair) for pair in pairwise(run.epochs))),
    )


def describe_final_evaluation(judged: FinalEvaluation, *, best: int | None, commits: int) -> FinalFigures:
    """Return the figures of a final evaluation.

    Args:
        judged: the newest one.
        best: the trial that is the best now.
        commits: how many trials are committed now.
    """
    evaluation = judged.evaluation
    return FinalFigures(
        trial=judged.trial,
        commits=judged.commits,
        is_current=(judged.trial, judged.commits) == (best, commits),
        status=evaluation.status,
        score=evaluation.score,
        reason=sanitize(evaluation.reason, 400),
        numbers=tuple(_numbers(evaluation))[:MOST_NUMBERS],
        feedback=sanitize(evaluation.feedback, FEEDBACK),
    )


def _numbers(evaluation: Evaluation) -> Iterator[tuple[str, float]]:
    for group in (evaluation.objectives, evaluation.metrics):
        yield from ((sanitize(name, 100), value) for name, value in group.items())


def _event(control: Control) -> LogEvent:
    return LogEvent(control.kind, control.commits, control.first_trial, sanitize(control.text))


def _period(before: Epoch, after: Epoch) -> SettingsPeriod:
    old, new = dict(_flat(_data(before))), dict(_flat(_data(after)))
    changes = [
        SettingChange(sanitize(key, 200), sanitize(old.get(key, ""), 200), sanitize(new.get(key, ""), 200))
        for key in sorted({*old, *new})
        if old.get(key) != new.get(key)
    ]
    return SettingsPeriod(after.first_trial, tuple(changes[:MOST_CHANGES]), max(0, len(changes) - MOST_CHANGES))


def _data(epoch: Epoch) -> dict[str, Any]:
    data = epoch.pipeline.to_data()
    return {**data, "versions": dict(epoch.versions)}


def _flat(data: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield settings by their whole keys; what a list holds goes by its name."""
    if isinstance(data, list) and all(isinstance(item, dict) and "name" in item for item in data):
        data = {item["name"]: {**item, "name": "yes"} for item in data}
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _flat(value, f"{path}.{key}" if path else str(key))
    elif data is not None:
        yield path, str(data)
