"""Events that `observe` receives.

Committed ones are part of the log and sent again on resume; live ones happen once.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from evograft_hookspecs.services.llm import Usage
from evograft_hookspecs.types import Control, EnvironmentReport, Evaluation, Problem, Trial
from evograft_hookspecs.values import Count, FrozenDict, Json, Name, Number, Text, Value


class CommittedEvent(Value):
    """An event that the log keeps."""

    seq: Count
    """Its place among the committed events of the run: an observer that writes to disk skips what it already has."""
    replayed: bool = False
    """Whether it is sent again, on resume."""


class ProblemAnalyzed(CommittedEvent):
    """`analyze` has answered; always the first committed event."""

    problem: Problem


class TrialCommitted(CommittedEvent):
    """A trial became part of the run's history."""

    trial: Trial


class ControlApplied(CommittedEvent):
    """An instruction, a stop or changed settings, sent before the first trial that it affects."""

    control: Control


class FinalEvaluated(CommittedEvent):
    """The best candidate was evaluated with `purpose="final"`, after a stop."""

    trial: Count
    evaluation: Evaluation


class LiveEvent(Value):
    """An event that is never sent again and influences no answer."""


class RunStarted(LiveEvent):
    """The environment is ready; trials follow."""

    run: Name
    folder: Text
    resumed_at: Count | None = None
    """The number of finished trials found in the log; `None` for a new run."""
    notes: tuple[Text, ...] = ()
    """What the user should know about this start."""
    pipeline: Json = Field(repr=False)
    """The resolved pipeline."""
    environment: FrozenDict[Name, EnvironmentReport] = FrozenDict()
    """What each plugin's `setup_env` reported."""


class CallFinished(LiveEvent):
    """A model has answered, or refused to."""

    trial: Count | None = None
    hook: Name
    plugin: Name
    """Who asked."""
    model: Name
    usage: Usage
    seconds: Number = 0.0
    """Wall time, retries and waiting between them included."""
    from_log: bool = False
    """Whether the answer was in the log already."""
    refused: Text = ""
    """Why there is no answer."""
    note: Text = ""
    """What the user should know about it."""


class WorkerFailed(LiveEvent):
    """A worker died or hangs; its task is tried again or given up."""

    trial: Count
    reason: Text


class WorkersChanged(LiveEvent):
    """Something else is to be said of workers that are elsewhere."""

    state: Text
    """Such as that none is there, or which was left out and why; empty: all is well."""


class ObserverFailed(LiveEvent):
    """An observer raised; it is left out from here on."""

    reason: Text
    """Names the plugin."""


class RunEnded(LiveEvent):
    """No further event follows in this process."""

    outcome: Literal["complete", "interrupted", "failed"]
    """`complete`: the budget is used up, or a target or plateau was reached; `failed`: see the reason."""
    reason: Text
    commits: Count
    best: Trial | None = None
    """Of those that are committed."""
    waiting: tuple[Trial, ...] = ()
    """Those that are finished and wait for an earlier one, by number: a session that goes on commits them."""
    folder: Text = ""
    """Of the run: one whose analysis fails has no `RunStarted` that names it."""


Event = (
    ProblemAnalyzed
    | TrialCommitted
    | ControlApplied
    | FinalEvaluated
    | RunStarted
    | CallFinished
    | WorkerFailed
    | WorkersChanged
    | ObserverFailed
    | RunEnded
)
