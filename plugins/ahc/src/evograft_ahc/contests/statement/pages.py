"""The site's pages of HTML: tasks with their statements, and when a contest begins and ends."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bs4 import BeautifulSoup, Tag

from evograft_ahc.contests.statement.facts import StatementLimits, find_limits
from evograft_ahc.contests.statement.html_to_markdown import convert_to_markdown
from evograft_ahc.text.messages import Language

LANGUAGES: tuple[Language, ...] = ("ja", "en")
KANA = re.compile(r"[\u3041-\u30ff]")
MOMENT = r"\b{name}\s*=\s*moment\(\s*[\"']([^\"']+)[\"']\s*\)"


@dataclass(frozen=True)
class TaskPage:
    """A task as its page shows it."""

    label: str
    """Such as `A`; empty where the page tells none."""
    title: str
    texts: Mapping[Language, str]
    """Markdown with title and limits."""


@dataclass(frozen=True)
class ContestPage:
    """What the script of a contest's page knows; `None`: it does not tell."""

    title: str
    start: datetime | None
    end: datetime | None


UNREAD = ContestPage("", None, None)


def read_contest(html: str) -> ContestPage:
    title = BeautifulSoup(html, "html.parser").title
    name = title.get_text().partition(" - AtCoder")[0].strip() if title else ""
    return ContestPage(name, _moment(html, "startTime"), _moment(html, "endTime"))


def read_tasks(html: str, base: str) -> tuple[TaskPage, ...]:
    """Read the tasks of one of the site's pages of statements; none if it is another kind of page."""
    return tuple(_task(element, base) for element in _soup(html).find_all(id="task-statement"))


def read_whole(html: str, base: str) -> tuple[TaskPage, ...]:
    """Read the whole text of any page as one task; none if there is no text."""
    return tuple(_whole(_soup(html), base))


def _soup(html: str) -> BeautifulSoup:
    soup = BeautifulSoup(html, "html.parser")
    for noise in soup.find_all(["script", "style", "nav", "footer"]):
        noise.decompose()
    return soup


def detect_language(text: str) -> Language:
    """Japanese is told by its kana."""
    return "ja" if len(KANA.findall(text)) > len(text) / 20 else "en"


def find_task_links(html: str, contest_id: str) -> tuple[str, ...]:
    """Return the paths of single tasks in a page, in order."""
    links = BeautifulSoup(html, "html.parser").find_all("a", href=True)
    own = re.compile(rf"/contests/{re.escape(contest_id)}/tasks/[\w-]+")
    return tuple(dict.fromkeys(path for link in links if own.fullmatch(path := str(link["href"]))))


def _moment(html: str, name: str) -> datetime | None:
    found = re.search(MOMENT.format(name=name), html)
    try:
        moment = datetime.fromisoformat(found[1]) if found else None
    except ValueError:
        return None
    # Without its zone a moment might be off by hours.
    return moment if moment and moment.tzinfo else None


def _task(element: Tag, base: str) -> TaskPage:
    heading = element.find_previous("span", class_="h2")
    label, title = _label_and_title(heading)
    limits = next((found for text in _texts_before(element) if (found := find_limits(text)).seconds), StatementLimits())
    parts = {language: element.find("span", class_=f"lang-{language}") for language in LANGUAGES}
    bodies = {language: convert_to_markdown(part, base) for language, part in parts.items() if isinstance(part, Tag)}
    if not bodies:
        text = convert_to_markdown(element, base)
        bodies = {detect_language(text): text}
    return TaskPage(label, title, {each: _document(each, title, limits, body) for each, body in bodies.items()})


def _texts_before(element: Tag) -> Iterator[str]:
    """Yield what stands above a statement, nearest first, up to its title."""
    for before in element.find_all_previous(["p", "div", "span"], limit=20):
        yield before.get_text(" ", strip=True)[:400]
        if "h2" in (before.get("class") or ()):
            return


def _label_and_title(heading: Any) -> tuple[str, str]:
    """Read them from `A - Title`, without the buttons that stand in the heading."""
    if not isinstance(heading, Tag):
        return "", ""
    text = " ".join("".join(heading.find_all(string=True, recursive=False)).split())
    label, dash, title = text.partition(" - ")
    return (label, title) if dash else ("", text)


def _document(language: str, title: str, limits: StatementLimits, body: str) -> str:
    parts = (f"# {title}" if title else "", limits.describe(language), body)
    return "\n\n".join(part for part in parts if part)


def _whole(soup: BeautifulSoup, base: str) -> Iterator[TaskPage]:
    heading = soup.find("h1") or soup.title
    title = heading.extract().get_text(" ", strip=True) if heading else ""
    body = soup.find("main") or soup.find("article") or soup.body or soup
    text = convert_to_markdown(body, base)
    if text.strip():
        yield TaskPage("", title, {detect_language(text): f"# {title}\n\n{text}" if title else text})
