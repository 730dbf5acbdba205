"""The files of a session, written from its log as that grows; after a kill, once more from its beginning."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable

from evograft.api import (
    Commit,
    CompletedCall,
    FailedCharge,
    FinalEvaluation,
    Finished,
    Journal,
    LoggedRecord,
    Record,
    RunFolder,
    write_atomically,
)
from evograft_ahc.records import entries
from evograft_ahc.records.candidate_files import CandidateFiles
from evograft_ahc.records.entry import SessionLogEntry
from evograft_ahc.records.outputs import ProgramOutputs
from evograft_ahc.records.session_history import SessionHistory
from evograft_ahc.records.session_log import SessionLog
from evograft_ahc.settings.records import SessionRecordOptions
from evograft_hookspecs import Control, Problem
from evograft_hookspecs.values import thaw

BEST = "best_solution.cpp"
ANALYSIS = "analysis.json"


class SessionExporter:
    """Follows the log of one session.

    Args:
        run: of the session.
        journal: its log, opened for reading.
        options: of the records.
        outputs: where the programs' answers can be had.
    """

    def __init__(
        self,
        run: RunFolder,
        journal: Journal,
        *,
        options: SessionRecordOptions,
        outputs: ProgramOutputs,
    ) -> None:
        self._folder = run.path
        self._journal = journal
        self._prompts = options.logging.prompts
        self._temperatures: dict[int | None, float | None] = {}
        self._log = SessionLog(run.path, options)
        self.session_history = SessionHistory(journal, run.pipeline)
        self.candidates = CandidateFiles(run.path, outputs)

    def catch_up(self) -> None:
        """Write what the log says since the last time."""
        before = self.session_history.best
        for logged in self.session_history.read_on():
            entry = self._entry(logged)
            if entry is not None:
                self._log.put(entry)
            self._log_commits(logged.commits)
            self._write_files(logged.record)
        self._log.flush()
        best = self.session_history.best
        if best is not None and best is not before and best.candidate is not None:
            write_atomically(self._folder / BEST, best.candidate.source.encode())

    def tell_waiting(self) -> None:
        """Write down the candidates that wait for an earlier one, which only a resumed session would finish."""
        self._log_commits(self.session_history.waiting())
        self._log.flush()

    def tell_failure(self, reason: str) -> None:
        """Write down what ended the session; the line goes when the session is resumed."""
        self._log.put(entries.build_failure_entry(reason, time.time()))
        self._log.flush()

    def close(self) -> None:
        self._log.close()

    def _write_files(self, record: Record) -> None:
        if isinstance(record, Finished):
            temperature = self._temperatures.pop(record.trial.number, None)
            self.candidates.write(record, self.session_history.naming, temperature=temperature)
        elif isinstance(record, Problem):
            # Next to that of the statement there is more in it: strategies, references, the library.
            text = json.dumps(thaw(record.analysis.get("statement", {})), indent=1, ensure_ascii=False)
            write_atomically(self._folder / ANALYSIS, f"{text}\n".encode())

    def _log_commits(self, commits: Iterable[Commit]) -> None:
        for each in commits:
            naming = self.session_history.naming
            self._log.put(entries.build_trial_entry(each.finished, naming, is_best=each.is_best))

    def _entry(self, logged: LoggedRecord) -> SessionLogEntry | None:
        """Return the line of a row; the header and results of tools have none, and trials when they are committed."""
        match record := logged.record:
            case CompletedCall():
                request, answer, _ = self._journal.exchange(logged.place)
                self._temperatures[record.trial] = request.temperature
                return entries.build_call_entry(record, request, answer, prompts=self._prompts)
            case FailedCharge():
                return entries.build_charge_entry(record)
            case _:
                return self._timeless_entry(record)

    def _timeless_entry(self, record: Record) -> SessionLogEntry | None:
        """Build the entry of a row without a time: it has that of the one before."""
        now = self.session_history.last or 0.0
        match record:
            case Problem():
                return entries.build_problem_entry(record, now)
            case Control():
                return entries.build_control_entry(record, now)
            case FinalEvaluation():
                return entries.build_final_entry(record, self.session_history.naming, now)
            case _:
                return None
