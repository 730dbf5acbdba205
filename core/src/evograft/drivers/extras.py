"""Libraries that a user can do without: imported when a driver that needs one is opened."""

from __future__ import annotations

import importlib
from typing import Any

from evograft_hookspecs import LlmUnavailable


def installed(library: str, *, extra: str) -> Any:
    """Imports a library of an extra of evograft; LlmUnavailable says how to install it if it is missing."""
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError as err:
        raise LlmUnavailable(
            f"this driver needs the package {err.name}, which is not installed: pip install 'evograft[{extra}]'"
        ) from err
