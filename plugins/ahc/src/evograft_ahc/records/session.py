"""The record of a session, with the specified fields."""

from __future__ import annotations

import time
from typing import Literal

from evograft.api import RunFolder, Spending
from evograft_ahc.records.entry import format_utc
from evograft_ahc.records.session_history import BestScore, SessionHistory
from evograft_ahc.workspace.folder import Workspace
from evograft_hookspecs import FrozenDict, Value
from evograft_hookspecs.values import Json

Status = Literal["running", "completed", "stopped", "failed"]


class TokenCount(Value):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int

    @classmethod
    def of(cls, spent: Spending) -> TokenCount:
        tokens = {"prompt_tokens": spent.prompt_tokens, "completion_tokens": spent.completion_tokens}
        return cls(**tokens, total_tokens=spent.tokens)


class SessionRecord(Value):
    """A session."""

    session_id: str
    competition_id: str
    start_time: str | None
    end_time: str | None
    status: Status
    problem_file_path: str
    configuration_snapshot: FrozenDict[str, Json]
    """The resolved pipeline; keys are in none."""
    current_generation: int
    best_score_history: tuple[BestScore, ...]
    final_best_individual_id: str | None
    total_llm_tokens_used: TokenCount
    estimated_llm_cost_usd: float | None
    """`None`: the price of a model is unknown."""
    error_message: str | None


def build_session_record(
    run: RunFolder,
    workspace: Workspace,
    session_history: SessionHistory,
    *,
    status: Status,
    problem_file: str,
    reason: str = "",
) -> SessionRecord:
    """Build the record of how a session stands.

    Args:
        run: of the session.
        workspace: of the contest.
        session_history: what its log adds up to.
        status: whether it continues, and how it ended.
        problem_file: the statement that was read.
        reason: why it failed.
    """
    history = session_history.results.history
    return SessionRecord(
        session_id=run.id,
        competition_id=workspace.task.contest_id,
        start_time=None if session_history.started is None else format_utc(session_history.started),
        end_time=None
        if status == "running"
        else format_utc(time.time() if session_history.last is None else session_history.last),
        status=status,
        problem_file_path=problem_file,
        configuration_snapshot=FrozenDict(run.pipeline.to_data()),
        current_generation=session_history.generation,
        best_score_history=tuple(history),
        final_best_individual_id=history[-1].individual_id if history and status != "running" else None,
        total_llm_tokens_used=TokenCount.of(session_history.spent),
        estimated_llm_cost_usd=session_history.dollars,
        error_message=reason or None,
    )
