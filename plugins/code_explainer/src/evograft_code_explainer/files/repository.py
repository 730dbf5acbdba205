"""A code base as tools see it: what may be read, and how much of it at a time."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evograft_code_explainer.files.kinds import is_binary
from evograft_code_explainer.files.printable import shown_name
from evograft_code_explainer.files.refusal import Refused
from evograft_code_explainer.files.root import Root
from evograft_code_explainer.files.secrets import Secrets
from evograft_code_explainer.files.text import Decoded, decode
from evograft_code_explainer.files.walk import Entry, Walk

if TYPE_CHECKING:
    from evograft_code_explainer.options import CodeExplainerOptions

SNIFFED = 8 * 1024
"""Bytes by which a file shows whether it is text."""


@dataclass(frozen=True)
class TextFile:
    """What was read of a file."""

    path: str
    """Its real path from the root."""
    content: Decoded
    size: int
    """Bytes of the whole file."""
    is_whole: bool
    """Whether it was read to its end."""


class Repository:
    """The files below a root, within the limits of the options."""

    def __init__(self, options: CodeExplainerOptions) -> None:
        self.options = options
        self.root = Root(Path(options.root), Secrets(options.allow))

    def walk(self, *, hidden: bool = False, recursive: bool = True) -> Walk:
        return Walk(self.root, hidden=hidden or self.options.hidden, recursive=recursive)

    def is_text(self, entry: Entry) -> bool:
        """Whether a file begins as texts do; one that can't be opened does not."""
        try:
            return not is_binary(entry.read(SNIFFED))
        except (OSError, Refused):
            return False

    def read(self, path: str, *, most: int | None = None) -> TextFile:
        """The text of a file; raises `Refused`.

        Args:
            path: from the root.
            most: how many bytes are read, if not as many as the options allow.
        """
        most = most or self.options.file_bytes
        with self.root.file(path) as opened, open(opened.descriptor, "rb", closefd=False) as file:
            try:
                data = file.read(most)
            except OSError as err:
                raise Refused(f"{shown_name(path)}: {err.strerror}") from err
            size = os.fstat(opened.descriptor).st_size
        if is_binary(data[:SNIFFED]):
            raise Refused(f"{shown_name(path)} is no text but {size:,} bytes of something else")
        return TextFile(opened.path, decode(data), size, is_whole=len(data) < most or size <= most)
