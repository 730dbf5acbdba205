"""Import names of well-known packages.

Only packages of which it is known are checked: a wrong guess would call a good environment broken.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import yaml
from packaging.utils import canonicalize_name

from evograft_env_setup.manifests.manifest import Dependency


def find_import_name(package: Dependency) -> str | None:
    """Return the name to import, if it is known."""
    if package.ecosystem in {"python", "conda"}:
        name = canonicalize_name(package.name)
        return _table()["different"].get(name) or (name.replace("-", "_") if name in _table()["same"] else None)
    return package.name if package.ecosystem == "node" and package.name in _table()["node"] else None


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = yaml.safe_load((files(__package__) / "key_packages.yaml").read_text(encoding="utf-8"))
    return table
