"""What a run shows while it works: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from evograft.cli.amounts import pace, price
from evograft.cli_kit.console import Display
from evograft.config.user_settings import load_settings
from evograft.log.population import Best
from evograft.plugin.loading import ActivePlugin
from evograft.runs.index import reference
from evograft.text.plurals import counted
from evograft_hookspecs import (
    CONTRACT,
    CallFinished,
    ControlApplied,
    Event,
    FinalEvaluated,
    Manifest,
    ObserverFailed,
    RunEnded,
    RunStarted,
    TrialCommitted,
    WorkerFailed,
    WorkersChanged,
    hookimpl,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

PLAIN_EVERY = 10.0
LIVE_EVERY = 0.1
LEAST_FOR_A_BAR = 100
"""Columns of a terminal that have room for a bar beside the line."""


class Spent:
    """Calls of models in this session."""

    def __init__(self) -> None:
        self._calls = self._tokens = 0
        self._dollars: float | None = 0.0

    def add(self, event: CallFinished) -> None:
        if event.from_log:
            return
        self._calls += 1
        self._tokens += event.usage.prompt_tokens + event.usage.completion_tokens
        known = self._dollars is not None and (event.usage.dollars is not None or event.refused)
        self._dollars = (self._dollars or 0.0) + (event.usage.dollars or 0.0) if known else None

    def __str__(self) -> str:
        if not self._calls:
            return ""
        parts = (counted(self._calls, "call"), counted(self._tokens, "token"), price(self._dollars))
        return f"  {', '.join(filter(None, parts))}"


class Progress:
    """Observes a run like any plugin does."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._due = 0.0
        self._begun = time.monotonic()
        self._replayed = 0
        self._has_started = False
        self._limit: int | None = None
        self.commits = 0
        self.rejected = 0
        self._best = Best()
        self._spent = Spent()
        self.judged: FinalEvaluated | None = None

    def as_plugin(self) -> ActivePlugin:
        # No name that a plugin can have, so that none clashes with it.
        manifest = Manifest(name="progress", contract=CONTRACT, thread_safe=True)
        return ActivePlugin("evo run", self, manifest, "evograft")

    def __enter__(self) -> None:
        self._display.__enter__()

    def __exit__(self, *exc: object) -> None:
        self._display.__exit__(*exc)

    @hookimpl
    def observe(self, event: Event) -> None:
        if isinstance(event, TrialCommitted):
            self._count(event)
        elif isinstance(event, FinalEvaluated):
            self.judged = event
        elif isinstance(event, CallFinished):
            self._spent.add(event)
            if event.note:
                self._display.say(f"note: {event.note}")
        elif isinstance(event, RunStarted):
            self._started(event)
        elif isinstance(event, (ObserverFailed, WorkerFailed)):
            self._display.say(_describe_failure(event))
        elif isinstance(event, WorkersChanged):
            self._display.say(f"workers: {event.state or 'all is well again'}")
        elif isinstance(event, ControlApplied) and event.control.kind == "stop" and not event.replayed:
            self._display.say(f"stopping: {event.control.text}")
        elif isinstance(event, RunEnded) and self._has_started:
            self._display.say(self._line())

    def _started(self, event: RunStarted) -> None:
        self._has_started = True
        self._limit = event.pipeline["budget"]["trials"]
        going_on = f", resumed at trial {event.resumed_at}" if event.resumed_at else ""
        self._display.say(f"run {event.run} in {event.folder}, seed {event.pipeline['seed']}{going_on}")
        if event.pipeline["llm"]["driver"] == "manual":
            name = reference(Path(event.folder), runs=Path(load_settings().runs_dir))
            self._display.say(
                f"  prompts appear in {event.folder}/prompts; list and answer them with: evo answer {name}"
            )
        for note in event.notes:
            self._display.say(f"  note: {note}")
        for plugin, report in event.environment.items():
            for line in (*report.done, *report.errors):
                self._display.say(f"  {plugin}: {line}")

    def _count(self, event: TrialCommitted) -> None:
        trial = event.trial
        self.commits += 1
        self._replayed += event.replayed
        self.rejected += trial.evaluation.status == "rejected"
        self._best.see(trial)
        if trial.selection is None and trial.evaluation.reason and not event.replayed:
            self._display.say(f"seed program {trial.number} was {trial.evaluation.status}: {trial.evaluation.reason}")
        self._show()

    def _show(self) -> None:
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + (LIVE_EVERY if self._display.is_live else PLAIN_EVERY)
        if self._display.is_live:
            self._display.move(self._bar())
        elif now - self._begun > PLAIN_EVERY:
            self._display.say(self._line())

    def _line(self) -> str:
        of = f"/{self._limit}" if self._limit else ""
        best = "none yet" if self._best.score is None else f"{self._best.score:.6g}"
        return f"trial {self.commits}{of}  best {best}  rejected {self.rejected}  {self._rate()}{self._spent}"

    def _rate(self) -> str:
        rate = (self.commits - self._replayed) / max(time.monotonic() - self._begun, 1e-9)
        return pace(rate)

    def _bar(self) -> RenderableType:
        if self._display.width < LEAST_FOR_A_BAR:
            return self._line()
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        grid = Table.grid(padding=(0, 1))
        total = float(self._limit) if self._limit else None
        grid.add_row(ProgressBar(total=total, completed=self.commits, width=30), self._line())
        return grid


def _describe_failure(event: ObserverFailed | WorkerFailed) -> str:
    return f"trial {event.trial}: {event.reason}" if isinstance(event, WorkerFailed) else event.reason
