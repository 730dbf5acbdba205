"""The way from a folder down to a file, component by component, with every step held open.

What is checked is what is opened: a name is looked up in a folder that is held by its descriptor, links are followed by
hand, and `..` goes back to the folder that was come from. So nothing that others rename or replace meanwhile leads out
of the root, and no file is opened that is not a plain one: opening a pipe or a device could wait for ever.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from collections.abc import Callable
from typing import Self

from evograft_code_explainer.files.refusal import RequestRefused

LINKS = 40
"""Symbolic links that are followed on one way; the same as in Linux."""

PLAIN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
FOLDER = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC


class Descent:
    """A descent from a root; a context manager, which closes what is held."""

    def __init__(self, root: str, parts_of: Callable[[str], list[str]]) -> None:
        """Open the root.

        Args:
            root: the folder, whatever may be in its own path.
            parts_of: the components of an absolute path from the root on; raises `RequestRefused` for one that lies
                outside.
        """
        self.names: list[str] = []
        """The way that was really gone, without links."""
        self.links: list[str] = []
        """The links on it, as paths from the root."""
        self.file: int | None = None
        """The descriptor of the plain file at the end."""
        self._parts_of = parts_of
        self._held = [os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for held in (*self._held, *([] if self.file is None else [self.file])):
            os.close(held)

    @property
    def folder(self) -> int:
        """Return the descriptor of the folder that was reached."""
        return self._held[-1]

    @property
    def path(self) -> str:
        """Return the path from the root, with slashes, and one at its end if it is a folder."""
        return "/".join(self.names) + ("/" if self.file is None and self.names else "")

    def go(self, path: str) -> None:
        """Go a path from the root; raises `OSError` and `RequestRefused`."""
        todo = deque(self._parts_of(path))
        while todo:
            self._step(todo.popleft(), todo)

    def _step(self, part: str, todo: deque[str]) -> None:
        if part in ("", "."):
            return
        if self.file is not None:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if part == "..":
            self._go_back()
            return
        mode = os.stat(part, dir_fd=self.folder, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            self._follow(part, todo)
        elif stat.S_ISDIR(mode):
            self._held.append(os.open(part, FOLDER, dir_fd=self.folder))
            self.names.append(part)
        else:
            self.file = open_plain(part, self.folder)
            self.names.append(part)

    def _go_back(self) -> None:
        if not self.names:
            raise RequestRefused("the path leads out of the root: give a path below it, such as `.`")
        self.names.pop()
        os.close(self._held.pop())

    def _follow(self, part: str, todo: deque[str]) -> None:
        self.links.append("/".join([*self.names, part]))
        if len(self.links) > LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        target = os.readlink(part, dir_fd=self.folder)
        if target.startswith("/"):
            todo.extendleft(reversed(self._parts_of(target)))
            while self.names:
                self._go_back()
        else:
            todo.extendleft(reversed(target.split("/")))


def open_plain(name: str, folder: int) -> int:
    """Open a plain file in a folder and return its descriptor.

    Raises `OSError`, and `RequestRefused` for anything else.
    """
    # Looked at before: opening a device may do something, and looked at again: it may be another one by now.
    if stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        opened = os.open(name, PLAIN, dir_fd=folder)
        if stat.S_ISREG(os.fstat(opened).st_mode):
            return opened
        os.close(opened)
    raise RequestRefused("neither a file nor a folder but a device, pipe or socket: it can't be read")
