"""All environments: those that come with the plugin, and those that a user adds or changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from evograft.api import UserError, did_you_mean
from evograft_env_setup.environments.environment import Environment

ORDER = ("python", "miniforge", "node", "java", "go", "rust")
"""In which an exact tie is decided; environments of the user's come after them."""
DEFAULT = "python"


class Environments(Mapping[str, Environment]):
    """Environments by name, in the order in which a tie is decided."""

    def __init__(self, entries: Mapping[str, Mapping[str, Any]]) -> None:
        """Check the entries.

        Args:
            entries: what the data says about each.

        Raises:
            UserError: an entry is not one of an environment.
        """
        self._environments = {name: _check(name, entry) for name, entry in entries.items()}

    @classmethod
    def shipped(cls) -> Environments:
        return cls(_shipped())

    @classmethod
    def with_file(cls, path: Path) -> Environments:
        """Return the shipped environments and those of a YAML file, a mapping of names to what differs.

        Raises:
            UserError: the file can't be read, or an entry is not one of an environment.
        """
        try:
            added = yaml.safe_load(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as err:
            reason = err.strerror if isinstance(err, OSError) else str(err).splitlines()[0]
            raise UserError(f"environments: can't read {str(path)!r}: {reason}") from err
        if not isinstance(added, dict) or not all(isinstance(entry, dict) for entry in added.values()):
            raise UserError(f"environments: {str(path)!r} is no mapping of names to entries")
        return cls.changed(added)

    @classmethod
    def changed(cls, added: Mapping[str, Mapping[str, Any]]) -> Environments:
        """Return the shipped environments, with entries changed key by key, and others added."""
        shipped = _shipped()
        return cls(shipped | {name: {**shipped.get(name, {}), **entry} for name, entry in added.items()})

    def __getitem__(self, name: str) -> Environment:
        return self._environments[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._environments)

    def __len__(self) -> int:
        return len(self._environments)


@cache
def _shipped() -> dict[str, dict[str, Any]]:
    return {name: _load(name) for name in ORDER}


def _load(name: str) -> dict[str, Any]:
    entry: dict[str, Any] = yaml.safe_load((files(__package__) / f"{name}.yaml").read_text(encoding="utf-8"))
    return entry


def _check(name: str, entry: Mapping[str, Any]) -> Environment:
    try:
        return Environment.model_validate({"name": name, **entry})
    except ValidationError as err:
        first = err.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        hint = f"; {did_you_mean(where, Environment.model_fields)}" if first["type"] == "extra_forbidden" else ""
        said = first["msg"].removeprefix("Value error, ")
        raise UserError(": ".join(filter(None, ("environments", name, where, f"{said}{hint}")))) from err
