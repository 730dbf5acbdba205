"""Keeps a session's files up to date with the log of its run, through kills and resumes."""

from __future__ import annotations

import sys
import traceback
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

from evograft.pages import write_whole
from evograft.reading import reading
from evograft.rundir import RunFolder, open_run
from evograft_ahc.messages import Trouble
from evograft_ahc.records.agent_log import AgentLog
from evograft_ahc.records.entry import Level
from evograft_ahc.records.exporter import Exporter
from evograft_ahc.records.options import RecordOptions
from evograft_ahc.records.outputs import NoOutputs, Outputs
from evograft_ahc.records.results import results_row, save_row
from evograft_ahc.records.session import SessionRecord, Status, session_record
from evograft_ahc.workspace import Workspace
from evograft_hookspecs import (
    CallFinished,
    CommittedEvent,
    Event,
    ObserverFailed,
    RunEnded,
    RunStarted,
    WorkerFailed,
)

SESSION = "session.json"
STATUS: dict[Literal["complete", "interrupted", "failed"], Status] = {
    "complete": "completed",
    "interrupted": "stopped",
    "failed": "failed",
}


class Recorder:
    """An observer. Events only say when to look: what is written follows from the log, so a kill leaves no trace.

    `setup_env` makes it; `observe` hands it every event.

    Args:
        workspace: of the contest.
        options: of the records.
        problem_file: the statement that was read.
        outputs: where the programs' answers can be had.
    """

    def __init__(
        self, workspace: Workspace, options: RecordOptions, *, problem_file: str, outputs: Outputs | None = None
    ) -> None:
        self._workspace = workspace
        self._options = options
        self._problem_file = problem_file
        self._outputs = outputs or NoOutputs()
        self._session: OpenSession | None = None

    def see(self, event: Event) -> None:
        """Takes note of an event."""
        if isinstance(event, RunStarted):
            self._session = OpenSession(Path(event.folder), self._workspace, self._options, self._outputs)
        if self._session is None:
            return
        self._session.say(event)
        if isinstance(event, RunEnded):
            self._end(self._session, event)
        elif isinstance(event, CommittedEvent) and not event.replayed:
            self._session.exporter.catch_up()
            self._write(self._session, "running")

    def _write(self, session: OpenSession, status: Status, *, reason: str = "") -> SessionRecord:
        record = session_record(
            session.run,
            self._workspace,
            session.exporter.story,
            status=status,
            problem_file=self._problem_file,
            reason=reason,
        )
        write_whole(session.run.path / SESSION, f"{record.model_dump_json(indent=1)}\n".encode())
        return record

    def _end(self, session: OpenSession, event: RunEnded) -> None:
        self._session = None
        with session.closing:
            session.exporter.catch_up()
            reason = event.reason if event.outcome == "failed" else ""
            record = self._write(session, STATUS[event.outcome], reason=reason)
            save_row(self._workspace.results, results_row(session.run.name, record, session.run.pipeline))
            if not self._options.keep_session_files:
                session.exporter.candidates.remove()
            session.learn(self._workspace.task.contest_id)


class OpenSession:
    """What is open while a session is worked on."""

    def __init__(self, folder: Path, workspace: Workspace, options: RecordOptions, outputs: Outputs) -> None:
        self.run: RunFolder = open_run(folder)
        self._log = AgentLog(workspace.folder, options)
        with ExitStack() as stack:
            self._journal = journal = stack.enter_context(reading(folder))
            size = self.run.pipeline.generation_size
            self.exporter = Exporter(folder, journal, generation_size=size, options=options, outputs=outputs)
            stack.callback(self.exporter.close)
            self.closing = stack.pop_all()

    def learn(self, contest_id: str) -> None:
        """Keeps what the session has shown for later ones; a home that cannot be written to is no reason to fail."""
        from evograft_ahc.knowledge.gathering import gather
        from evograft_ahc.knowledge.store import knowledge_base

        try:
            with knowledge_base() as base:
                base.put(gather(self.run, self._journal, contest_id))
        except Trouble as err:
            self._log.say("WARNING", "nothing was learnt", session=self.run.name, reason=str(err))

    def say(self, event: Event) -> None:
        """Tells the application's log what happens once and is in no session's log."""
        name = self.run.name
        match event:
            case RunStarted():
                self._log.say("INFO", "session begins", session=name, candidates=event.resumed_at or 0)
            case RunEnded():
                level: Level = "CRITICAL" if event.outcome == "failed" else "INFO"
                # A failed run ends while its error is on its way out.
                trace = traceback.format_exc() if sys.exception() else ""
                self._log.say(level, "session ends", trace, session=name, outcome=event.outcome, reason=event.reason)
            case WorkerFailed() | ObserverFailed():
                self._log.say("ERROR", "something broke", session=name, reason=event.reason)
            case CallFinished(refused=str() as refused) if refused:
                self._log.say("WARNING", "no answer", session=name, model=event.model, reason=refused)
            case _:
                return
