"""The contest site's addresses, and what to bring by hand where one of them fails."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from evograft.api import ensure_cache_folder
from evograft_ahc.contests.atcoder.client import ARCHIVE, CONTEST_PAGE, PAGE, FetchKind, PoliteClient
from evograft_ahc.contests.atcoder.errors import FetchFailed, PageMissing, RetryableFailure
from evograft_ahc.contests.past import load_packaged_contests
from evograft_ahc.contests.statement.pages import ContestPage, TaskPage, find_task_links, read_contest, read_tasks
from evograft_ahc.text.messages import ContestServiceError, ContestUserError
from evograft_ahc.text.validation_errors import suggest_in_japanese


class UnknownContestError(ContestUserError):
    """The site knows no contest of this id."""


class Site:
    """What a workspace is made from.

    Args:
        home: the site's address.
        client: fetches.
    """

    def __init__(self, home: str, client: PoliteClient) -> None:
        self._home = home.rstrip("/")
        self._client = client

    @property
    def host(self) -> str:
        return urlsplit(self._home).netloc.lower()

    def contest_url(self, contest_id: str) -> str:
        return f"{self._home}/contests/{contest_id}"

    def tasks_url(self, contest_id: str) -> str:
        return f"{self.contest_url(contest_id)}/tasks"

    def contest(self, contest_id: str) -> ContestPage:
        """When a contest begins and ends.

        Raises:
            UnknownContestError: the site has no page of this name.
            ContestServiceError: the page can't be read.
        """
        url = self.contest_url(contest_id)
        try:
            return read_contest(self._text(url, CONTEST_PAGE))
        except PageMissing as err:
            raise _no_such_contest(contest_id) from err
        except FetchFailed as err:
            raise ContestServiceError(f"{url} can't be read: {err}", ja=f"{url} を読めません: {err.ja}") from err

    def tasks(self, contest_id: str) -> tuple[TaskPage, ...]:
        """Return the statements of a contest: from the page of all, else task by task."""
        whole = f"{self.tasks_url(contest_id)}_print"
        try:
            found = self._tasks_at(whole) or self._tasks_one_by_one(contest_id)
        except FetchFailed as err:
            try:
                found = self._tasks_one_by_one(contest_id)
            except FetchFailed:
                raise _no_statement(whole, err, err.ja) from err
        if not found:
            raise _no_statement(whole, "it holds no statement", "問題文がありません")
        return found

    def archive(self, url: str) -> Path:
        """Fetch an archive, and return where it is.

        Raises:
            ContestUserError: the user can bring the file; `ContestServiceError` where it may also come later.
        """
        try:
            return self._archive(url)
        except FetchFailed as err:
            said = f"the tools at {url} can't be fetched: {err}; download them and give the file with: --tools ZIP"
            ja = f"{url} のツールを取得できません: {err.ja}。手元にダウンロードして --tools ZIP で指定してください"
            raise (
                ContestServiceError(said, ja=ja) if isinstance(err, RetryableFailure) else ContestUserError(said, ja=ja)
            ) from err

    def _archive(self, url: str) -> Path:
        kept = self._client.fetch(url, ARCHIVE)
        if not zipfile.is_zipfile(kept):
            kept.unlink()  # the next attempt is to ask the site
            raise FetchFailed("it is no ZIP archive", "ZIP アーカイブではありません")
        return kept

    def _tasks_one_by_one(self, contest_id: str) -> tuple[TaskPage, ...]:
        listed = find_task_links(self._text(self.tasks_url(contest_id), PAGE), contest_id)
        return tuple(task for path in listed for task in self._tasks_at(f"{self._home}{path}"))

    def _tasks_at(self, url: str) -> tuple[TaskPage, ...]:
        return read_tasks(self._text(url, PAGE), url)

    def _text(self, url: str, kind: FetchKind) -> str:
        return self._client.fetch(url, kind).read_text(encoding="utf-8", errors="replace")


@contextmanager
def open_site(home: str) -> Iterator[Site]:
    """Open the site at an address, with a cache in the user's folder; nothing is fetched until it is asked for."""
    with closing(PoliteClient(home, ensure_cache_folder("ahc", "site"))) as client:
        yield Site(home, client)


def _no_such_contest(contest_id: str) -> UnknownContestError:
    from evograft.api import did_you_mean

    known = [contest.contest_id for contest in load_packaged_contests()]
    return UnknownContestError(
        f"the site has no contest {contest_id!r}; {did_you_mean(contest_id, known)}",
        ja=f"コンテスト {contest_id!r} は存在しません。{suggest_in_japanese(contest_id, known)}",
    )


def _no_statement(url: str, why: object, why_ja: str) -> ContestServiceError:
    return ContestServiceError(
        f"the statement at {url} can't be fetched: {why}; save the page in a browser and give it with: --statement "
        "FILE",
        ja=f"{url} の問題文を取得できません: {why_ja}。ブラウザで保存して --statement FILE で指定してください",
    )
