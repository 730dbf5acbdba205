"""An environment that was built and is kept: the ways to open it and to run commands in it."""

from __future__ import annotations

from typing import Literal

from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import Name, Text, Value


class SandboxArguments(Value):
    """Arguments of `ctx.sandbox.open` with which the commands of a session find what was built."""

    image: Text = ""
    mounts: FrozenDict[Name, Text] = FrozenDict()
    """Path inside to path, or volume, outside."""


class BuiltEnvironment(Value):
    """The environment that a set-up has left."""

    place: Literal["docker", "bwrap"]
    image: Text = ""
    """In which the project is set up; empty where it was no container."""
    volume: Text = ""
    """Of the engine, with the project's packages: some tools use them where they are kept."""
    folder: Text = ""
    """With `workspace` and `home`, where it was no container."""
    packages: Text = ""
    """Likewise: the folder in place of the volume."""
    working_directory: Text
    """In which commands run."""
    within: tuple[Text, ...] = ()
    """Words before a command so that it finds what was set up, such as `uv run`."""
    variables: FrozenDict[Name, Text] = FrozenDict()
    """Under which commands find what was set up, also without the words of `within`. Those of a user's own environment
    are not among them: they may hold a key."""
    programs: tuple[Text, ...] = ()
    """Folders of this machine that commands in bubblewrap may run programs of."""
    sandbox: SandboxArguments

    @property
    def name(self) -> str:
        """Return the name by which it is kept: that of an image, or the path of a folder."""
        return self.image or self.folder
