"""A branch of the user's repository with the changes of a candidate. What is checked out stays as it is."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from evograft.api import UserError
from evograft_program.changes.change import FileChange


def find_repository(path: Path) -> Path | None:
    """Return the root of the git repository that a path lies in; `None`: it lies in none."""
    return next((folder for folder in path.parents if (folder / ".git").exists()), None)


def commit_to_branch(changes: Sequence[FileChange], branch: str, message: str) -> str:
    """Make a branch at the commit that is checked out, with one more commit, and return its hash.

    Raises:
        UserError: the files are in no repository, the branch exists, or git refuses.
    """
    root = find_repository(changes[0].path)
    if root is None:
        raise UserError(f"{str(changes[0].path)!r} is not in a git repository: leave out --branch")
    git = GitRepository(root)
    git.run("check-ref-format", "--branch", branch)
    if git.run("branch", "--list", branch):
        raise UserError(f"there is a branch {branch!r} already: give --branch another name")
    head = git.run("rev-parse", "--verify", "HEAD^{commit}")
    commit = git.commit({change.path: change.after for change in changes}, head, message)
    git.run("update-ref", f"refs/heads/{branch}", commit, "0" * 40)
    return commit


class GitRepository:
    """A repository, by git's commands for its objects.

    Args:
        root: its folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def run(self, *words: str, text: str = "", index: str = "") -> str:
        """Run a command, and return what it prints.

        Args:
            words: of the command.
            text: its input.
            index: a file in place of the repository's own.

        Raises:
            UserError: git is missing, or refuses.
        """
        environment = {**os.environ, **({"GIT_INDEX_FILE": index} if index else {})}
        try:
            done = subprocess.run(  # noqa: S603 - words of ours
                ["git", *words],  # noqa: S607 - the user's git
                cwd=self._root,
                env=environment,
                input=text.encode(),
                capture_output=True,
                check=True,
            )
        except FileNotFoundError as err:
            raise UserError("git is not installed: leave out --branch, or install git") from err
        except subprocess.CalledProcessError as err:
            said = err.stderr.decode(errors="replace").strip().splitlines()
            raise UserError(f"git {words[0]} in {str(self._root)!r}: {said[-1] if said else 'failed'}") from err
        return done.stdout.decode(errors="replace").strip()

    def commit(self, files: dict[Path, str], parent: str, message: str) -> str:
        """Return the hash of a new commit that differs from its parent in these files."""
        with tempfile.TemporaryDirectory() as folder:
            index = str(Path(folder) / "index")
            self.run("read-tree", parent, index=index)
            for path, text in files.items():
                name = path.relative_to(self._root).as_posix()
                blob = self.run("hash-object", "-w", "--stdin", "--path", name, text=text)
                self.run("update-index", "--add", "--cacheinfo", f"{_mode(path)},{blob},{name}", index=index)
            tree = self.run("write-tree", index=index)
        return self.run("commit-tree", tree, "-p", parent, text=message)


def _mode(path: Path) -> str:
    return "100755" if path.exists() and os.access(path, os.X_OK) else "100644"
