"""Statements and tools of contests that were on when `init` saw them, known under any name until the contest ends.

A folder and the id in its `task.json` are renamed in a moment; what the organiser has written stays what it is.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from evograft.api import write_atomically
from evograft_ahc.workspace.end_record import find_tool_sources
from evograft_ahc.workspace.folder import TASK_FILE, Workspace


class ContestMaterial(BaseModel):
    """What is known of a statement or of tools."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    contest_id: str
    """Of the contest that it was seen in."""
    end: AwareDatetime


def remember_material(workspace: Workspace, statement: Path | None, end: AwareDatetime) -> None:
    """Store to which contest a workspace's statement and tools belong, and when that ends.

    Args:
        workspace: of a contest that is on.
        statement: the file that was brought, which `init` has converted.
        end: of the contest.
    """
    material = ContestMaterial(contest_id=workspace.folder.name, end=end)
    # Where nothing can be kept, the workspace's own file tells the end all the same.
    with contextlib.suppress(OSError):
        for digest in (*_digests_of(workspace), *_digest_of_text(statement)):
            if not _is_of_another(digest, material):
                write_atomically(_seen() / digest, material.model_dump_json().encode())


def forget_material(workspace: Workspace, statement: Path | None) -> None:
    """Remove what is stored of a workspace's contest, which is over earlier than its page once said."""
    for digest in (*_digests_of(workspace), *_digest_of_text(statement)):
        found = _read(digest)
        if found and found.contest_id == workspace.folder.name:
            (_seen() / digest).unlink(missing_ok=True)


def find_material(workspace: Workspace, statement: Path | None = None) -> Iterator[ContestMaterial]:
    """Yield what is known of a workspace's statement and tools, and of another statement."""
    yield from filter(None, map(_read, (*_digest_of_text(statement), *_digests_of(workspace))))


def _is_of_another(digest: str, material: ContestMaterial) -> bool:
    """Return whether it was seen in another contest first, which this one is a copy of."""
    found = _read(digest)
    return found is not None and found.contest_id != material.contest_id and found.end >= material.end


def _read(digest: str) -> ContestMaterial | None:
    try:
        return ContestMaterial.model_validate_json((_seen() / digest).read_bytes())
    except (OSError, ValidationError):
        return None


def _digests_of(workspace: Workspace) -> Iterator[str]:
    for statement in sorted(workspace.statement.parent.glob("*.md")):
        yield from _digest_of_text(statement)
    if (workspace.folder / TASK_FILE).exists():
        for tool in filter(None, (workspace.task.scorer, workspace.task.generator)):
            yield from _digest_of_program(workspace.program(tool))
    # Lists of seeds may be the same in many contests.
    sources = [file for file in sorted(find_tool_sources(workspace.tools)) if file.name != "seeds.txt"]
    if sources:
        contents = (hashlib.sha256(file.read_bytes()).digest() for file in sources)
        yield hashlib.sha256(b"".join(contents)).hexdigest()


def _digest_of_text(file: Path | None) -> Iterator[str]:
    """Yield the digest of its words: neither ends of lines nor spaces make another statement."""
    words = file.read_bytes().split() if file and file.is_file() else []
    if words:
        yield hashlib.sha256(b" ".join(words)).hexdigest()


def _digest_of_program(file: Path) -> Iterator[str]:
    if file.is_file():
        yield hashlib.sha256(file.read_bytes()).hexdigest()


def _seen() -> Path:
    from evograft.api import user_folder

    return user_folder("state") / "ahc" / "material"
