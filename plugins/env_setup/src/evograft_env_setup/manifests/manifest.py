"""A manifest: what one file says."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import Name, Text, Value

Ecosystem = Literal["python", "conda", "node", "java", "go", "rust", "ruby", "php"]
Purpose = Literal["run", "test", "tool", "optional"]
"""What a dependency is for: every use, working on the project, tests whose settings name it, or what a user asks
for."""


class Dependency(Value):
    """A package that a manifest names."""

    name: Name
    ecosystem: Ecosystem
    asked: Text = ""
    """The versions, in the words of the file."""
    purpose: Purpose = "run"
    conditional: bool = False
    """Whether it is only for some platforms or versions."""


class ProjectManifest(Value):
    """What a reader found in a file."""

    dependencies: tuple[Dependency, ...] = ()
    versions: FrozenDict[str, Text] = Field(default_factory=FrozenDict)
    """Tool or image by name, and the version that is asked for."""
    traits: frozenset[str] = frozenset()
    """What commands depend on in addition to the names of files, such as `package`: it can be installed itself."""
    catalogue: FrozenDict[Name, tuple[Dependency, ...]] = Field(default_factory=FrozenDict)
    """Packages by the name under which other files ask for them; none of them is needed before one does."""
    includes: tuple[Text, ...] = ()
    """Other files that it is to be read with, as it names them."""
    findings: tuple[Text, ...] = ()
    """What is strange, although the rest could be read."""


class UnreadableManifest(Exception):  # noqa: N818 - it names what is the matter
    """The file is broken, or so made that reading it would take too much; says why."""
