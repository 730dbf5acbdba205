"""The text of a file in a repository that nobody vouches for."""

from __future__ import annotations

import codecs
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from evograft.text.byte_order_mark import Marked, find_mark
from evograft_env_setup.manifests.manifest import UnreadableManifest

BEGINNING = 16 * 1024
"""Bytes that are kept of a file that is too large."""
CUT = "[cut here: the file has "
"""How the last line begins of what was cut."""
SAMPLE = 8 * 1024
"""Bytes that an encoding is guessed from."""
OPENING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@dataclass(frozen=True)
class FileContent:
    text: str
    encoding: str
    size: int
    """Bytes of the whole file."""

    @property
    def is_cut(self) -> bool:
        return is_cut(self.text)


def read_content(root: Path, path: str, largest: int) -> FileContent:
    """Read the text of a plain file below a root; of one that is too large only the beginning, which says so.

    Raises:
        UnreadableManifest: it is not a file, lies outside the root by a link, or is not text.
    """
    data, size = _read(_place(root, path), largest)
    if size <= largest:
        return FileContent(*_decoded(data), size)
    text, encoding = _decoded(data[:BEGINNING], whole=False)
    return FileContent(f"{text}\n{CUT}{size:,} bytes]\n", encoding, size)


def is_cut(text: str) -> bool:
    return text.rstrip("\n").rpartition("\n")[2].startswith(CUT)


def _place(root: Path, path: str) -> Path:
    """Return where a path really leads, which must be below the root."""
    try:
        place = (root / path).resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as err:  # Python tells of a loop of links by a RuntimeError
        raise UnreadableManifest(
            f"can't be reached: {getattr(err, 'strerror', None) or 'its links run in a circle'}"
        ) from err
    if not place.is_relative_to(root.resolve()):
        raise UnreadableManifest("is a link to the outside of the repository, which is not followed")
    return place


def _read(place: Path, largest: int) -> tuple[bytes, int]:
    try:
        # Looked at before it is opened, which for a device may do something.
        if not stat.S_ISREG(place.lstat().st_mode):
            raise UnreadableManifest("is no plain file")
        with os.fdopen(os.open(place, OPENING), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            return file.read(largest if size <= largest else BEGINNING), size
    except OSError as err:
        raise UnreadableManifest(f"can't be read: {err.strerror}") from err


def _decoded(data: bytes, *, whole: bool = True) -> tuple[str, str]:
    encoding, data = find_mark(data) or Marked(_guess(data), data)
    try:
        text = codecs.getincrementaldecoder(encoding)("strict").decode(data, final=whole)
    except UnicodeError as err:
        raise UnreadableManifest(f"is no text: not {encoding}") from err
    if "\0" in text:
        raise UnreadableManifest("is no text: it has NUL characters")
    return text, encoding


def _guess(data: bytes) -> str:
    try:
        codecs.getincrementaldecoder("utf-8")("strict").decode(data)
    except UnicodeDecodeError as err:
        from charset_normalizer import from_bytes

        best = from_bytes(
            data[max(0, err.start - SAMPLE // 2) : err.start + SAMPLE // 2], steps=3, chunk_size=512
        ).best()
        if best is None:
            raise UnreadableManifest("is no text in any known encoding") from err
        return best.encoding
    # Without a mark, UTF-16 of plain ASCII is UTF-8 with every other byte a NUL.
    if data[1:200:2].count(0) > len(data[1:200:2]) // 2:
        return "utf-16-le"
    return "utf-16-be" if data[0:200:2].count(0) > len(data[0:200:2]) // 2 else "utf-8"
