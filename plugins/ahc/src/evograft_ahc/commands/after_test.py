"""What becomes of a test: the record of scores, files to look at, an estimated rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evograft_ahc.commands.judge_setup import JudgingCommand, show_progress

if TYPE_CHECKING:
    from evograft_ahc.judging.outcome import CaseOutcome
    from evograft_ahc.judging.program import CompiledProgram
    from evograft_ahc.judging.source_file import SourceFile
    from evograft_ahc.records.printed_files import PrintedFiles
    from evograft_ahc.scores.estimate import RankEstimate, RankEstimator


def record_test(judging: JudgingCommand, tested: SourceFile, outcomes: Sequence[CaseOutcome], comment: str) -> None:
    """Put a test into the record of scores."""
    from evograft_ahc.scores.record import open_score_record
    from evograft_ahc.scores.tests import build_tested_run

    run = build_tested_run(tested, outcomes, comment)
    if run.scores:
        with open_score_record(judging.workspace) as record:
            record.put(run)


def open_estimator(judging: JudgingCommand) -> RankEstimator | None:
    """Return the estimator of ranks; `None`: the settings name no standings.

    Raises:
        ContestUserError: the file is not there, or not in order.
    """
    from evograft_ahc.scores.estimate import open_rank_estimator
    from evograft_ahc.settings.model import load_settings

    return open_rank_estimator(judging.workspace, load_settings(judging.workspace).values.scores)


def estimate_tested_rank(
    judging: JudgingCommand, estimator: RankEstimator | None, outcomes: Sequence[CaseOutcome]
) -> RankEstimate | None:
    """Return where the program would stand; `None`: there is no estimator, or its scores do not say it."""
    from evograft_ahc.scores.record import open_score_record
    from evograft_ahc.scores.table import ScoreTable

    if estimator is None:
        return None
    with open_score_record(judging.workspace) as record:
        table = ScoreTable(record.runs(), judging.workspace.task.direction)
    scores = {outcome.case: outcome.score for outcome in outcomes if outcome.kind != "tester"}
    return estimator.estimate(scores, table)


def write_files(
    judging: JudgingCommand, program: CompiledProgram, outcomes: Sequence[CaseOutcome], name: str
) -> PrintedFiles:
    """Write what the program printed on each case, and pictures."""
    from evograft_ahc.records.printed_files import FOLDER, PrintedFiles

    files = PrintedFiles(judging.workspace.folder / FOLDER / name, judging.draw)
    for outcome in show_progress(outcomes, FOLDER, len(outcomes)):
        output, stderr = judging.judge.printed_by(program.key, outcome.case)
        if output is None:
            files.remove(outcome.case)
        else:
            files.write(outcome.case, output, stderr or b"")
    return files
