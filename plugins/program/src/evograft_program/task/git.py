"""Git as a subprocess that runs nothing of what a repository brings: no hooks, monitors, filters or pagers."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from evograft.api import UserError

HARDENED = {"core.fsmonitor": "false", "core.hooksPath": os.devnull, "core.pager": "cat", "submodule.recurse": "false"}
"""Settings that stand in place of a repository's own."""
ENVIRONMENT = {"GIT_LITERAL_PATHSPECS": "1", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
KEPT = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
"""Beginnings of git's variables that say who the user is; the others lead to other repositories."""
OF_REPOSITORY = frozenset({"local", "worktree"})
"""Scopes of settings that come with a repository, not from the user or the machine."""
DISTRUST = "detected dubious ownership"


def find_repository(path: Path) -> Path | None:
    """Return the root of the git repository that a file or folder lies in; `None`: it lies in none."""
    return next((folder for folder in (path, *path.parents) if (folder / ".git").exists()), None)


def find_commit(path: Path) -> str:
    """Return the commit that is checked out where a path lies; empty: there is none, or git does not say."""
    root = find_repository(path)
    if root is None:
        return ""
    try:
        return GitRepository(root).run("rev-parse", "--verify", "HEAD^{commit}")
    except UserError:
        return ""  # no git, no commit yet, or not trusted: only a branch would need it, and that says why


def find_ignored(folders: Iterable[Path], *, but: Iterable[Path] = ()) -> frozenset[Path]:
    """Return what git ignores in folders, wholly ignored folders as one path; nothing where there is no repository.

    Args:
        folders: that may lie in a repository.
        but: files that are not left out whatever git says, nor the folders that they are in.
    """
    kept = {each for path in but for each in (path, *path.parents)}
    return frozenset(path for folder in folders for path in _list_ignored(folder) if path not in kept)


def _list_ignored(folder: Path) -> list[Path]:
    if not folder.is_dir() or find_repository(folder) is None:
        return []
    words = ("ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
    try:
        names = GitRepository(folder).list_paths(*words)
    except UserError:
        return []  # no git, or not trusted: all files are copied
    return [folder / name for name in names if name != "./"]  # a folder that is ignored itself


class GitRepository:
    """A repository, by git's commands. The settings of the user and of the machine hold.

    Args:
        folder: its root, or a folder in it, where commands are carried out.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def run(self, *words: str, text: str = "", index: str = "") -> str:
        """Run a command, and return what it prints.

        Args:
            words: of the command.
            text: its input.
            index: a file in place of the repository's own.

        Raises:
            UserError: git is missing, or refuses.
        """
        settings = {**HARDENED, **self._disabled_filters}
        done = self._run(words, settings, text.encode(), {"GIT_INDEX_FILE": index} if index else {})
        if done.returncode:
            raise UserError(self._explain(words[0], done.stderr.decode(errors="replace")))
        return os.fsdecode(done.stdout).strip("\n")

    def list_paths(self, *words: str) -> list[str]:
        """Return what a command prints that divides by zero bytes, as `-z` has it."""
        return [path for path in self.run(*words).split("\0") if path]

    @cached_property
    def _disabled_filters(self) -> dict[str, str]:
        """Return settings without the filters that the repository itself defines: they are commands."""
        words = ("config", "--show-scope", "--null", "--name-only", "--get-regexp", r"^filter\.")
        parts = os.fsdecode(self._run(words, HARDENED).stdout).split("\0")
        names = (name for scope, name in zip(parts[::2], parts[1::2], strict=False) if scope in OF_REPOSITORY)
        return {name: "false" if name.endswith(".required") else "" for name in names}

    def _run(
        self,
        words: tuple[str, ...],
        settings: dict[str, str],
        given: bytes = b"",
        variables: dict[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        own = {
            name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(KEPT)
        }
        environment = {**own, **ENVIRONMENT, **_as_variables(settings), **(variables or {})}
        try:
            return subprocess.run(  # noqa: S603 - words of ours
                ["git", "--no-pager", *words],  # noqa: S607 - the user's git
                cwd=self._folder,
                env=environment,
                input=given,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError as err:
            raise UserError(f"git is not installed, and {str(self._folder)!r} is in a repository of it") from err

    def _explain(self, command: str, said: str) -> str:
        where = str(self._folder)
        if DISTRUST in said:
            return (
                f"git does not trust {where!r}, which is somebody else's: git config --global --add safe.directory PATH"
            )
        lines = said.strip().splitlines()
        return f"git {command} in {where!r}: {lines[-1] if lines else 'failed'}"


def _as_variables(settings: dict[str, str]) -> dict[str, str]:
    """Return settings as variables, which have room for names with an equals sign."""
    pairs: dict[str, str] = {}
    for number, (name, value) in enumerate(settings.items()):
        pairs |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return {"GIT_CONFIG_COUNT": str(len(settings)), **pairs}
