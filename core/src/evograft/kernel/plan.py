"""A session's plan and parts: what its kernel runs, and what it works with; its first and last event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from evograft.config.pipeline import Pipeline
from evograft.kernel.budget import Stop
from evograft.kernel.duplicates import Duplicates
from evograft.kernel.inbox import Inbox
from evograft.kernel.plugin_sets import PluginSets
from evograft.llm.service import ModelService
from evograft.log.journal import NO_KEYS, Journal
from evograft.log.population import Population
from evograft.log.records import Finished, ReplayedTrial
from evograft.runs.mailbox import Mailbox
from evograft.text.masking import Keys
from evograft_hookspecs import EnvironmentReport, Evaluator, FrozenDict, RunEnded, RunStarted
from evograft_hookspecs.drivers.executor import Executor

Outcome = Literal["complete", "interrupted", "failed"]


@dataclass(frozen=True)
class RunPlan:
    """The run that a kernel works on, resolved."""

    run: str
    folder: str
    pipeline: Pipeline
    windows: tuple[tuple[int, int], ...]
    """Pairs (first trial, window), ascending."""
    weights: tuple[tuple[int, FrozenDict[str, float]], ...]
    """Pairs (first trial, operator weights), ascending."""
    remote: Callable[[], Evaluator]
    """Builds the plugins of a worker process; picklable."""
    follows: tuple[ReplayedTrial, ...] | None = None
    """The trials of the run that this one repeats, in the order of their commits."""
    changes: str = ""
    """The settings that were changed for this session, as YAML."""
    changed: tuple[str, ...] = ()
    """The names of the top-level settings that differ by them."""
    keep_settings: Callable[[], None] = lambda: None
    """Writes changed settings down; called once everything has started with them."""
    keep_reports: Callable[[Mapping[str, EnvironmentReport]], None] = lambda _: None
    """Writes down what plugins report of the environment."""
    notes: tuple[str, ...] = ()
    """Remarks on this start, for the user."""
    keys: Keys = NO_KEYS
    """Secrets, which nobody may see."""

    @property
    def commit_order(self) -> Literal["trial", "arrival"] | tuple[int, ...]:
        """The order of commits; or the numbers of the trials of the run that this one repeats."""
        return self.pipeline.commit_order if self.follows is None else tuple(each.number for each in self.follows)


@dataclass(frozen=True)
class RunParts:
    """The open parts of a session, which its kernel works with."""

    plugin_sets: PluginSets
    journal: Journal
    population: Population
    duplicates: Duplicates
    executor: Executor
    models: ModelService
    mailbox: Mailbox
    inbox: Inbox


def run_started(plan: RunPlan, parts: RunParts, *, trials: int) -> RunStarted:
    """Return the first event of a session.

    Args:
        plan: of the run.
        parts: of the session.
        trials: how many are in the log.
    """
    return RunStarted(
        run=plan.run,
        folder=plan.folder,
        resumed_at=trials or None,
        notes=(*plan.notes, *_serial_note(plan, parts)),
        pipeline=plan.pipeline.to_data(),
        environment=parts.plugin_sets.newest.scope.environment,
    )


def _serial_note(plan: RunPlan, parts: RunParts) -> tuple[str, ...]:
    """Return a remark if evaluations wait for one another although there are more workers."""
    owner, workers = parts.plugin_sets.newest.hooks.owner("evaluate"), parts.executor.workers
    if owner.manifest.thread_safe or plan.pipeline.executor.driver != "threads" or workers == 1:
        return ()
    note = (
        f"evaluations run one at a time: plugin {owner.name!r} does not declare thread_safe; "
        f"--set executor.driver=processes runs {workers} at a time"
    )
    return (note,)


def run_ended(
    plan: RunPlan, parts: RunParts, outcome: Outcome, stop: Stop | None, *, waiting: Iterable[Finished]
) -> RunEnded:
    """Return the last event of a session."""
    return RunEnded(
        outcome=outcome,
        reason=stop.reason if stop else "all trials are done",
        commits=parts.population.commits,
        best=parts.population.best.trial,
        waiting=tuple(finished.trial for finished in waiting),
        folder=plan.folder,
    )
