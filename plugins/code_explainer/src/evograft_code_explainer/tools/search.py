"""The tool that finds lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import islice

from pydantic import Field

from evograft_code_explainer.files.printable import escape_name, escape_unprintable
from evograft_code_explainer.files.repository import Repository
from evograft_code_explainer.search.expression import SearchExpression, SearchHit
from evograft_code_explainer.search.file_search import FileHit, FileSearch
from evograft_code_explainer.tools.tool import PATH, ReadingTool, ToolArguments, japanese

COUNTED = 1000
"""Matches after which a search ends."""
WIDEST = 300
"""Characters of a line that are shown."""
BEFORE = 100
"""Characters that are shown before a match that is far into a line."""
REFERENCE = re.compile(r"&(?:lt|gt|amp|quot|apos);")
"""What XML would take for another character."""


class SearchArguments(ToolArguments):
    pattern: str = Field(
        description="A regular expression; it is looked for in each line by itself",
        json_schema_extra=japanese("正規表現。一行ずつ照合します"),
    )
    path: str = Field(
        ".",
        description="The folder or file to search, as a path from the root",
        examples=["directory"],
        json_schema_extra={**PATH, **japanese("検索するフォルダーまたはファイル。ルートからのパス")},
    )
    glob: str = Field(
        "",
        description="Search only files that fit this, such as *.py or tests/**/*.ts",
        json_schema_extra=japanese("*.py や tests/**/*.ts のように、名前がこれに合うファイルだけを検索します"),
    )
    ignore_case: bool = Field(
        default=False,
        description="Whether small and capital letters are the same",
        json_schema_extra=japanese("大文字と小文字を区別しないかどうか"),
    )
    hidden: bool = Field(
        default=False,
        description="Whether to search .git and what .gitignore has, too",
        json_schema_extra=japanese(".git と .gitignore の対象も検索するかどうか"),
    )


def _search(repository: Repository, arguments: SearchArguments) -> str:
    hint = _hint(arguments.pattern)
    lookout = FileSearch(repository, SearchExpression(arguments.pattern, ignore_case=arguments.ignore_case))
    if not repository.root.is_folder(arguments.path):
        return _answer(lookout.in_file(arguments.path), lookout, repository, hint)
    with repository.root.subfolder(arguments.path) as folder:
        found = lookout.in_folder(folder, arguments.glob, hidden=arguments.hidden)
        return _answer(found, lookout, repository, hint)


def _answer(found: Iterator[FileHit], lookout: FileSearch, repository: Repository, hint: str) -> str:
    matches = list(islice(found, COUNTED + 1))
    lines = _lines(matches, repository.options.matches, repository.options.characters)
    head = _head(matches, len(lines), lookout)
    return "\n".join([head if matches else f"{head}{hint}", *lines])


def _hint(pattern: str) -> str:
    """Help a model that has escaped what it looks for as XML would have it, where that was not found."""
    reference = REFERENCE.search(pattern)
    if reference is None:
        return ""
    return f"; the pattern is taken as written, {reference[0]} included: to find {unescape(reference[0])}, write it so"


def _lines(matches: list[FileHit], most: int, characters: int) -> list[str]:
    lines: list[str] = []
    for match in matches[:most]:
        line = f"{escape_name(match.path)}:{match.hit.number}: {_excerpt(match.hit)}"
        characters -= len(line)
        if lines and characters < 0:
            break
        lines.append(line)
    return lines


def _head(matches: list[FileHit], shown_count: int, lookout: FileSearch) -> str:
    late = f"; time ran out after {lookout.files:,} files: search a subfolder" if lookout.is_late else ""
    if not matches:
        return f"no matches{late}"
    count = f"more than {COUNTED:,}" if len(matches) > COUNTED else f"{len(matches):,}"
    if shown_count == len(matches):
        return f"{count} {'match' if len(matches) == 1 else 'matches'}{late}"
    return f"the first {shown_count:,} of {count} matches; narrow pattern, path or glob to see others{late}"


def _excerpt(hit: SearchHit) -> str:
    """Return the line, or what is around the match in a long one."""
    if len(hit.line) <= WIDEST:
        return escape_unprintable(hit.line)
    start = max(0, min(hit.start - BEFORE, len(hit.line) - WIDEST))
    end = start + WIDEST
    return f"{'…' if start else ''}{escape_unprintable(hit.line[start:end])}{'…' if end < len(hit.line) else ''}"


TOOL = ReadingTool(
    name="search",
    description="Finds lines by a regular expression, in a file or in all files below a folder; "
    "answers path:line: text.",
    japanese="正規表現に合う行を、一つのファイルまたはフォルダー以下の全ファイルから探し、"
    "path:line: text の形で返します。",
    arguments=SearchArguments,
    run=_search,
)
