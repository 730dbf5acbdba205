"""What belongs to a run next to its log, as files in its folder."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from evograft.errors import LogDamaged, ServiceError
from evograft.files import write_atomically
from evograft.runs.writer_lock import WriterLock, holder_of, lock_note_of
from evograft_hookspecs.drivers.shared_store import Writer

INBOX = "inbox"
WRITTEN = ("pipeline.lock.yaml", "log.head")
"""The files that change whenever settings or a row are written."""


class FolderStorage:
    """A `RunStorage` of files, for processes of one machine.

    Args:
        folder: of the run.
        lock: if this process works on the run.
    """

    def __init__(self, folder: Path, lock: WriterLock | None = None) -> None:
        self._folder = folder
        self._lock = lock

    def read_document(self, name: str) -> bytes | None:
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as err:
            raise LogDamaged(f"cannot read {str(self._folder / name)!r}: {err.strerror}") from err

    def write_document(self, name: str, content: bytes | None) -> None:
        if content is None:
            (self._folder / name).unlink(missing_ok=True)
        else:
            write_atomically(self._folder / name, content)

    def send_message(self, message: str, body: str) -> None:
        # The run sees the whole message or none.
        temporary = self._folder / INBOX / f"{message}.new"
        try:
            temporary.parent.mkdir(exist_ok=True)
            temporary.write_text(body, encoding="utf-8")
            temporary.replace(self._place(message))
        except OSError as err:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise ServiceError(f"cannot leave a message in {str(temporary.parent)!r}: {err.strerror}") from err

    def messages(self) -> list[tuple[str, str]]:
        return [(path.stem, _text_of(path)) for path in sorted((self._folder / INBOX).glob("*.json"))]

    def has_message(self, message: str) -> bool:
        return self._place(message).exists()

    def remove_message(self, message: str) -> None:
        self._place(message).unlink(missing_ok=True)

    def refuse_message(self, message: str) -> None:
        with suppress(OSError):
            self._place(message).replace(self._place(message).with_suffix(".refused"))

    def claim(self) -> None:
        """Do nothing: the lock of the folder is held, or this would not be called."""

    def write_note(self, text: str) -> None:
        if self._lock is not None:
            self._lock.note(text)

    def writer(self) -> Writer | None:
        process = holder_of(self._folder)
        return None if process is None else Writer(process=process, note=lock_note_of(self._folder))

    def last_written(self) -> float:
        paths = (self._folder / name for name in WRITTEN)
        return max(path.stat().st_mtime for path in paths if path.exists())

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    def close(self) -> None:
        """Do nothing: nothing is open between calls."""

    def _place(self, message: str) -> Path:
        return self._folder / INBOX / f"{message}.json"


def _text_of(path: Path) -> str:
    """Return the text of a file; of what is none, nothing."""
    try:
        return path.read_text(encoding="utf-8") if path.is_file() else ""  # a pipe would be waited for
    except (OSError, UnicodeDecodeError):
        return ""
