"""Optional libraries: imported when a driver that needs one is opened."""

from __future__ import annotations

import importlib
import re
import shlex
from importlib.metadata import requires
from typing import Any

from evograft_hookspecs import LlmUnavailable


def import_optional(library: str, *, extra: str, error: type[Exception] = LlmUnavailable) -> Any:
    """Import a library of an extra, such as `evograft-models[ollama]`.

    If it is missing, the error says how to install it.
    """
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError as err:
        raise error(
            f"this driver needs the package {err.name}, which is not installed: pip install {requirements_of(extra)}"
        ) from err


def requirements_of(extra: str) -> str:
    """Return what an extra stands for, ready for a shell: what it belongs to may not come from a package index."""
    distribution, _, name = extra.rstrip("]").partition("[")
    marker = re.compile(rf"extra == ['\"]{re.escape(name)}['\"]")
    listed = [line.partition(";")[0].strip() for line in requires(distribution) or () if marker.search(line)]
    return shlex.join(listed) or f"'{extra}'"
