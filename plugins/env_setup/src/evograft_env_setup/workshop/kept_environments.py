"""Environments that were set up without a container: kept in the user's cache, one a project, each as it was verified."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
from pathlib import Path

from pydantic import ValidationError

from evograft_env_setup.plan import SelectedEnvironment
from evograft_env_setup.workshop.own_folder import cache_folder, idle, in_use, remove_tree
from evograft_env_setup.workshop.project import short_digest
from evograft_hookspecs.values import Text, Value

ENVIRONMENTS = "environments"
RECORD = "environment.json"
PARTS = ("workspace", "home")
"""Folders that make up an environment; packages lie elsewhere."""


class Record(Value):
    """What is noted about an environment."""

    planned: SelectedEnvironment
    """By which it is found again."""
    made: SelectedEnvironment
    """The same with commands as they were corrected."""
    programs: tuple[Text, ...] = ()
    """Folders outside of /usr that its commands may run programs of."""


def environment_folder(project: str, name: str) -> Path:
    """Return where an environment of a project is kept.

    Args:
        project: its path, or the address that it was cloned from.
        name: of files, commands and whatever else the environment follows from.
    """
    return cache_folder() / ENVIRONMENTS / short_digest(project) / name


def find_record(folder: Path) -> Record | None:
    """Return what is noted about a kept environment; `None`: there is none, or one that this version cannot read."""
    try:
        return Record.model_validate_json((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError):
        return None


def find_newest(project: str) -> Path | None:
    """Return the folder of the environment that is kept for a project."""
    found = [path for path in environment_folder(project, "").glob("*") if find_record(path)]
    return max(found, key=lambda path: path.stat().st_mtime, default=None)


def keep(place: Path, folder: Path, record: Record) -> None:
    """Copy what was set up, as the only environment of its project.

    Args:
        place: the folder of a set-up, in which nothing runs at the moment.
        folder: as `environment_folder` names it.
        record: is noted.

    Raises:
        OSError: it can't be copied.
    """
    copy = place / "copy"
    copy.mkdir(mode=0o700)
    for part in PARTS:
        _copy(place / part, copy / part)
    (copy / RECORD).write_text(record.model_dump_json(), encoding="utf-8")
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _put(copy, folder, place / "replaced")
    for other in idle(folder.parent.iterdir()):
        if other != folder:
            forget(other)


def _put(copy: Path, folder: Path, replaced: Path) -> None:
    while True:
        try:
            copy.rename(folder)
        except OSError as err:
            if err.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        else:
            return
        # Another set-up of the same project may put its own there again, or take it away, at any moment.
        with contextlib.suppress(FileNotFoundError):
            folder.rename(replaced)
        remove_tree(replaced)


def restore(folder: Path, place: Path) -> None:
    """Copy a kept environment to where it can be worked in, in place of what is there.

    Raises:
        OSError: it can't be copied, or is gone; what is there has not changed.
    """
    copies = {part: place / f"{part}.copy" for part in PARTS}
    try:
        with in_use(folder):
            before = folder.stat()
            for part, copy in copies.items():
                _copy(folder / part, copy)
            # Whoever saw that nobody used it may have begun to remove it meanwhile, or put another one there.
            if not (os.path.samestat(before, folder.stat()) and (folder / RECORD).exists()):
                raise FileNotFoundError("it was removed or replaced meanwhile")
    except OSError:
        for copy in copies.values():
            remove_tree(copy)
        raise
    for part, copy in copies.items():
        remove_tree(place / part)
        copy.rename(place / part)


def forget(folder: Path) -> bool:
    """Remove a kept environment.

    Returns:
        Whether it is gone. If not, it is no longer found.
    """
    # The record goes first: an interruption would leave a part of the files, which must not be taken for all of them.
    (folder / RECORD).unlink(missing_ok=True)
    return remove_tree(folder)


def idle_environments() -> list[Path]:
    """Return those of all projects that nobody copies at the moment."""
    return idle(sorted((cache_folder() / ENVIRONMENTS).glob("*/*")))


def _copy(source: Path, target: Path) -> None:
    # Owners, rights and links as they are; nothing goes through a link.
    words = ["cp", "-a", "--reflink=auto", "--", str(source), str(target)]
    done = subprocess.run(words, check=False, capture_output=True, text=True, errors="replace")  # noqa: S603
    if done.returncode:
        raise OSError(done.stderr.strip().rpartition("\n")[2])
