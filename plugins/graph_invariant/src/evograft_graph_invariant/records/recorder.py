"""The recorder, which keeps an experiment's files up to date with its log through kills and resumes."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import singledispatchmethod
from pathlib import Path
from typing import TYPE_CHECKING

from evograft.api import RunFolder, open_journal, open_run, write_atomically
from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_graph_invariant.records.checkpoint import Checkpoint, Checkpoints, RngState, RunPlace
from evograft_graph_invariant.records.events import write_event_lines
from evograft_graph_invariant.records.experiment_log import ExperimentLog
from evograft_graph_invariant.records.history import GenerationHistory
from evograft_graph_invariant.records.line_file import LineFile
from evograft_graph_invariant.records.options import ExperimentRecordOptions
from evograft_graph_invariant.records.summary.fallbacks import list_fallbacks
from evograft_hookspecs import (
    CommittedEvent,
    Event,
    FinalEvaluated,
    Problem,
    ProblemAnalyzed,
    RunEnded,
    RunStarted,
    Trial,
    TrialCommitted,
)

if TYPE_CHECKING:
    from evograft_graph_invariant.run_context import RunContext

EVENTS = "events.jsonl"


def get_summary_name(phase: int) -> str:
    return f"phase{phase}_summary.json"


class NotRecorded(Exception):  # noqa: N818 - it says what became of the records
    """A file of the records could not be written."""


@dataclass
class Session:
    """The files that are open while a run is worked on."""

    run: RunFolder
    summary: Path
    log: ExperimentLog
    lines: LineFile
    checkpoints: Checkpoints
    closing: ExitStack

    @classmethod
    def of(cls, folder: Path, options: ExperimentRecordOptions) -> Session:
        artifacts = (folder / options.folder).resolve()
        run = open_run(folder)
        with ExitStack() as stack:
            journal = stack.enter_context(open_journal(folder))
            lines = LineFile(artifacts / EVENTS)
            stack.callback(lines.close)
            checkpoints = Checkpoints(artifacts, options.experiment_id, keep=options.keep)
            summary = artifacts / get_summary_name(options.phase)
            log = ExperimentLog(journal, run.pipeline)
            return cls(run, summary, log, lines, checkpoints, stack.pop_all())


class ExperimentRecorder:
    """An observer. All that it writes follows from the log, so after a kill it comes to the same files again.

    Args:
        options: where to, and how much.
        fallbacks: those of the run.
        context: gives the data and judges of a problem.
    """

    def __init__(
        self,
        options: ExperimentRecordOptions,
        fallbacks: FallbackOptions | None,
        context: Callable[[Problem], RunContext],
    ) -> None:
        self._options = options
        self._fallbacks = fallbacks
        self._run_context = context
        self._session: Session | None = None
        self._problem: Problem | None = None
        self._history: GenerationHistory | None = None
        self._judged: int | None = None
        self._unwritten: deque[Checkpoint] = deque(maxlen=options.keep)

    def see(self, event: Event) -> None:
        """Take note of an event.

        Raises:
            NotRecorded: the disk is full, or whatever else keeps files from being written.
        """
        try:
            self._note(event)
            if isinstance(event, RunEnded) or (isinstance(event, CommittedEvent) and not event.replayed):
                self._write_checkpoints()
            if isinstance(event, RunEnded):
                self._end(event)
        except OSError as err:
            raise NotRecorded(
                f"the records are incomplete ({err.strerror}): --resume writes them from the log"
            ) from err

    @singledispatchmethod
    def _note(self, event: Event) -> None:
        """Pass over the other events."""

    @_note.register
    def _(self, event: RunStarted) -> None:
        self._session = Session.of(Path(event.folder), self._options)

    @_note.register
    def _(self, event: ProblemAnalyzed) -> None:
        self._problem = event.problem
        assert self._session is not None, "a run starts before anything else"
        self._history = GenerationHistory(
            seeds=len(event.problem.seeds),
            generation_size=self._session.run.pipeline.generation_size,
            elites=self._options.elites,
        )

    @_note.register
    def _(self, event: TrialCommitted) -> None:
        session, history = self._session, self._history
        assert session is not None
        assert history is not None, "the problem comes before trials"
        trial = event.trial
        if not event.replayed:
            session.summary.unlink(missing_ok=True)  # of an earlier session, and out of date
        history.add(trial)
        calls = session.log.take(trial.number)
        generation = history.generation_of[trial.number]
        for line in write_event_lines(trial, calls, generation=generation):
            session.lines.put(line)
        if history.is_at_an_end:
            self._unwritten.append(self._checkpoint(session, history))

    @_note.register
    def _(self, event: FinalEvaluated) -> None:
        self._judged = event.trial

    def _checkpoint(self, session: Session, history: GenerationHistory) -> Checkpoint:
        return Checkpoint(
            experiment_id=self._options.experiment_id,
            phase=self._options.phase,
            generation=history.generations,
            early_stop_counter=history.idle_generations,
            rng_state=RngState(seed=session.run.pipeline.seed, trial=history.commits),
            islands=tuple(island.to_record() for island in history.islands_in_order()),
            fallbacks=Counter(each.kind for each in list_fallbacks(history, session.log, self._fallbacks)),
            run=RunPlace(id=session.run.id, folder=str(session.run.path), commits=history.commits),
        )

    def _write_checkpoints(self) -> None:
        """Write checkpoints. During a replay they only pile up: most of them would be removed at once."""
        while self._session is not None and self._unwritten:
            self._session.checkpoints.write(self._unwritten.popleft())

    def _end(self, event: RunEnded) -> None:
        session, self._session = self._session, None
        if session is None:
            return
        with session.closing:
            if self._problem is not None and self._history is not None:
                self._write_summary(session, self._problem, self._history, event)

    def _write_summary(self, session: Session, problem: Problem, history: GenerationHistory, ended: RunEnded) -> None:
        from evograft_graph_invariant.records.summary.builder import SummaryInputs, is_summarized, summarize

        judged = self._judged_trial(ended)
        if is_summarized(session.summary, session.run, history, judged=judged is not None):
            return
        inputs = SummaryInputs(session.run, self._options, self._fallbacks, problem, history, session.log)
        summary = summarize(inputs, self._run_context(problem), ended, judged)
        write_atomically(session.summary, summary.model_dump_json(indent=1).encode())

    def _judged_trial(self, ended: RunEnded) -> Trial | None:
        """Return the best candidate, if the newest final evaluation is of it."""
        return ended.best if ended.best and ended.best.number == self._judged else None
