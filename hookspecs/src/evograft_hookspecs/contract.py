"""The contract as data: `python -m evograft_hookspecs.contract` prints the snapshot that `contract.json` holds."""

from __future__ import annotations

import hashlib
import inspect
import json
from importlib.resources import files
from types import ModuleType
from typing import Any

from pydantic import BaseModel

import evograft_hookspecs
from evograft_hookspecs import contexts, drivers, events, hooks, plugin, services, types

PROSE = ("description", "title")


def snapshot() -> dict[str, Any]:
    """Return everything that a plugin or driver relies on: signatures of hooks and protocols, schemas of values."""
    modules = (types, contexts, *services.MODULES, *drivers.MODULES, events, plugin)
    return {
        "contract": evograft_hookspecs.CONTRACT,
        "hooks": {
            name: _signature(function)
            for name, function in vars(hooks).items()
            if hasattr(function, f"{hooks.PROJECT}_spec")
        },
        "protocols": {name: _methods(cls) for module in modules for name, cls in _classes(module, protocol=True)},
        "values": {name: _schema(cls) for module in modules for name, cls in _classes(module, protocol=False)},
        "context": sorted(vars(contexts.Context)["__dataclass_fields__"]),
    }


def to_json(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=1, sort_keys=True) + "\n"


def committed() -> str:
    """Return the text of the committed snapshot."""
    return (files("evograft_hookspecs") / "contract.json").read_text(encoding="utf-8")


def digest(text: str) -> str:
    """Return the 12 digits that the changelog quotes for this version of the contract."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _classes(module: ModuleType, *, protocol: bool) -> list[tuple[str, type[Any]]]:
    own = [
        (name, cls) for name, cls in vars(module).items() if inspect.isclass(cls) and cls.__module__ == module.__name__
    ]
    if protocol:
        return [(name, cls) for name, cls in own if getattr(cls, "_is_protocol", False)]
    return [(name, cls) for name, cls in own if issubclass(cls, BaseModel)]


def _signature(function: Any) -> str:
    return str(inspect.signature(function)).replace("'", "")


def _methods(cls: type[Any]) -> dict[str, str]:
    public = {name: member for name, member in vars(cls).items() if not name.startswith("_")}
    return {
        name: _signature(member.fget if isinstance(member, property) else member)
        for name, member in public.items()
        if callable(member) or isinstance(member, property)
    }


def _schema(cls: type[BaseModel]) -> dict[str, Any]:
    schema = cls.model_json_schema(mode="validation")
    schema.pop("$defs", None)
    return {key: _without_prose(value) for key, value in schema.items() if key not in PROSE}


def _without_prose(schema: Any) -> Any:
    """Descriptions may be improved without changing the contract."""
    if isinstance(schema, dict):
        return {key: _without_prose(value) for key, value in schema.items() if key not in PROSE}
    return [_without_prose(item) for item in schema] if isinstance(schema, list) else schema


if __name__ == "__main__":
    print(to_json(snapshot()), end="")  # noqa: T201 - that is what it is for
