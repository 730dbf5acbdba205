"""Environments that were set up without a container: kept in the user's cache, one a project, each as it was verified."""

from __future__ import annotations

import subprocess
from pathlib import Path

from pydantic import ValidationError

from evograft_env_setup.plan import SelectedEnvironment
from evograft_env_setup.workshop.own_folder import cache_folder, in_use, is_in_use, remove_tree
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
    _copy_parts(place, copy)
    (copy / RECORD).write_text(record.model_dump_json(), encoding="utf-8")
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.exists():
        folder.rename(place / "replaced")
    copy.rename(folder)
    for other in folder.parent.iterdir():
        if other != folder and not is_in_use(other):
            remove_tree(other)


def restore(folder: Path, place: Path) -> None:
    """Copy a kept environment to where it can be worked in; what is there is removed.

    Raises:
        OSError: it can't be copied, or is gone.
    """
    with in_use(folder):
        for part in PARTS:
            remove_tree(place / part)
        _copy_parts(folder, place)


def idle_environments() -> list[Path]:
    """Return those of all projects that nobody copies at the moment."""
    folders = sorted(path for path in (cache_folder() / ENVIRONMENTS).glob("*/*") if path.is_dir())
    return [folder for folder in folders if not is_in_use(folder)]


def _copy_parts(source: Path, target: Path) -> None:
    for part in PARTS:
        # Owners, rights and links as they are; nothing goes through a link.
        words = ["cp", "-a", "--reflink=auto", "--", str(source / part), str(target / part)]
        done = subprocess.run(words, check=False, capture_output=True, text=True, errors="replace")  # noqa: S603
        if done.returncode:
            raise OSError(done.stderr.strip().rpartition("\n")[2])
