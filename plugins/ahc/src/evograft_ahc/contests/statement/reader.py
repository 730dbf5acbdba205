"""A statement that a user brings: HTML, Markdown or plain text, or PDF."""

from __future__ import annotations

import re
from pathlib import Path

from bs4 import UnicodeDammit

from evograft_ahc.contests.statement.pages import (
    UNREAD,
    ContestPage,
    TaskPage,
    detect_language,
    read_contest,
    read_tasks,
    read_whole,
)
from evograft_ahc.contests.statement.sections import mark_headings
from evograft_ahc.text.messages import ContestUserError

MAX_BYTES = 20 << 20
MAX_PAGES = 200
CONTEST = re.compile(r"/contests/([\w-]{1,100})/tasks|\batcoder\.jp/([\w-]{1,100})/[\w.-]{1,200}\.zip\b", re.ASCII)


def read_statement(file: Path, base: str) -> tuple[TaskPage, ...]:
    """Read the tasks in a file; by its ending it is HTML, PDF, or text in Markdown.

    Raises:
        ContestUserError: it can't be read, or holds no text.
    """
    try:
        if file.stat().st_size > MAX_BYTES:
            raise _unreadable(file, f"it is larger than {MAX_BYTES >> 20} MB")
        content = file.read_bytes()
    except OSError as err:
        raise _unreadable(file, err.strerror or str(err)) from err
    if _is_html(file):
        html = _html_in(content)
        pages = read_tasks(html, base) or read_whole(html, base)
        return pages or _one_task("", file)
    if file.suffix.lower() == ".pdf":
        return _one_task(_text_of_pdf(file), file)
    return _one_task(mark_headings(content.decode("utf-8", errors="replace")), file)


def read_saved_page(file: Path) -> ContestPage:
    """Read what a saved page says of the contest; nothing if the file does not say it, or cannot be read."""
    try:
        return read_contest(_html_in(file.read_bytes())) if _is_html(file) else UNREAD
    except OSError:  # which is told when its text is wanted
        return UNREAD


def find_contests(file: Path) -> tuple[str, ...]:
    """Return the contests whose tasks and archives a statement leads to; none if it cannot be read."""
    try:
        text = _text_of_pdf(file) if file.suffix.lower() == ".pdf" else _html_in(file.read_bytes())
    except (OSError, ContestUserError):  # which is told when its text is wanted
        return ()
    return tuple(dict.fromkeys((task or archive).lower() for task, archive in CONTEST.findall(text)))


def _is_html(file: Path) -> bool:
    return file.suffix.lower() in (".html", ".htm")


def _html_in(content: bytes) -> str:
    return UnicodeDammit(content).unicode_markup or ""


def _one_task(text: str, file: Path) -> tuple[TaskPage, ...]:
    if not text.strip():
        raise _unreadable(file, "it holds no text")
    first = text.strip().splitlines()[0].lstrip("# ").strip()
    return (TaskPage("", first, {detect_language(text): text}),)


def _text_of_pdf(file: Path) -> str:
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        pages = PdfReader(file).pages[:MAX_PAGES]
        return "\n\n".join(page.extract_text() for page in pages)
    except (PyPdfError, ValueError, KeyError, RecursionError) as err:
        raise _unreadable(file, f"no PDF that can be read ({err})") from err


def _unreadable(file: Path, why: str) -> ContestUserError:
    return ContestUserError(
        f"the statement {str(file)!r} can't be used: {why}; bring HTML, Markdown or PDF with: --statement FILE",
        ja=f"問題文 {str(file)!r} を使えません: {why}。HTML・Markdown・PDF を --statement FILE で指定してください",
    )
