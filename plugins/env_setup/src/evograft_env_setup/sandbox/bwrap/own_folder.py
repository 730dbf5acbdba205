"""Folders that end with the process that made them, or are found afterwards by the next one."""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from evograft.api import ensure_cache_folder
from evograft_env_setup.sandbox.project_key import compute_project_key
from evograft_sandbox.process_owner import ProcessOwner, is_orphaned

MARK = ".owner"
PACKAGES = "packages"


def cache_folder() -> Path:
    """Return the folder of all that set-ups keep on this machine."""
    return ensure_cache_folder("env")


def packages_of(project: str) -> Path:
    """Return the folder in which a project's packages are kept.

    It is the project's own, because whoever fills it could deceive others.
    """
    return cache_folder() / PACKAGES / compute_project_key(project)


def list_kept_packages() -> list[Path]:
    """Return those folders of all projects."""
    return sorted((cache_folder() / PACKAGES).glob("*"))


@contextlib.contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Keep the folder of an environment from being removed as long as this lasts; several may use it.

    Raises:
        OSError: it is gone, or is being removed.
    """
    with _locked(folder, fcntl.LOCK_SH):
        yield


@contextlib.contextmanager
def lock_packages(folder: Path) -> Iterator[None]:
    """Do the same for a folder of packages.

    Commands of another set-up can lock this one, which must not stop us.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(BlockingIOError):
            stack.enter_context(lock_folder(folder))
        yield


@dataclass(frozen=True)
class Removal:
    """The outcome for folders that were to be removed."""

    removed: tuple[Path, ...]
    in_use: tuple[Path, ...]
    """Those that stay, because somebody uses them."""


def remove_idle(paths: Iterable[Path], remove: Callable[[Path], bool]) -> Removal:
    """Remove those folders that nobody uses; what is not a folder stays where it is.

    Args:
        paths: of the folders.
        remove: removes one, and returns whether it is gone. Nobody begins to use it meanwhile.
    """
    removed, used = [], []
    for path in paths:
        try:
            with _locked(path, fcntl.LOCK_EX):
                if remove(path):
                    removed.append(path)
        except BlockingIOError:
            used.append(path)
        except (FileNotFoundError, NotADirectoryError):
            continue
    return Removal(tuple(removed), tuple(used))


@contextlib.contextmanager
def _locked(folder: Path, how: int) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def make_own_folder() -> Path:
    """Make a folder that nobody else may enter, with the mark of this process next to it."""
    place = _place()
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The mark comes first: a process that is killed in between leaves a mark without a folder, not the reverse.
    with tempfile.NamedTemporaryFile("w", dir=place, suffix=MARK, delete=False) as mark:
        mark.write(ProcessOwner.current().to_label())
    folder = _folder_of(Path(mark.name))
    folder.mkdir(mode=0o700)
    return folder


def remove_own_folder(folder: Path) -> bool:
    """Remove the folder and its mark.

    Returns:
        Whether it is gone. If not, it stays marked.
    """
    gone = remove_tree(folder)
    if gone:
        folder.with_name(folder.name + MARK).unlink(missing_ok=True)
    return gone


def list_leftovers() -> list[Path]:
    """Return the folders of processes that have ended, except those of other machines that share the place."""
    return [_folder_of(mark) for mark in sorted(_place().glob(f"*{MARK}")) if _is_orphan(mark)]


def remove_leftovers() -> list[Path]:
    """Remove what `list_leftovers` finds.

    Returns:
        What is gone.
    """
    return [folder for folder in list_leftovers() if remove_own_folder(folder)]


def remove_tree(folder: Path) -> bool:
    """Remove a folder that strangers have filled.

    It may be deeper than `shutil.rmtree` can follow, and hold folders that nobody may write to, as Go's cache does.

    Returns:
        Whether it is gone.
    """
    _run("rm", "-rf", "--", str(folder))
    if folder.exists():
        _run("chmod", "-R", "u+rwX", "--", str(folder))
        _run("rm", "-rf", "--", str(folder))
    return not folder.exists()


def _run(*words: str) -> None:
    # What they say is what is left to see.
    subprocess.run(words, check=False, capture_output=True)  # noqa: S603 - the folder is one word, after --


def _place() -> Path:
    return cache_folder() / "workshops"


def _folder_of(mark: Path) -> Path:
    return mark.with_name(mark.name.removesuffix(MARK))


def _is_orphan(mark: Path) -> bool:
    try:
        return is_orphaned(mark.read_text())
    except (FileNotFoundError, UnicodeDecodeError):  # removed at this moment, or not written by us
        return False
