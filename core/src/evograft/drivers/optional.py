"""Libraries that a user can do without: imported when a driver that needs one is opened."""

from __future__ import annotations

import importlib
import re
import shlex
from importlib.metadata import requires
from typing import Any

from evograft_hookspecs import LlmUnavailable


def installed(library: str, *, extra: str, error: type[Exception] = LlmUnavailable) -> Any:
    """Imports a library of an extra of evograft; the error says how to install it if it is missing."""
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError as err:
        raise error(
            f"this driver needs the package {err.name}, which is not installed: pip install {requirements(extra)}"
        ) from err


def requirements(extra: str) -> str:
    """What an extra of evograft stands for, ready for a shell: evograft itself may not come from a package index."""
    marker = re.compile(rf"extra == ['\"]{re.escape(extra)}['\"]")
    listed = [line.partition(";")[0].strip() for line in requires("evograft") or () if marker.search(line)]
    return shlex.join(listed) or f"'evograft[{extra}]'"
