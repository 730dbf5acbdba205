"""Objects that a pipeline names by import path and options, such as somebody else's executor."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from evograft.errors import UserError
from evograft_hookspecs.values import FrozenDict, Json, Name, Value, thaw

ImportPath = Annotated[str, Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$")]


class Factory(Value):
    """A callable by its import path, with its options; options that have a `factory` are made first, at any depth."""

    model_config = ConfigDict(populate_by_name=True)

    factory: ImportPath
    """`MODULE:NAME`."""
    with_: FrozenDict[Name, Json] = Field(default=FrozenDict(), alias="with")
    """Its keyword arguments."""

    def make(self) -> Any:
        """Import it and call it.

        Raises:
            UserError: it cannot be imported, refuses its options, or misses a program or file.
        """
        made = _import(self.factory)
        options = {key: _made(value) for key, value in thaw(self.with_).items()}
        try:
            return made(**options)
        except (TypeError, ValueError) as err:
            raise UserError(f"executor: {self.factory} refuses its options: {_in_a_line(err)}") from err
        except OSError as err:
            raise UserError(
                f"executor: {self.factory} cannot start: {_in_a_line(err)}; it needs that here, on PATH"
            ) from err


def _made(value: Any) -> Any:
    if isinstance(value, Mapping) and "factory" in value:
        return Factory.model_validate(value).make()
    if isinstance(value, Mapping):
        return {key: _made(each) for key, each in value.items()}
    return [_made(each) for each in value] if isinstance(value, list) else value


def _import(path: str) -> Any:
    module, _, name = path.partition(":")
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as err:
        raise UserError(f"executor: {path} cannot be imported: {_in_a_line(err)}; install what it comes with") from err
    return found


def _in_a_line(err: Exception) -> str:
    return " ".join(str(err).split())
