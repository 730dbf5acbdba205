"""What a plugin class looks like to the kernel."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict

from evograft_hookspecs.types import Manifest


class NoOptions(BaseModel):
    """The options of a plugin that has none, and the base class of all others: a misspelt key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Plugin(Protocol):
    """A plugin: an entry point of the group `evograft.plugins` names such a class."""

    manifest: ClassVar[Manifest]
    Options: ClassVar[type[BaseModel]]
    """The model of the plugin's `with:` section in a pipeline."""

    def __init__(self, options: Any) -> None:
        """Store the options and do nothing else: work belongs in `setup_env`."""
