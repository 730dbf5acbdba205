"""The tool that lists a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from pydantic import Field

from evograft_code_explainer.files.printable import escape_name
from evograft_code_explainer.files.repository import Repository
from evograft_code_explainer.files.walk import FileEntry, FolderWalk
from evograft_code_explainer.tools.tool import PATH, ReadingTool, ToolArguments, japanese

COUNTED = 300_000
"""Entries after which a listing does not count on."""
SUBFOLDERS = 30
"""Subfolders of which it is said how much is in them."""


class ListFileArguments(ToolArguments):
    path: str = Field(
        ".",
        description="The folder, as a path from the root; `.` is the root itself",
        examples=["directory"],
        json_schema_extra={**PATH, **japanese("フォルダー。ルートからのパスで、`.` がルートです")},
    )
    recursive: bool = Field(
        default=False,
        description="Whether to list the files of all folders below it, too",
        examples=[True],
        json_schema_extra=japanese("その下のすべてのフォルダーのファイルも一覧するかどうか"),
    )
    hidden: bool = Field(
        default=False,
        description="Whether to list .git, binary files and what .gitignore has, too",
        json_schema_extra=japanese(".git、バイナリーファイル、.gitignore の対象も一覧するかどうか"),
    )


class Listing:
    """The part of a walk that is shown, and the count of the rest."""

    def __init__(self, entries: int, characters: int) -> None:
        self.lines: list[str] = []
        self.rest: Counter[str] = Counter()
        """How many entries are not shown, by the subfolder that they are in."""
        self._entries = entries
        self._characters = characters

    @property
    def is_full(self) -> bool:
        return len(self.lines) >= self._entries or self._characters <= 0

    def show(self, line: str) -> None:
        self.lines.append(line)
        self._characters -= len(line)


def _list_file(repository: Repository, arguments: ListFileArguments) -> str:
    walk = repository.walk(hidden=arguments.hidden, recursive=arguments.recursive)
    with repository.root.subfolder(arguments.path) as folder:
        found = (each for each in walk.below(folder) if each.kind != "folder" or not arguments.recursive)
        listing = _listing(found, repository, walk, depth=folder.path.count("/") + 1 if folder.path else 0)
        is_cut = next(found, None) is not None
    return "\n".join(
        [
            *listing.lines,
            *_rest(listing, is_cut=is_cut),
            *_left_out(walk, hint="" if walk.hidden else "; hidden=true lists all but secrets"),
        ]
    )


def _listing(found: Iterator[FileEntry], repository: Repository, walk: FolderWalk, *, depth: int) -> Listing:
    listing = Listing(repository.options.entries, repository.options.characters)
    for entry in islice(found, COUNTED):
        if listing.is_full:
            listing.rest["/".join(entry.path.split("/", depth + 1)[: depth + 1])] += 1
        elif entry.kind == "file" and not walk.hidden and not repository.is_text(entry):
            walk.left_out["binary"] += 1
        else:
            listing.show(_line(entry))
    return listing


def _line(entry: FileEntry) -> str:
    name = escape_name(entry.path)
    match entry.kind:
        case "folder":
            return f"{name}/"
        case "link":
            return f"{name} -> {escape_name(entry.target())}"
        case "other":
            return f"{name} (a device, pipe or socket)"
        case "file":
            return f"{name}  {entry.size():,} bytes"


def _rest(listing: Listing, *, is_cut: bool) -> list[str]:
    """Say how much is not shown, and where it is."""
    if not listing.lines:
        return ["nothing to list here"]
    total = listing.rest.total()
    if not total:
        return []
    places = [f"  {escape_name(path)}/: {count:,}" for path, count in sorted(listing.rest.items()) if count > 1]
    more = f"… {'more than ' if is_cut else ''}{total:,} more; list a subfolder"
    return [
        more,
        *places[:SUBFOLDERS],
        *([f"  … and {len(places) - SUBFOLDERS:,} more folders"] if places[SUBFOLDERS:] else []),
    ]


def _left_out(walk: FolderWalk, *, hint: str) -> list[str]:
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(walk.left_out.items()) if count)
    return [f"left out: {reasons}{hint}"] if reasons else []


TOOL = ReadingTool(
    name="list_file",
    description="Lists the files of a folder with their sizes. Begin with the root, then look into what matters.",
    japanese="フォルダー内のファイルを大きさとともに一覧します。ルートから始め、その後で重要なところを見てください。",
    arguments=ListFileArguments,
    run=_list_file,
)
