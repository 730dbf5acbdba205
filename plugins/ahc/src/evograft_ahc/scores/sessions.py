"""Sessions as runs of the record, read from their logs whenever these have grown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evograft.api import FinalEvaluation, Finished, open_journal, open_run
from evograft_ahc.records.session_history import SessionHistory
from evograft_ahc.scores.record import ScoreRecord
from evograft_ahc.scores.run import ScoredRun, hash_program
from evograft_ahc.scoring.evaluation import find_failures
from evograft_ahc.sessions.locations import get_last_written, list_sessions
from evograft_ahc.workspace.folder import Workspace


def record_sessions(workspace: Workspace, record: ScoreRecord) -> None:
    """Record what the sessions of a workspace have measured since the last time."""
    for folder in list_sessions(workspace):
        session, stamp = open_run(folder).id, get_last_written(folder)
        if record.find_stamp(session) != stamp:
            record.put(*_read_runs(folder, session))
            record.put_stamp(session, stamp)


def _read_runs(folder: Path, session: str) -> Iterator[ScoredRun]:
    """Yield the candidates that were run, and the final judgements, which are about other cases."""
    run = open_run(folder)
    trials: dict[int, Finished] = {}
    with open_journal(folder) as journal:
        history = SessionHistory(journal, run.pipeline)
        for logged in history.read_on():
            match logged.record:
                case Finished() as finished:
                    trials[finished.trial.number] = finished
                    judged, suffix = finished.trial.evaluation, ""
                case FinalEvaluation() as final if final.trial in trials:
                    finished, judged, suffix = trials[final.trial], final.evaluation, f"/final{final.commits}"
                case _:
                    continue
            individual = history.naming.place(finished.trial.number).individual
            if (judged.cases or find_failures(judged)) and finished.trial.candidate is not None:
                yield ScoredRun(
                    key=f"{session}/{individual}{suffix}",
                    source="session",
                    name=f"{run.name}/{individual}",
                    at=finished.at,
                    scores={**judged.cases, **dict.fromkeys(find_failures(judged))},
                    program=hash_program(finished.trial.candidate.source),
                    is_pruned=judged.status == "pruned",
                )
