"""How `wolframscript` is called."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence


def wolframscript_bin() -> str:
    return os.environ.get("WOLFRAMSCRIPT_BIN", "wolframscript")


def is_wolframscript_available() -> bool:
    return shutil.which(wolframscript_bin()) is not None


def build_wolframscript_argv(arguments: Sequence[str]) -> list[str]:
    """Return the words of a command."""
    return [shutil.which(wolframscript_bin()) or wolframscript_bin(), *arguments]
