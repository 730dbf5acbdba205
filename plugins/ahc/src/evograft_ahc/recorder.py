"""Keeps a session's files up to date with the log of its run, through kills and resumes."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Literal

from evograft.api import UserError, write_atomically
from evograft_ahc.records.outputs import NoOutputs, ProgramOutputs
from evograft_ahc.records.results import build_results_row, save_row
from evograft_ahc.records.session import SessionRecord, Status, build_session_record
from evograft_ahc.records.session_observer import SessionObserver
from evograft_ahc.settings.records import SessionRecordOptions
from evograft_ahc.workspace.folder import Workspace
from evograft_hookspecs import CommittedEvent, Event, RunEnded, RunStarted

SESSION = "session.json"
STATUS: dict[Literal["complete", "interrupted", "failed"], Status] = {
    "complete": "completed",
    "interrupted": "stopped",
    "failed": "failed",
}


class SessionRecorder:
    """An observer. Events only say when to look: what is written follows from the log, so a kill leaves no trace.

    `setup_env` makes it; `observe` hands it every event.

    Args:
        workspace: of the contest.
        options: of the records.
        problem_file: the statement that was read.
        outputs: where the programs' answers can be had.
    """

    def __init__(
        self,
        workspace: Workspace,
        options: SessionRecordOptions,
        *,
        problem_file: str,
        outputs: ProgramOutputs | None = None,
    ) -> None:
        self._workspace = workspace
        self._options = options
        self._problem_file = problem_file
        self._outputs = outputs or NoOutputs()
        self._session: SessionObserver | None = None
        self._begun = time.time()

    def observe(self, event: Event) -> None:
        """Take note of an event."""
        if isinstance(event, RunStarted) or (isinstance(event, RunEnded) and self._session is None and event.folder):
            # A session whose analysis fails is told of its end only.
            folder = Path(event.folder)
            self._session = SessionObserver(folder, self._workspace, self._options, self._outputs, begun=self._begun)
        if self._session is None:
            return
        self._session.say(event)
        if isinstance(event, RunEnded):
            self._end(self._session, event)
        elif isinstance(event, CommittedEvent) and not event.replayed:
            self._session.exporter.catch_up()
            self._session.watch()
            self._write(self._session, "running")

    def _write(self, session: SessionObserver, status: Status, *, reason: str = "") -> SessionRecord:
        record = build_session_record(
            session.run,
            self._workspace,
            session.exporter.session_history,
            status=status,
            problem_file=self._problem_file,
            reason=reason,
        )
        write_atomically(session.run.path / SESSION, f"{record.model_dump_json(indent=1)}\n".encode())
        return record

    def _end(self, session: SessionObserver, event: RunEnded) -> None:
        self._session = None
        with session.closing:
            if isinstance(sys.exception(), UserError) and not session.has_content:
                return  # of a start that was asked for wrongly the engine keeps nothing
            session.exporter.catch_up()
            session.exporter.tell_waiting()
            if event.outcome == "failed":
                session.exporter.tell_failure(event.reason)
            reason = event.reason if event.outcome == "failed" else ""
            record = self._write(session, STATUS[event.outcome], reason=reason)
            models = session.exporter.session_history.models
            save_row(
                self._workspace.results,
                build_results_row(session.run.name, record, session.run.pipeline, models=models),
            )
            if not self._options.keep_session_files:
                session.exporter.candidates.remove()
            session.learn(self._workspace.task.contest_id)
