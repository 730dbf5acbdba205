"""The rules of the contests: nothing is searched by machine while a contest is on, or while nobody knows whether it is.

AtCoder forbids loops of generating and selecting during its contests; past problems are free. A person may take part in
a
contest that is on: its workspace is made, and programs are judged by hand.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from evograft.api import write_atomically
from evograft_ahc.contests.past import find_end
from evograft_ahc.contests.practice import is_practice
from evograft_ahc.contests.task import EndSource
from evograft_ahc.text.messages import ContestUserError
from evograft_ahc.workspace.end_record import find_end_record, load_ended_contests
from evograft_ahc.workspace.folder import TASK_FILE, Workspace, find_workspace
from evograft_ahc.workspace.from_practice import is_as_packaged
from evograft_ahc.workspace.known_material import find_material

OFFICIAL = "atcoder.jp"
"""The host of the contest site."""
BROUGHT = "brought page"
"""Stands for a host where the page was brought by the user; no host has a space in its name."""
ONGOING: EndSource = "ongoing"
JAPAN = timezone(timedelta(hours=9))
"""The time zone that the site speaks of; it knows no summer time."""


@dataclass(frozen=True)
class ContestEnd:
    """When a contest ends or ended, and where that is known from."""

    source: EndSource
    moment: datetime | None = None
    """`None` where it was only stated, and for contests to practise on."""

    @property
    def is_ahead(self) -> bool:
        return self.source == ONGOING


def require_over(workspace: Workspace, statement: Path | None = None) -> None:
    """Refuse to search in a contest that is not known to be over.

    It is called before anything is searched or a model asked.

    It needs no network. What the workspace's file says of the end can forbid, and allows nothing: that does what `init`
    found out about a contest of this id, statement, tools and calls, or that they are those of a contest to practise
    on.

    Args:
        workspace: of the contest.
        statement: the one that is read: the contests that it leads to, and that of the workspace that it lies in, must
            be known to be over as well.

    Raises:
        ContestUserError: with the reason.
    """
    task = workspace.task
    for material in find_material(workspace, statement):
        _require_none_ahead(material.contest_id, material.end)
    for tool in filter(None, (task.scorer, task.generator, task.visualizer)):
        workspace.program(tool)
    if statement is not None:
        _require_all_over(task.contest_id, statement)
        _require_not_on_there(statement)
    if is_practice(task.contest_id):
        if not is_as_packaged(workspace):
            raise _no_practice(workspace)
        return
    end_record = find_end_record(workspace)
    known = _known_ends(task.contest_id, *(end_record.contests if end_record else ()))
    _require_none_ahead(task.contest_id, task.end, *known)
    if end_record is None:
        raise _not_cleared(workspace)


def settle_end(
    contest_id: str, seen: datetime | None, *, stated: bool, brought: datetime | None = None, host: str = OFFICIAL
) -> ContestEnd:
    """When a contest ended, or that it is on.

    Args:
        contest_id: as in the site's addresses.
        seen: the end by the contest's page, where it was read.
        stated: whether the user states that the contest is over, which counts where nothing else is known.
        brought: the latest end by what the user has brought or has in the workspace. It can forbid, and allows
            nothing: who saves a page can edit it.
        host: of the site that is asked. What the pages of others once said can forbid, and allows nothing.

    Raises:
        ContestUserError: nobody knows.
    """
    if is_practice(contest_id):
        return ContestEnd("practice")
    # Sources that differ are no licence: the latest end holds.
    if ahead := find_latest_ahead(seen, brought, *_known_ends(contest_id)):
        return ContestEnd(ONGOING, ahead)
    if by_page := seen or _remembered(_memory(contest_id, host)):
        return ContestEnd("page", by_page)
    if packaged := find_end(contest_id):
        return ContestEnd("data", packaged)
    if stated:
        return ContestEnd("stated")
    raise _unknown(contest_id)


def remember_end(contest_id: str, moment: datetime, *, host: str = OFFICIAL) -> None:
    """Store what the contest's page said.

    Later no statement stands against it when the page is out of reach.

    A site may correct itself; none corrects another one.
    """
    # Where nothing can be kept, what was just seen is used all the same.
    with contextlib.suppress(OSError):
        write_atomically(_memory(contest_id, host), moment.isoformat().encode())


def remember_brought_end(contest_id: str, moment: datetime) -> None:
    """Store an end that lies ahead by a page that the user has brought; no page that is brought later shortens it."""
    if latest := find_latest_ahead(moment, _remembered(_memory(contest_id, BROUGHT))):
        remember_end(contest_id, latest, host=BROUGHT)


def is_remembered(moment: datetime, *contest_ids: str) -> bool:
    """Return whether a page, or the packaged data, has told of this end of one of the contests."""
    return moment in _known_ends(*contest_ids)


def require_begun(contest_id: str, start: datetime | None) -> None:
    """Refuse a contest whose page says that it has not begun.

    Raises:
        ContestUserError: with the moment it begins.
    """
    if start is not None and start > datetime.now(UTC):
        begins = format_japan_time(start)
        raise ContestUserError(
            f"contest {contest_id!r} has not begun: it starts at {begins} Japan time; come back then",
            ja=f"コンテスト {contest_id!r} はまだ始まっていません (開始は日本時間 {begins})。開始後に実行してください",
        )


def _require_all_over(contest_id: str, statement: Path) -> None:
    from evograft_ahc.contests.statement.reader import find_contests, read_saved_page

    found = find_contests(statement)
    _require_none_ahead(next(iter(found), contest_id), read_saved_page(statement).end)
    for each in found:
        _require_none_ahead(each, *_known_ends(each))
    for each in found:
        if not _is_known_over(each):
            raise _unknown_in(statement, each)


def _require_not_on_there(statement: Path) -> None:
    """Refuse a statement in the workspace of a contest that is on, which says so itself."""
    folder = statement.resolve().parent
    if not any((each / TASK_FILE).is_file() for each in (folder, *folder.parents)):
        return
    there = find_workspace(folder)
    _require_none_ahead(there.task.contest_id, there.task.end)
    if there.task.end_source == ONGOING:
        raise _not_cleared(there)


def _is_known_over(contest_id: str) -> bool:
    """Return whether the official page, the packaged data or an `init` has told of an end; none lies ahead."""
    if is_practice(contest_id) or find_end(contest_id) or _remembered(_memory(contest_id, OFFICIAL)):
        return True
    return contest_id.lower() in load_ended_contests()


def format_japan_time(moment: datetime) -> str:
    """Return a moment as the site shows it."""
    return moment.astimezone(JAPAN).strftime("%Y-%m-%d %H:%M")


def _require_none_ahead(contest_id: str, *ends: datetime | None) -> None:
    if ahead := find_latest_ahead(*ends):
        raise _goes_on(contest_id, ahead)


def find_latest_ahead(*ends: datetime | None) -> datetime | None:
    """Return the latest of those that are known and lie ahead; `None`: none does."""
    now = datetime.now(UTC)
    return max((end for end in ends if end and end > now), default=None)


def _known_ends(*contest_ids: str) -> Iterator[datetime | None]:
    """Yield what the packaged data and the pages of all sites have said."""
    for each in contest_ids:
        yield find_end(each)
        yield from map(_remembered, _ends().glob(f"*/{each.lower()}"))


def _remembered(file: Path) -> datetime | None:
    try:
        moment = datetime.fromisoformat(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return moment if moment.tzinfo else None


def _memory(contest_id: str, host: str) -> Path:
    return _ends() / host / contest_id.lower()


def _ends() -> Path:
    from evograft.api import user_folder

    return user_folder("state") / "ahc" / "ends"


def _goes_on(contest_id: str, end: datetime) -> ContestUserError:
    until = format_japan_time(end)
    return ContestUserError(
        f"contest {contest_id!r} ends at {until} Japan time: AtCoder's rules forbid searching by machine before that, "
        "and nothing overrides it; come back then; your own programs are judged with: evo ahc test, evo ahc compare",
        ja=f"コンテスト {contest_id!r} の終了は {until} (日本時間) です。AtCoder "
        "のルールにより開催中の自動探索は禁止されており、"
        "この制限は解除できません。終了後に実行してください。自分のプログラムの採点には evo ahc test と evo ahc "
        "compare を使えます",
    )


def _unknown(contest_id: str) -> ContestUserError:
    return ContestUserError(
        f"nobody knows when contest {contest_id!r} ends: its page was not read and it is not among the packaged "
        "ones; if "
        "it is over, say so with: evo ahc init --contest-is-over",
        ja=f"コンテスト {contest_id!r} の終了時刻が分かりません (ページを読めず、同梱データにもありません)。"
        "終了しているなら "
        "evo ahc init に --contest-is-over を付けてください",
    )


def _unknown_in(statement: Path, contest_id: str) -> ContestUserError:
    return ContestUserError(
        f"the statement {str(statement)!r} leads to contest {contest_id!r}, and nobody knows when that ends: look "
        "it up with: "
        f"evo ahc init {contest_id}; where its page tells no end and it is over, say so there with: --contest-is-over",
        ja=f"問題文 {str(statement)!r} はコンテスト {contest_id!r} にリンクしていますが、"
        "その終了時刻が分かりません。確認するには: "
        f"evo ahc init {contest_id}。ページからも分からず、終了しているなら --contest-is-over を付けてください",
    )


def _not_cleared(workspace: Workspace) -> ContestUserError:
    contest_id, again = workspace.task.contest_id, _again(workspace)
    return ContestUserError(
        f"nothing shows that {str(workspace.folder)!r} is of contest {contest_id!r} and that it is over: when init "
        "saw it on "
        "this machine it was still on, or its statement, its tools or how task.json calls them have changed since "
        "then; check it anew "
        f"with: {again}",
        ja=f"{str(workspace.folder)!r} がコンテスト {contest_id!r} のもので、終了済みであることを確認できません "
        "(このマシンで init が確認した"
        "ときは開催中だったか、その後に問題文、ツール、または task.json での呼び出し方が変わっています)。"
        f"再確認するには: {again}",
    )


def _no_practice(workspace: Workspace) -> ContestUserError:
    contest_id, again = workspace.task.contest_id, _again(workspace)
    return ContestUserError(
        f"{str(workspace.folder)!r} is not as {contest_id!r} is packaged: its statement, its tools or how task.json "
        "calls "
        f"them were changed, and only contests to practise on are always free; remove what was changed, then: {again}",
        ja=f"{str(workspace.folder)!r} は同梱の {contest_id!r} と異なります (問題文、ツール、または task.json "
        "での呼び出し方が変更されています)。"
        f"いつでも使えるのは練習用コンテストだけです。変更したファイルを削除してから: {again}",
    )


def _again(workspace: Workspace) -> str:
    return f"evo ahc init {workspace.task.contest_id} --workspace-root {workspace.folder.parent}"
