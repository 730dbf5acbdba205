"""What `init` found out about the end of a workspace's contest, kept outside of the workspace.

A workspace's files are the user's, and programs that work in it write them, too: none of them can say whether it may be
worked on. What was found out belongs to the contest's id with the statement, the tools and their calls that it was
found out for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from evograft.api import write_atomically
from evograft_ahc.contests.task import EndSource
from evograft_ahc.text.messages import ContestServiceError
from evograft_ahc.workspace.folder import Workspace

SOURCES = frozenset({".rs", ".cpp", ".cc", ".h", ".hpp", ".py", ".toml"})
"""Files of tools that define a contest, next to its list of seeds; what is built from them differs by machine."""
BUILT = frozenset({"bin", "target"})
"""Folders of tools that building fills."""
CALLS = {"interactive", "scorer", "generator", "visualizer"}
"""What `task.json` says of programs: other programs are those of another contest."""


class ContestEndRecord(BaseModel):
    """That a contest was found to be over."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    contests: tuple[str, ...]
    """Its id, and those of other contests that the statement names."""
    source: EndSource
    end: AwareDatetime | None = None
    """`None` where it was only stated."""


def save_end_record(workspace: Workspace, end_record: ContestEndRecord) -> None:
    """Store it for the workspace as it is now, and for equal ones elsewhere on this machine.

    Raises:
        ContestServiceError: the user's state folder cannot be written.
    """
    file = _file(workspace)
    try:
        write_atomically(file, end_record.model_dump_json().encode())
    except OSError as err:
        raise ContestServiceError(
            f"that contest {workspace.task.contest_id!r} is over has to be kept, and {str(file)!r} cannot be written: "
            f"{err.strerror}; set XDG_STATE_HOME to a folder of yours",
            ja=f"コンテスト {workspace.task.contest_id!r} の終了確認を {str(file)!r} に保存できません: {err.strerror}。"
            "XDG_STATE_HOME に書き込み可能なフォルダーを指定してください",
        ) from err


def find_end_record(workspace: Workspace) -> ContestEndRecord | None:
    """Return the record of the workspace as it is now.

    `None`: its id, statement, tools or their calls are not those that `init` saw.
    """
    return _read_clearance(_file(workspace))


def load_ended_contests() -> frozenset[str]:
    """Return the ids, in lower case, of all contests that `init` found to be over for any workspace on this machine."""
    found = map(_read_clearance, _cleared().glob("*.json"))
    return frozenset(each.lower() for end_record in found if end_record for each in end_record.contests)


def find_tool_sources(tools: Path) -> Iterator[Path]:
    """Yield the files of tools that make a contest what it is, in no order."""
    for file in tools.rglob("*"):
        if (file.suffix in SOURCES or file.name == "seeds.txt") and file.relative_to(tools).parts[0] not in BUILT:
            yield file


def _read_clearance(file: Path) -> ContestEndRecord | None:
    try:
        return ContestEndRecord.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return None


def _file(workspace: Workspace) -> Path:
    return _cleared() / f"{_identity(workspace)}.json"


def _cleared() -> Path:
    from evograft.api import user_folder

    return user_folder("state") / "ahc" / "cleared"


def _identity(workspace: Workspace) -> str:
    task = workspace.task
    digest = hashlib.sha256(task.contest_id.lower().encode())
    digest.update(task.model_dump_json(include=CALLS).encode())
    for file in (workspace.statement, *sorted(find_tool_sources(workspace.tools))):
        content = file.read_bytes() if file.is_file() else b""
        digest.update(f"\0{file.relative_to(workspace.folder)}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
