"""A polite visitor: HTTPS only, one request at a time with a pause, what was fetched is kept, robots.txt is obeyed."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx
import tenacity
from protego import Protego

from evograft.api import write_atomically
from evograft_ahc.contests.atcoder.errors import FetchFailed, LoginRequired, PageMissing, RetryableFailure

AGENT = "evograft-ahc"
ATTEMPTS = 4
LONGEST_WAIT = 120.0
REDIRECTS = 5
PIECE = 1 << 16
TRY_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
DAY = 24 * 3600.0


@dataclass(frozen=True)
class FetchKind:
    """A kind of file, and what is accepted as one."""

    content_types: tuple[str, ...]
    """Empty: any."""
    max_bytes: int
    max_age: float
    """Seconds for which one that was fetched is used again."""


CONTEST_PAGE = FetchKind(("text/html",), 2 << 20, 0.0)
"""When a contest ends may be put off, so this one is never taken from the cache."""
PAGE = FetchKind(("text/html",), 2 << 20, DAY)
ARCHIVE = FetchKind(
    ("application/zip", "application/x-zip-compressed", "application/octet-stream", "binary/octet-stream"),
    200 << 20,
    30 * DAY,
)
ROBOTS = FetchKind((), 512 << 10, DAY)


class PoliteClient:
    """Fetches files of one site and its subdomains; used by one thread.

    Args:
        home: the site's address, `https://…`.
        cache: a folder for what was fetched.
        pause: seconds between two requests, unless robots.txt asks for more.
        timeout: seconds until a file has to be there.
        sleep: waits; tests pass one that does not.
    """

    def __init__(
        self,
        home: str,
        cache: Path,
        *,
        pause: float = 1.0,
        timeout: float = 120.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._host = urlsplit(home).netloc
        self._cache = cache
        self._pause = pause
        self._timeout = timeout
        self._sleep = sleep
        self._robots: dict[str, Protego] = {}
        self._visited_at: float | None = None
        agent = f"{AGENT}/{version('evograft-ahc')} (+https://pypi.org/project/evograft-ahc/)"
        self._http = httpx.Client(headers={"User-Agent": agent}, timeout=httpx.Timeout(timeout, connect=10.0))

    def close(self) -> None:
        self._http.close()

    def fetch(self, url: str, kind: FetchKind) -> Path:
        """Return the file at an address, in the cache.

        Raises:
            Failed: with the reason; `PageMissing`, `LoginRequired` and `RetryableFailure` are kinds of it.
        """
        self._require_own(url)
        kept = self._cache / hashlib.sha256(url.encode()).hexdigest()
        if kept.exists() and time.time() - kept.stat().st_mtime < kind.max_age:
            return kept
        self._require_allowed(url, kind)
        self._patiently(url, kind, kept)
        return kept

    def _require_own(self, url: str) -> None:
        try:
            parts = urlsplit(url)
        except ValueError as err:
            raise FetchFailed(f"{url} is no address", f"{url} は正しい URL ではありません") from err
        if parts.scheme != "https":
            raise FetchFailed(f"{url} is not https", f"{url} は https ではありません")
        if parts.netloc != self._host and not parts.netloc.endswith(f".{self._host}"):
            raise FetchFailed(f"{url} is another site's", f"{url} は別のサイトです")

    def _require_allowed(self, url: str, kind: FetchKind) -> None:
        if kind is not ROBOTS and not self._rules(url).can_fetch(url, AGENT):
            raise FetchFailed(
                f"its robots.txt asks not to visit {url}", f"robots.txt が {url} へのアクセスを禁じています"
            )

    def _rules(self, url: str) -> Protego:
        address = urljoin(url, "/robots.txt")
        if address not in self._robots:
            try:
                text = self.fetch(address, ROBOTS).read_text(encoding="utf-8", errors="replace")
            except PageMissing:
                text = ""
            self._robots[address] = Protego.parse(text)
        return self._robots[address]

    def _patiently(self, url: str, kind: FetchKind, target: Path) -> None:
        attempts = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(RetryableFailure),
            stop=tenacity.stop_after_attempt(ATTEMPTS),
            wait=_wait,
            sleep=self._sleep,
            reraise=True,
        )
        attempts(self._follow, url, kind, target)

    def _follow(self, url: str, kind: FetchKind, target: Path) -> None:
        for _ in range(REDIRECTS):
            with self._answer(url) as answer:
                if not answer.is_redirect:
                    _require_usable(answer, kind)
                    return self._save(answer, kind, target)
                url = _joined(url, answer.headers["location"])
            self._require_own(url)
            if urlsplit(url).path.startswith("/login"):
                raise LoginRequired
            self._require_allowed(url, kind)
        raise FetchFailed("it redirects for ever", "リダイレクトが終わりません")

    @contextmanager
    def _answer(self, url: str) -> Iterator[httpx.Response]:
        self._wait_for_turn(url)
        try:
            with self._http.stream("GET", url, follow_redirects=False) as answer:
                yield answer
        except httpx.TimeoutException as err:
            raise RetryableFailure("it does not answer in time", "応答がありません") from err
        except (httpx.TransportError, httpx.DecodingError) as err:
            raise RetryableFailure(f"the connection failed ({err})", f"通信に失敗しました ({err})") from err
        except httpx.InvalidURL as err:
            raise FetchFailed(f"{url} is no address", f"{url} は正しい URL ではありません") from err
        finally:
            self._visited_at = time.monotonic()

    def _wait_for_turn(self, url: str) -> None:
        if self._visited_at is None:
            return
        known = self._robots.get(urljoin(url, "/robots.txt"))
        asked = known.crawl_delay(AGENT) if known else None
        pause = max(self._pause, min(asked or 0.0, LONGEST_WAIT))
        self._sleep(max(0.0, self._visited_at + pause - time.monotonic()))

    def _save(self, answer: httpx.Response, kind: FetchKind, target: Path) -> None:
        """Read an answer to its end, within the limits; a part of one is never kept."""
        content, until = bytearray(), time.monotonic() + self._timeout
        # A server that drips never lets a single read run into its limit.
        for piece in answer.iter_bytes(PIECE):
            content += piece
            if len(content) > kind.max_bytes:
                raise FetchFailed(f"it is larger than {kind.max_bytes} bytes", f"{kind.max_bytes} バイトを超えています")
            if time.monotonic() > until:
                raise RetryableFailure("it does not come to an end", "転送が終わりません")
        write_atomically(target, bytes(content))


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        return location


def _require_usable(answer: httpx.Response, kind: FetchKind) -> None:
    status = answer.status_code
    if status in (404, 410):
        raise PageMissing
    if status in TRY_LATER:
        after = _retry_after(answer.headers.get("retry-after", ""))
        raise RetryableFailure(f"it answers {status}", f"HTTP {status} が返りました", retry_after=after)
    if status != httpx.codes.OK:
        raise FetchFailed(f"it answers {status}", f"HTTP {status} が返りました")
    found = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind.content_types and found not in kind.content_types:
        raise FetchFailed(f"it is {found or 'of no type'!r}", f"形式が {found!r} です")


def _retry_after(value: str) -> float | None:
    """Read seconds or a date."""
    if value.isdecimal():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _wait(state: tenacity.RetryCallState) -> float:
    """Return the wait that the site asks for, else a longer one each time.

    A wait that nobody would sit through is given up at once.
    """
    failure = state.outcome.exception() if state.outcome else None
    if isinstance(failure, RetryableFailure) and failure.retry_after is not None:
        if failure.retry_after > LONGEST_WAIT:
            minutes = round(failure.retry_after / 60)
            raise FetchFailed(
                f"it asks to come back in {minutes} minutes", f"{minutes} 分後に再試行するよう求められました"
            )
        return failure.retry_after
    return float(tenacity.wait_random_exponential(multiplier=1, max=30)(state))
