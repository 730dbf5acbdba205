"""What a pipeline says about environment setup."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evograft_hookspecs import NoOptions
from evograft_hookspecs.values import Text


class EnvSetupOptions(NoOptions):
    """The options of the plugin `env_setup`."""

    root: Text = "."
    """The repository."""
    task: Text = ""
    """What is to be done in it, in words; it decides between languages."""
    depth: Annotated[int, Field(strict=True, ge=0)] = 1
    """Levels of folders below the root that are looked at; more than one for a monorepo."""
    environments: Text | None = None
    """A YAML file with environments of your own."""
