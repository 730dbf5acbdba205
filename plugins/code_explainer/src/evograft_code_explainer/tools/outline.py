"""The tool that shows what files define."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from pydantic import Field

from evograft_code_explainer.files.printable import clip_line, escape_name, escape_unprintable
from evograft_code_explainer.files.refusal import RequestRefused
from evograft_code_explainer.files.repository import Repository, TextFile
from evograft_code_explainer.files.root import OpenedPath
from evograft_code_explainer.languages.language import LANGUAGES, find_language
from evograft_code_explainer.languages.outline import Definition
from evograft_code_explainer.languages.parser import LONGEST, ParsedProgram, SourceProgram, parse
from evograft_code_explainer.tools.tool import PATH, ReadingTool, ToolArguments, japanese

FILES = 100
"""Files of a folder that an answer may be about."""
WIDEST = 200
"""Characters of a definition that are shown."""
DEEPEST = 10
"""Definitions within one another by which lines are indented at most."""


class OutlineArguments(ToolArguments):
    path: str = Field(
        description="A source file, or a folder: the outlines of all source files below it",
        examples=["file"],
        json_schema_extra={**PATH, **japanese("ソースファイル、またはフォルダー (その下の全ソースファイル)")},
    )


def _outline(repository: Repository, arguments: OutlineArguments) -> str:
    if not repository.root.is_folder(arguments.path):
        file = repository.read(arguments.path)
        if find_language(file.path) is None:
            known = ", ".join(language.name for language in LANGUAGES)
            raise RequestRefused(
                f"{escape_name(file.path)} is in no language that has outlines ({known}): use read_file"
            )
        return "\n".join(_cut(_of([file]), repository, "read the rest of the file with read_file"))
    with repository.root.subfolder(arguments.path) as folder:
        found = _sources(folder, repository)
        lines = _cut(_of(list(islice(found, FILES))), repository, "ask for a subfolder or a file")
        if next(found, None) and not lines[-1].startswith("…"):
            lines.append(f"… there are more than {FILES} source files: ask for a subfolder")
    return "\n".join(lines) or "no source files in a language that has outlines; use list_file"


def _sources(folder: OpenedPath, repository: Repository) -> Iterator[TextFile]:
    """Yield the files below a folder that have outlines, and can be read."""
    for entry in repository.walk().below(folder):
        if entry.kind == "file" and find_language(entry.path):
            try:
                yield repository.read(entry.path, most=LONGEST)
            except RequestRefused:
                continue


def _of(files: Iterable[TextFile]) -> Iterator[str]:
    sources = [(file, language) for file in files if (language := find_language(file.path))]
    parsed = parse([SourceProgram(file.content.text, language) for file, language in sources])
    for (file, language), found in zip(sources, parsed, strict=True):
        count = f"{len(file.content.lines):,} lines{'' if file.is_whole else ' and more'}"
        yield f"{escape_name(file.path)} ({language.name}, {count})"
        yield from _lines(found)
        if len(file.content.text) > LONGEST or not file.is_whole:
            yield f"  … only the first {LONGEST:,} characters of the file were looked at"


def _lines(parsed: ParsedProgram | None) -> Iterator[str]:
    if parsed is None:
        yield "  too hard to parse: use read_file"
    else:
        yield from map(_line, parsed.definitions)


def _line(definition: Definition) -> str:
    indent = "  " * min(definition.depth, DEEPEST)
    return f"  {definition.first}-{definition.last}: {indent}{clip_line(escape_unprintable(definition.head), WIDEST)}"


def _cut(lines: Iterable[str], repository: Repository, hint: str) -> list[str]:
    """Return as many lines as fit into an answer."""
    kept: list[str] = []
    room = repository.options.characters
    for line in lines:
        room -= len(line)
        if room < 0 or len(kept) >= repository.options.lines:
            return [*kept, f"… cut here: {hint}"]
        kept.append(line)
    return kept


TOOL = ReadingTool(
    name="outline",
    description="Shows the classes and functions of a source file, or of all files below a folder, with their first and"
    " last lines: a cheap look before reading.",
    japanese="ソースファイル、またはフォルダー以下の全ファイルのクラスと関数を、最初と最後の行とともに示します。読む前に手早く見るためのものです。",
    arguments=OutlineArguments,
    run=_outline,
)
