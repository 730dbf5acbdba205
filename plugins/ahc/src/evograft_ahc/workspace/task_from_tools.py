"""The task of a workspace, from what the user states, the packaged data knows, and the statement and tools tell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from evograft_ahc.contests.past import Contest
from evograft_ahc.contests.statement.facts import StatementLimits, find_direction, find_limits, find_score_kind
from evograft_ahc.contests.statement.pages import ContestPage
from evograft_ahc.contests.task import ContestFormat, ContestTask, Direction, ScoreKind
from evograft_ahc.text.messages import ContestUserError, Language
from evograft_ahc.workspace.end_check import ContestEnd
from evograft_ahc.workspace.folder import Workspace
from evograft_ahc.workspace.overrides import UserOverrides
from evograft_ahc.workspace.tools.detection import detect_tools

MEMORY_MB = 1024
"""The site's usual limit, where the statement names none."""
SECTION = re.compile(r"(?i)story|problem( statement)?|statement|ストーリー|問題文?")
"""A statement that begins with such a heading has no title."""
LONG = timedelta(hours=24)
"""Contests that last this long count as long ones: of those that are known, short ones took six hours at most."""
KINDS: Mapping[str, ScoreKind] = {
    "absolute_sum": "absolute_sum",
    "relative_min_over_yours": "relative",
    "relative_yours_over_max": "relative",
    "rank_per_case": "rank",
}


@dataclass(frozen=True)
class TaskFacts:
    """What is known of a task without its tools."""

    title: str
    direction: Direction
    score_kind: ScoreKind
    format: ContestFormat | None
    time_limit_seconds: float
    memory_limit_mb: int


def find_facts(
    statements: Mapping[Language, str], page: ContestPage, overrides: UserOverrides, known: Contest
) -> TaskFacts:
    """Put together what the user states, the packaged data knows and the statement tells.

    Raises:
        ContestUserError: a fact is missing that the user can state.
    """
    texts = tuple(statements.values())
    limits = _limits(texts)
    return TaskFacts(
        title=_title(texts, known, page),
        direction=overrides.direction or known.score_direction or _direction(texts),
        score_kind=overrides.score_kind or KINDS.get(known.score_kind or "") or _score_kind(texts),
        format=overrides.format or _format(_length(page)) or known.format,
        time_limit_seconds=_time_limit(overrides, limits, known),
        memory_limit_mb=limits.megabytes or MEMORY_MB,
    )


def build_task(
    workspace: Workspace, statements: Mapping[Language, str], facts: TaskFacts, end: ContestEnd
) -> ContestTask:
    """Return the task of a workspace whose tools are built."""
    tools = detect_tools(workspace.tools, tuple(statements.values()))
    return ContestTask(
        contest_id=workspace.folder.name,
        **vars(facts),
        interactive=tools.interactive,
        end=end.moment,
        end_source=end.source,
        scorer=tools.scorer,
        generator=tools.generator,
        visualizer=tools.visualizer,
    )


def _limits(texts: tuple[str, ...]) -> StatementLimits:
    """Return the first limit of each kind that a statement names."""
    limits = [find_limits(text) for text in texts]
    seconds = next((each.seconds for each in limits if each.seconds), None)
    megabytes = next((each.megabytes for each in limits if each.megabytes), None)
    return StatementLimits(seconds, megabytes)


def _title(texts: tuple[str, ...], known: Contest, page: ContestPage) -> str:
    headings = (hit[1].strip() for text in texts if (hit := re.match(r"# +(.+)", text)))
    found = next((heading for heading in headings if not SECTION.fullmatch(heading)), "")
    return found or known.problem_title or page.title or known.contest_id


def _format(length: timedelta | None) -> ContestFormat | None:
    if length is None:
        return None
    return "long" if length >= LONG else "short"


def _length(page: ContestPage) -> timedelta | None:
    return page.end - page.start if page.start and page.end else None


def _direction(texts: tuple[str, ...]) -> Direction:
    told = {direction for text in texts if (direction := find_direction(text))}
    if len(told) == 1:
        return told.pop()
    raise ContestUserError(
        "the statement does not say clearly whether more or less is better; say so with: --direction max|min",
        ja="問題文からスコアの向きを判定できません。--direction max|min で指定してください",
    )


def _score_kind(texts: tuple[str, ...]) -> ScoreKind:
    found = next((kind for text in texts if (kind := find_score_kind(text))), None)
    if found:
        return found
    raise ContestUserError(
        "the statement does not say clearly how cases make a score; say so with: "
        "--score-kind absolute_sum|absolute_mean|relative|rank",
        ja="問題文から採点方式を判定できません。--score-kind absolute_sum|absolute_mean|relative|rank "
        "で指定してください",
    )


def _time_limit(overrides: UserOverrides, limits: StatementLimits, known: Contest) -> float:
    found = overrides.time_limit_seconds or limits.seconds or known.time_limit_seconds
    if found:
        return found
    raise ContestUserError(
        "the statement names no time limit; say it with: --case-time-limit SECONDS",
        ja="問題文に実行時間制限がありません。--case-time-limit 秒数 で指定してください",
    )
