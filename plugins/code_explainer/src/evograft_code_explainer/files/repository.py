"""A code base as tools see it: what may be read, and how much of it at a time."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evograft_code_explainer.files.kinds import is_binary
from evograft_code_explainer.files.printable import escape_name
from evograft_code_explainer.files.refusal import RequestRefused
from evograft_code_explainer.files.root import RepositoryRoot
from evograft_code_explainer.files.secrets import Secrets
from evograft_code_explainer.files.text import DecodedText, decode
from evograft_code_explainer.files.walk import FileEntry, FolderWalk

if TYPE_CHECKING:
    from evograft_code_explainer.options import CodeExplainerOptions

SNIFFED = 8 * 1024
"""Bytes by which a file shows whether it is text."""


@dataclass(frozen=True)
class TextFile:
    """A text file, as far as it was read."""

    path: str
    """Its real path from the root."""
    content: DecodedText
    size: int
    """Bytes of the whole file."""
    is_whole: bool
    """Whether it was read to its end."""


class Repository:
    """The files below a root, within the limits of the options."""

    def __init__(self, options: CodeExplainerOptions) -> None:
        self.options = options
        self.root = RepositoryRoot(Path(options.root), Secrets(options.allow))

    def walk(self, *, hidden: bool = False, recursive: bool = True) -> FolderWalk:
        return FolderWalk(self.root, hidden=hidden or self.options.hidden, recursive=recursive)

    def is_text(self, entry: FileEntry) -> bool:
        """Return whether a file begins as texts do; one that can't be opened does not."""
        try:
            return not is_binary(entry.read(SNIFFED))
        except (OSError, RequestRefused):
            return False

    def read(self, path: str, *, most: int | None = None) -> TextFile:
        """Return the text of a file; raise `RequestRefused` if there is none.

        Args:
            path: from the root.
            most: how many bytes are read, if not as many as the options allow.
        """
        most = most or self.options.file_bytes
        with self.root.file(path) as opened, open(opened.descriptor, "rb", closefd=False) as file:
            try:
                data = file.read(most)
            except OSError as err:
                raise RequestRefused(f"{escape_name(path)}: {err.strerror}") from err
            size = os.fstat(opened.descriptor).st_size
        if is_binary(data[:SNIFFED]):
            raise RequestRefused(f"{escape_name(path)} is no text but {size:,} bytes of something else")
        return TextFile(opened.path, decode(data), size, is_whole=len(data) < most or size <= most)
