"""Environments that were set up without a container, kept in the user's cache.

There is one for each project, as it was verified.
"""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.sandbox.bwrap.closed_files import close_again, open_to_all
from evograft_env_setup.sandbox.bwrap.own_folder import cache_folder, lock_folder, remove_idle, remove_tree
from evograft_env_setup.sandbox.project_key import compute_project_key
from evograft_env_setup.text.quoting import shorten
from evograft_hookspecs.values import Text, Value

ENVIRONMENTS = "environments"
RECORD = "environment.json"
PARTS = ("workspace", "home")
"""Folders that make up an environment; packages lie elsewhere."""

LONGEST = 400
"""Characters of what `cp` says."""


class EnvironmentRecord(Value):
    """A note about a kept environment."""

    planned: SelectedEnvironment
    """By which it is found again."""
    made: SelectedEnvironment
    """The same with commands as they were corrected."""
    programs: tuple[Text, ...] = ()
    """Folders outside of /usr that its commands may run programs of."""


def find_record(folder: Path) -> EnvironmentRecord | None:
    """Return what is noted about a kept environment; `None`: there is none, or one that this version cannot read."""
    try:
        return EnvironmentRecord.model_validate_json((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError):
        return None


def find_newest(project: str, name: str = "") -> Path | None:
    """Return the folder of the environment that was kept or recalled last for a project.

    Args:
        project: its path, or the address that it was cloned from.
        name: of the environment; empty: any.
    """
    found = [path for path in _folder_of(project).glob(f"{name}*") if find_record(path)]
    return max(found, key=lambda path: path.stat().st_mtime, default=None)


def make_newest(folder: Path) -> None:
    """Let `find_newest` find this environment, which its project may have come back to."""
    os.utime(folder)


@contextlib.contextmanager
def keep(place: Path, project: str, name: str, record: EnvironmentRecord) -> Iterator[Path]:
    """Copy what was set up, and yield the folder of the copy, which is not removed as long as this lasts.

    It is a new one, because somebody may work in an earlier one of the same name, which `forget_others` removes.

    Args:
        place: the folder of a set-up, in which nothing runs at the moment.
        project: its path, or the address that it was cloned from.
        name: of files, commands and whatever else the environment follows from.
        record: is noted.

    Raises:
        OSError: it can't be copied.
    """
    copy = place / "copy"
    copy.mkdir(mode=0o700)
    for part in PARTS:
        _copy(place / part, copy / part)
        if os.geteuid() == 0:  # each project's commands, and each run's candidates, are then users of their own
            open_to_all(copy / part, _modes(copy, part))
    (copy / RECORD).write_text(record.model_dump_json(), encoding="utf-8")
    _folder_of(project).mkdir(mode=0o700, parents=True, exist_ok=True)
    with lock_folder(copy):  # before others can find it
        yield copy.rename(_folder_of(project) / f"{name}-{uuid.uuid4().hex[:8]}")


def forget_others(folder: Path) -> tuple[Path, ...]:
    """Remove the other environments of the same project.

    Returns:
        Those that somebody uses, and which stay.
    """
    return remove_idle((other for other in folder.parent.iterdir() if other != folder), forget).in_use


@contextlib.contextmanager
def hold(folder: Path) -> Iterator[EnvironmentRecord]:
    """Yield what is noted about a kept environment, which is not removed as long as this lasts.

    Raises:
        OSError: it was removed.
    """
    with lock_folder(folder):
        record = find_record(folder)
        if record is None:  # `forget` may have come first
            raise FileNotFoundError(errno.ENOENT, "it was removed", str(folder / RECORD))
        yield record


def restore(folder: Path, place: Path) -> None:
    """Copy a kept environment, which is held meanwhile, to where it can be worked in, in place of what is there.

    Raises:
        OSError: it can't be copied; what is there has not changed.
    """
    copies = {part: place / f"{part}.copy" for part in PARTS}
    try:
        for part, copy in copies.items():
            _copy(folder / part, copy)
            if _modes(folder, part).exists():
                close_again(copy, _modes(folder, part))
    except OSError:
        for copy in copies.values():
            remove_tree(copy)
        raise
    for part, copy in copies.items():
        remove_tree(place / part)
        copy.rename(place / part)


def forget(folder: Path) -> bool:
    """Remove a kept environment that nobody uses.

    Returns:
        Whether it is gone. If not, it is no longer found.
    """
    # The record goes first: an interruption would leave a part of the files, which must not be taken for all of them.
    (folder / RECORD).unlink(missing_ok=True)
    return remove_tree(folder)


def list_kept_environments() -> list[Path]:
    """Return the folders of those of all projects."""
    return sorted((cache_folder() / ENVIRONMENTS).glob("*/*"))


def _folder_of(project: str) -> Path:
    return cache_folder() / ENVIRONMENTS / compute_project_key(project)


def _modes(folder: Path, part: str) -> Path:
    return folder / f"{part}.modes"


def _copy(source: Path, target: Path) -> None:
    # Owners, rights and links as they are; nothing goes through a link.
    words = ["cp", "-a", "--reflink=auto", "--", str(source), str(target)]
    done = subprocess.run(words, check=False, capture_output=True, text=True, errors="replace")  # noqa: S603
    if done.returncode:
        said = done.stderr.strip().partition("\n")[0]
        for folder in (target.parent, source.parent):
            said = said.replace(f"{folder}/", "")
        raise OSError(" ".join(shorten(said, LONGEST).split()))
