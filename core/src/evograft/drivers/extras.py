"""Libraries that a user can do without: imported when a driver that needs one is opened."""

from __future__ import annotations

import importlib
from typing import Any

from evograft_hookspecs import LlmUnavailable


def installed(library: str, *, extra: str, error: type[Exception] = LlmUnavailable) -> Any:
    """Imports a library of an extra of evograft; the error says how to install it if it is missing."""
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError as err:
        raise error(
            f"this driver needs the package {err.name}, which is not installed: pip install 'evograft[{extra}]'"
        ) from err
