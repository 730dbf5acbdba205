"""What is open while a session is worked on."""

from __future__ import annotations

import sys
import traceback
from contextlib import ExitStack
from pathlib import Path

from evograft.api import CompletedCall, FailedCharge, Finished, open_journal, open_run, send_message
from evograft_ahc.records.agent_log import AgentLog
from evograft_ahc.records.entry import Level
from evograft_ahc.records.exporter import SessionExporter
from evograft_ahc.records.machine import measure_machine
from evograft_ahc.records.outputs import ProgramOutputs
from evograft_ahc.settings.records import SessionRecordOptions
from evograft_ahc.text.messages import ContestServiceError
from evograft_ahc.workspace.folder import Workspace
from evograft_hookspecs import CallFinished, Event, ObserverFailed, RunEnded, WorkerFailed


class SessionObserver:
    """Of one session, in the process that works on it.

    Args:
        folder: of the session.
        workspace: of the contest.
        options: of the records.
        outputs: where the programs' answers can be had.
        begun: Unix time at which this process began to work on it.
    """

    def __init__(
        self,
        folder: Path,
        workspace: Workspace,
        options: SessionRecordOptions,
        outputs: ProgramOutputs,
        *,
        begun: float,
    ) -> None:
        self.run = open_run(folder)
        self._log = AgentLog(workspace.folder, options)
        with ExitStack() as stack:
            self._journal = journal = stack.enter_context(open_journal(folder))
            self.exporter = SessionExporter(self.run, journal, options=options, outputs=outputs)
            stack.callback(self.exporter.close)
            self.closing = stack.pop_all()
        self._watched = 0
        self._is_stopping = False
        self._log.say(
            "INFO", "session begins", at=begun, session=self.run.name, candidates=len(journal.finished_trials())
        )

    @property
    def has_content(self) -> bool:
        """Whether it asked or tried anything."""
        paid_or_tried = (CompletedCall, FailedCharge, Finished)
        return any(isinstance(record, paid_or_tried) for record in self._journal.records())

    def watch(self) -> None:
        """Look at the machine: report its state once a generation, and stop a session whose disk is full."""
        machine = measure_machine(self.run.path)
        generation = self.exporter.session_history.generation
        if generation > self._watched:
            self._watched = generation
            level: Level = "WARNING" if machine.is_short else "INFO"
            self._log.say(level, "machine", session=self.run.name, generation=generation, **vars(machine))
        if machine.is_full and not self._is_stopping:
            self._is_stopping = True
            said = (
                f"only {machine.free_disk_mb} MB are left on the disk of {str(self.run.path)!r}: make room, then go on"
            )
            self._log.say("ERROR", "disk full", session=self.run.name, reason=said)
            send_message(self.run.path, "stop", said)

    def learn(self, contest_id: str) -> None:
        """Store what the session has shown for later ones; a home that cannot be written to is no reason to fail."""
        from evograft_ahc.knowledge.collection import collect_lessons
        from evograft_ahc.knowledge.store import open_knowledge_base

        try:
            with open_knowledge_base() as base:
                base.put(collect_lessons(self.run, self._journal, contest_id))
        except ContestServiceError as err:
            self._log.say("WARNING", "nothing was learnt", session=self.run.name, reason=str(err))

    def say(self, event: Event) -> None:
        """Write to the application's log what happens once and is in no session's log."""
        name = self.run.name
        match event:
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
