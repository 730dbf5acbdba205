"""Why a visit to the site brought nothing, by what can be done about it."""

from __future__ import annotations


class FetchFailed(Exception):  # noqa: N818 - it names what became of a visit
    """Whatever one waits, this address brings nothing that can be used.

    Args:
        en: the reason in a few words.
        ja: the same in Japanese.
    """

    def __init__(self, en: str, ja: str) -> None:
        super().__init__(en)
        self.ja = ja


class PageMissing(FetchFailed):
    """There is nothing at this address."""

    def __init__(self) -> None:
        super().__init__("there is no such page", "ページがありません")


class LoginRequired(FetchFailed):
    """The site shows this address to members only."""

    def __init__(self) -> None:
        super().__init__("the site asks for a login", "ログインが必要です")


class RetryableFailure(FetchFailed):
    """The same visit may go well later.

    Args:
        en: the reason in a few words.
        ja: the same in Japanese.
        retry_after: seconds that the site asks to wait, if it said so.
    """

    def __init__(self, en: str, ja: str, *, retry_after: float | None = None) -> None:
        super().__init__(en, ja)
        self.retry_after = retry_after
