"""The tool that shows the lines of a file."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, takewhile
from typing import Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from evograft_code_explainer.files.printable import clip_line, escape_name, escape_unprintable
from evograft_code_explainer.files.refusal import RequestRefused
from evograft_code_explainer.files.repository import Repository, TextFile
from evograft_code_explainer.tools.tool import PATH, ReadingTool, ToolArguments, japanese

WIDEST = 1000
"""Characters of a line that are shown."""


class ReadFileArguments(ToolArguments):
    path: str = Field(
        description="The file, as a path from the root such as src/main.py",
        examples=["file"],
        json_schema_extra={**PATH, **japanese("ファイル。src/main.py のようなルートからのパス")},
    )
    start_line: int = Field(
        1, ge=1, description="The first line to show", json_schema_extra=japanese("表示する最初の行")
    )
    end_line: Annotated[int, Field(ge=1)] | SkipJsonSchema[None] = Field(
        None,
        description="The last line to show; without it, as many as fit into one answer",
        json_schema_extra=japanese("表示する最後の行。省略すると、一回の結果に入るだけ表示します"),
    )


def _read_file(repository: Repository, arguments: ReadFileArguments) -> str:
    file = repository.read(arguments.path)
    lines = file.content.lines
    first, last = arguments.start_line, min(arguments.end_line or len(lines), len(lines))
    if first > max(last, 1):
        raise RequestRefused(f"there are no lines {first} to {arguments.end_line or last}: the file has {len(lines):,}")
    options = repository.options
    numbered = [
        f"{first + index:>5}| {clip_line(escape_unprintable(line), WIDEST)}"
        for index, line in enumerate(lines[first - 1 : last])
    ]
    kept = numbered[: options.lines][: _fitting(numbered, options.characters)]
    return "\n".join([_head(file, lines, first, first + len(kept) - 1), *kept, *_rest(file, lines, first + len(kept))])


def _fitting(lines: Iterable[str], characters: int) -> int:
    """Count the lines that fit into an answer; at least one."""
    return max(
        1, sum(1 for _ in takewhile(lambda length: length <= characters, accumulate(len(line) + 1 for line in lines)))
    )


def _head(file: TextFile, lines: list[str], first: int, last: int) -> str:
    span = f"lines {first:,} to {last:,} of {len(lines):,}" if lines else "empty"
    encoding = "" if file.content.encoding == "utf-8" else f", read as {file.content.encoding}"
    return f"{escape_name(file.path)}: {span}{'' if file.is_whole else ' that were read'}{encoding}"


def _rest(file: TextFile, lines: list[str], following: int) -> list[str]:
    """Say how to continue, and what can't be read."""
    notes = []
    if following <= len(lines):
        notes.append(f"… {len(lines) - following + 1:,} more lines: go on with start_line={following}")
    if not file.is_whole:
        notes.append(f"… the file has {file.size:,} bytes, of which only the beginning can be read")
    return notes


TOOL = ReadingTool(
    name="read_file",
    description="Shows a text file, each line with its number. A long file comes in parts: the end of the answer"
    " says how to go on.",
    japanese="テキストファイルを行番号付きで表示します。長いファイルは分けて表示され、続きの読み方が末尾に示されます。",
    arguments=ReadFileArguments,
    run=_read_file,
)
