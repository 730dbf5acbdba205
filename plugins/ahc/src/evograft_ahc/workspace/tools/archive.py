"""An archive of tools, unpacked so that nothing in it reaches beyond its folder."""

from __future__ import annotations

import lzma
import shutil
import stat
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from evograft_ahc.text.messages import ContestUserError

MAX_FILES = 20_000
MAX_BYTES = 1 << 30
MAX_NAME = 240
PIECE = 1 << 20
UNREADABLE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, RuntimeError, ValueError, EOFError, OSError)
"""What reading a damaged, encrypted or unusual archive may raise."""
DROPPED = ("__MACOSX", ".DS_Store", ".git")
"""Left by the system that packed it."""


def unpack_archive(archive: Path, target: Path) -> None:
    """Unpack a ZIP archive into a folder that does not exist yet; its only top folder, `tools/`, is left out.

    Raises:
        ContestUserError: it is no archive, too large, or holds names or kinds of files that could do harm. Nothing is
            left then.
    """
    part = target.with_name(f"{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        with zipfile.ZipFile(archive) as opened:
            _extract(opened, part, archive)
        _without_top_folder(part).rename(target)
    except UNREADABLE as err:
        raise make_refusal(archive, f"it can't be read: {err}", f"読み取れません: {err}") from err
    finally:
        shutil.rmtree(part, ignore_errors=True)


def make_refusal(archive: Path, why: str, why_ja: str) -> ContestUserError:
    return ContestUserError(
        f"{str(archive)!r} is not unpacked: {why}; give the official archive with: --tools ZIP",
        ja=f"{str(archive)!r} を展開しません: {why_ja}。公式の配布アーカイブを --tools ZIP で指定してください",
    )


def _extract(opened: zipfile.ZipFile, folder: Path, archive: Path) -> None:
    entries = [entry for entry in opened.infolist() if not _is_dropped(entry)]
    if len(entries) > MAX_FILES:
        raise make_refusal(archive, f"it holds more than {MAX_FILES} files", f"ファイルが {MAX_FILES} 個を超えています")
    for entry in entries:
        if not _is_harmless(entry):
            raise make_refusal(archive, f"it holds {entry.filename!r}", f"{entry.filename!r} を含んでいます")
    left = MAX_BYTES
    for entry in entries:
        path = folder / entry.filename
        if entry.is_dir():
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        left -= _copy(opened, entry, path, left)
        if left < 0:
            raise make_refusal(
                archive, f"it unpacks to more than {MAX_BYTES >> 20} MB", f"展開後に {MAX_BYTES >> 20} MB を超えます"
            )


def _copy(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path, left: int) -> int:
    """Copy an entry, counting what comes out, whatever the archive says of its size; stop just past what is left."""
    size = 0
    # Files are created fresh: two entries of one name are no way to write through the first.
    with opened.open(entry) as source, path.open("xb") as target:
        while size <= left and (piece := source.read(PIECE)):
            target.write(piece)
            size += len(piece)
    return size


def _is_dropped(entry: zipfile.ZipInfo) -> bool:
    return any(part in DROPPED for part in PurePosixPath(entry.filename).parts)


def _is_harmless(entry: zipfile.ZipInfo) -> bool:
    name = entry.filename
    path = PurePosixPath(name)
    kind = stat.S_IFMT(entry.external_attr >> 16)
    return (
        kind in (0, stat.S_IFREG, stat.S_IFDIR)
        and 0 < len(name.encode(errors="replace")) <= MAX_NAME
        and name.isprintable()
        and not path.is_absolute()
        and ".." not in path.parts
        and not any(mark in name for mark in "\\:")
    )


def _without_top_folder(folder: Path) -> Path:
    entries = list(folder.iterdir())
    return entries[0] if len(entries) == 1 and entries[0].is_dir() else folder
