"""An exception as facts: what it says, and through whose files it came."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

MOST_TEXT = 2_000
MOST_FRAMES = 8


def describe_exception(error: BaseException, archive: str, folder: Path) -> dict[str, Any]:
    """Return what the host is told about an exception.

    Args:
        error: the exception.
        archive: where this archive is: its frames are nobody's concern.
        folder: of this command; it has another name each time, so paths are told as from there.
    """
    frames = [
        _frame(frame.filename, frame.lineno, frame.name, frame.line, folder)
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((archive, "<frozen "))
    ]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append(_frame(error.filename, error.lineno, "", error.text, folder))
    message = _get_message(error).replace(f"{folder}/", "")
    return {"error": type(error).__name__, "message": message, "frames": frames[-MOST_FRAMES:]}


def _frame(file: str, line: int | None, function: str, text: str | None, folder: Path) -> dict[str, Any]:
    place = str(Path(file).absolute()).removeprefix(f"{folder}/")
    return {"file": place, "line": line or 0, "function": function, "text": (text or "").strip()}


def _get_message(error: BaseException) -> str:
    try:
        return (error.msg if isinstance(error, SyntaxError) else str(error))[:MOST_TEXT]
    except BaseException:  # noqa: BLE001 - its `__str__` is anybody's
        return ""
