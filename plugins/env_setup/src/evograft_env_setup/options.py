"""What a pipeline says about environment setup."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evograft_hookspecs import NoOptions
from evograft_hookspecs.values import Text

LONGEST = 86_400
"""Seconds of a command at most: no container lives longer."""


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
    place: Literal["auto", "docker", "bwrap", "none"] = "auto"
    """Where it is built. `auto`: in a container, in bubblewrap where no Docker engine answers; `none`: only planned."""
    network: Text = "bridge"
    """The engine's network that setup commands are on; `none`: none. Verification has none."""
    memory_mb: Annotated[int, Field(strict=True, ge=64)] = 8192
    as_root: bool = False
    """For setup commands that install packages of the system."""
    programs: tuple[Text, ...] = ()
    """Folders outside of /usr whose programs commands in bubblewrap may run, such as one of nvm's versions."""
    fresh: bool = False
    """Whether an earlier set-up of the very same project is not recalled."""
    timeout: Annotated[float, Field(gt=0, le=LONGEST)] = 1800.0
    """Seconds of a command."""
