"""The user's repository: a branch with the changes of a candidate, and which files there are not committed."""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from evograft.api import UserError
from evograft_program.changes.change import FileChange
from evograft_program.task.git import GitRepository, find_commit, find_repository


def find_uncommitted(paths: Iterable[Path]) -> list[Path]:
    """Return those of these files that git has, in another state than is committed.

    Raises:
        UserError: git is missing, or refuses.
    """
    by_root: dict[Path, list[str]] = defaultdict(list)
    for path in paths:
        root = find_repository(path)
        if root is not None:
            by_root[root].append(path.relative_to(root).as_posix())
    status = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=all", "--")
    return [
        root / line[3:] for root, names in by_root.items() for line in GitRepository(root).list_paths(*status, *names)
    ]


def commit_to_branch(changes: Sequence[FileChange], branch: str, message: str, *, start: str) -> str:
    """Make a branch with one commit, and return its hash. What is checked out stays as it is.

    Args:
        changes: of one repository.
        branch: its name.
        message: of the commit.
        start: the commit that it follows; empty: the one that is checked out.

    Raises:
        UserError: the files are in no repository or in several, the branch exists, or git refuses.
    """
    root = _find_root(changes)
    git = GitRepository(root)
    git.run("check-ref-format", "--branch", branch)
    if git.run("branch", "--list", branch):
        raise UserError(f"there is a branch {branch!r} already: give --branch another name")
    parent = start or find_commit(root)
    if not parent:
        raise UserError(f"{str(root)!r} has no commit that a branch could follow: commit the start program first")
    commit = _commit(git, {change.path.relative_to(root): change for change in changes}, parent, message)
    git.run("update-ref", f"refs/heads/{branch}", commit, "")
    return commit


def _find_root(changes: Sequence[FileChange]) -> Path:
    roots = {find_repository(change.path): change.path for change in changes}
    if None in roots:
        raise UserError(f"{str(roots[None])!r} is not in a git repository: leave out --branch")
    root, *others = [root for root in roots if root is not None]
    if others:
        raise UserError(f"the files are in several repositories ({root} and {others[0]}): leave out --branch")
    return root


def _commit(git: GitRepository, changes: dict[Path, FileChange], parent: str, message: str) -> str:
    """Return the hash of a new commit that differs from its parent in these files."""
    with tempfile.TemporaryDirectory() as folder:
        index = str(Path(folder) / "index")
        git.run("read-tree", parent, index=index)
        for path, change in changes.items():
            name = path.as_posix()
            blob = git.run("hash-object", "-w", "--stdin", "--path", name, text=change.after)
            git.run("update-index", "--add", "--cacheinfo", f"{_mode(change.path)},{blob},{name}", index=index)
        tree = git.run("write-tree", index=index)
    return git.run("commit-tree", tree, "-p", parent, text=message)


def _mode(path: Path) -> str:
    return "100755" if path.exists() and os.access(path, os.X_OK) else "100644"
