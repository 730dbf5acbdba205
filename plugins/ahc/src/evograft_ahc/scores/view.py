"""The record of scores as people look at it: all programs, and one of them in detail."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from evograft.api import did_you_mean
from evograft_ahc.scores.estimate import RankEstimate, open_rank_estimator
from evograft_ahc.scores.inputs import CaseGroup, Variables, group_cases, read_variables
from evograft_ahc.scores.record import open_score_record
from evograft_ahc.scores.sessions import record_sessions
from evograft_ahc.scores.table import ProgramResult, ScoreTable
from evograft_ahc.settings.model import ScoreSettings
from evograft_ahc.text.messages import ContestUserError
from evograft_ahc.text.validation_errors import suggest_in_japanese
from evograft_ahc.workspace.folder import Workspace


@dataclass(frozen=True)
class ScoreView:
    """What is shown of a record."""

    table: ScoreTable
    program: ProgramResult | None
    """That is shown in detail."""
    variables: Mapping[str, Variables]
    """Of the cases of that program whose inputs are there."""
    rank: RankEstimate | None

    @cached_property
    def groups(self) -> tuple[CaseGroup, ...]:
        return tuple(group_cases(self.variables))

    @cached_property
    def whole(self) -> Sequence[ProgramResult]:
        """The programs that were run on all cases that they were meant for."""
        return [program for program in self.table.programs if not program.is_pruned]

    def loss(self, case: str) -> float:
        """Return the share of the best score that the program lacks on a case."""
        if self.program is None or case not in self.table.best or case not in self.program.scores:
            return 0.0
        return 1 - self.table.relative_on(case, self.program.scores[case])

    def sum_loss(self, cases: Iterable[str]) -> float:
        """Return what the program loses over cases, in shares of the best."""
        return sum(map(self.loss, cases))

    @cached_property
    def lost(self) -> float:
        """What the program loses over all its cases."""
        return self.sum_loss(self.program.scores) if self.program else 0.0


def load_score_view(workspace: Workspace, settings: ScoreSettings, word: str | None = None) -> ScoreView:
    """Load the record of a workspace with all that its sessions have measured.

    Args:
        workspace: of the contest.
        settings: of the record.
        word: names the program that is shown in detail; `None`: that which was tested last.

    Raises:
        ContestUserError: there is no such program, or the settings do not fit the inputs.
    """
    with open_score_record(workspace) as record:
        record_sessions(workspace, record)
        table = ScoreTable(record.runs(), workspace.task.direction)
    program = table.latest if word is None else _get_program(table, word)
    scores = program.scores if program else {}
    estimator = open_rank_estimator(workspace, settings)
    return ScoreView(
        table=table,
        program=program,
        variables=read_variables(workspace, settings.input, list(scores)),
        rank=estimator.estimate(scores, table) if estimator else None,
    )


def _get_program(table: ScoreTable, word: str) -> ProgramResult:
    found = table.find_program(word)
    if found is None:
        labels = [each.label for each in table.programs]
        raise ContestUserError(
            f"no scores of a program {word!r}; {did_you_mean(word, labels)}",
            ja=f"プログラム {word!r} の得点はありません; {suggest_in_japanese(word, labels)}",
        )
    return found
