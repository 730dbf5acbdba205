"""The rules of the contests: nothing is searched by machine while a contest is on, or while nobody knows whether it is.

AtCoder forbids loops of generating and selecting during its contests; past problems are free.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from evograft_ahc.messages import Mistake
from evograft_ahc.past_contests import end_of
from evograft_ahc.practice_contests import is_practice
from evograft_ahc.task import EndSource
from evograft_ahc.workspace import Workspace

JAPAN = timezone(timedelta(hours=9))
"""The time zone that the site speaks of; it knows no summer time."""


@dataclass(frozen=True)
class ContestEnd:
    """That a contest is over, and where that is known from."""

    source: EndSource
    moment: datetime | None = None
    """`None` where it was only stated, and for contests to practise on."""


def require_over(workspace: Workspace) -> None:
    """Refuses to work on a contest that is not known to be over: called before anything is searched or evaluated.

    It needs no network and trusts the workspace's file no further than the packaged data does: an end that was
    edited there overrides no other one.

    Raises:
        Mistake: with the reason.
    """
    task = workspace.task
    settle_end(task.contest_id, task.end, stated=task.end_source == "stated")


def settle_end(contest_id: str, seen: datetime | None, *, stated: bool, brought: datetime | None = None) -> ContestEnd:
    """When a contest ended.

    Args:
        contest_id: as in the site's addresses.
        seen: the end by the contest's page, where it was read.
        stated: whether the user states that the contest is over, which counts where nothing else is known.
        brought: the end by a page that the user has brought. It can forbid, and allows nothing: who saves a page can
            edit it.

    Raises:
        Mistake: it goes on, or nobody knows.
    """
    if is_practice(contest_id):
        return ContestEnd("practice")
    by_page, packaged = seen or _remembered(contest_id), end_of(contest_id)
    # Sources that differ are no licence: the latest end holds.
    ahead = [each for each in (seen, brought, _remembered(contest_id), packaged) if each and each > datetime.now(UTC)]
    if ahead:
        raise _goes_on(contest_id, max(ahead))
    if by_page is not None:
        return ContestEnd("page", by_page)
    if packaged is not None:
        return ContestEnd("data", packaged)
    if stated:
        return ContestEnd("stated")
    raise _unknown(contest_id)


def remember_end(contest_id: str, moment: datetime) -> None:
    """Keeps what the contest's page said, so that later no statement stands against it when the page is out of reach."""
    # Where nothing can be kept, what was just seen is used all the same.
    with contextlib.suppress(OSError):
        file = _memory(contest_id)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(moment.isoformat(), encoding="utf-8")


def require_begun(contest_id: str, start: datetime | None) -> None:
    """Refuses a contest whose page says that it has not begun.

    Raises:
        Mistake: with the moment it begins.
    """
    if start is not None and start > datetime.now(UTC):
        begins = _in_japan(start)
        raise Mistake(
            f"contest {contest_id!r} has not begun: it starts at {begins} Japan time; come back when it is over",
            ja=f"コンテスト {contest_id!r} はまだ始まっていません (開始は日本時間 {begins})。終了後に実行してください",
        )


def _remembered(contest_id: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(_memory(contest_id).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return moment if moment.tzinfo else None


def _memory(contest_id: str) -> Path:
    import platformdirs

    return Path(platformdirs.user_state_dir("evograft")) / "ahc" / "ends" / contest_id.lower()


def _in_japan(moment: datetime) -> str:
    return moment.astimezone(JAPAN).strftime("%Y-%m-%d %H:%M")


def _goes_on(contest_id: str, end: datetime) -> Mistake:
    until = _in_japan(end)
    return Mistake(
        f"contest {contest_id!r} ends at {until} Japan time: AtCoder's rules forbid searching by machine before that, "
        "and nothing overrides it; come back then",
        ja=f"コンテスト {contest_id!r} の終了は {until} (日本時間) です。AtCoder のルールにより開催中の自動探索は禁止されており、"
        "この制限は解除できません。終了後に実行してください",
    )


def _unknown(contest_id: str) -> Mistake:
    return Mistake(
        f"nobody knows when contest {contest_id!r} ends: its page was not read and it is not among the packaged ones; if "
        "it is over, say so with: evo ahc init --contest-is-over",
        ja=f"コンテスト {contest_id!r} の終了時刻が分かりません (ページを読めず、同梱データにもありません)。終了しているなら "
        "evo ahc init に --contest-is-over を付けてください",
    )
