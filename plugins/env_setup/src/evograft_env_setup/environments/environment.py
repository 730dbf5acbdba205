"""An environment that repositories can be set up in, as its entry in the data says."""

from __future__ import annotations

from collections.abc import Collection
from fnmatch import fnmatchcase
from typing import Annotated, Any

from pydantic import Field, model_validator

from evograft_env_setup.manifests.manifest import Ecosystem
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import Name, Text, Value

Command = Annotated[Text, Field(max_length=10_000, pattern=r"^[^\x00]*[^\s\x00][^\x00]*$")]
"""A line of shell, or several."""
Variable = Annotated[Name, Field(pattern=r"^[^=\x00]+$")]
NoNull = Annotated[Text, Field(pattern=r"^[^\x00]*$")]


class VerificationCommand(Value):
    """A command, and the output that is expected of it."""

    command: Command
    expected_output: Text


class RecipeStep(Value):
    """A command of a recipe; in the data a text is one that needs nothing."""

    command: Command
    """With placeholders such as `{requirements}`."""
    needs: tuple[Name, ...] = ()
    """Facts about the folder without which it is left out."""

    @model_validator(mode="before")
    @classmethod
    def _text_is_a_command(cls, given: Any) -> Any:
        return {"command": given} if isinstance(given, str) else given


class Recipe(Value):
    """A recipe for folders whose files ask for it."""

    needs: tuple[Name, ...] = ()
    """Facts about the folder: names of files, and traits of what they say. All of them must hold."""
    steps: tuple[RecipeStep, ...]
    installs: tuple[Name, ...] | None = None
    """Files whose packages the steps install, by name, or lists of the folder: `requirements`, `package`, `conda file`.
    Only these packages are imported to verify the folder. `None`: those of all its files."""
    image: Text = ""
    """Instead of the environment's own, as it is written there."""
    within: NoNull = ""
    """What goes before a command so that it runs in what the steps have made, such as `uv run`."""
    verification: tuple[VerificationCommand, ...] | None = None
    """Instead of the environment's own."""
    packages_check: Text = ""
    """A command that needs the project's packages and no network, and prints OK; for a folder that asks for
    packages."""


class Environment(Value):
    """One environment."""

    name: Name
    description: Text
    """As prompts show it."""
    image: Name
    """Of the container; `{version}` in it stands for the version of the language."""
    versions: tuple[Name, ...] = ()
    """Of the language, those that there are images of, oldest first; `usual_version` is one of them."""
    usual_version: Name | None = None
    """Taken where the project asks for none."""
    variables: FrozenDict[Variable, NoNull] = FrozenDict()
    """That its commands run under, such as the address of an index."""
    signs: tuple[Name, ...]
    """Files that select it, as patterns of paths from a folder."""
    build_files: tuple[Name, ...] = ()
    """Those among them with which a project is built, not only listed."""
    instead_of: tuple[Name, ...] = ()
    """Environments that are not needed where this one is."""
    ecosystems: tuple[Ecosystem, ...] = ()
    """Whose dependencies count for it."""
    words: tuple[Name, ...] = ()
    """Words of a task that speak of its language; one with a capital is meant as it is written, because `go` is a
    verb."""
    endings: tuple[Name, ...] = ()
    """How names of its source files end."""
    recipes: tuple[Recipe, ...]
    """The first one that fits is used; the last one fits any folder."""
    verification: tuple[VerificationCommand, ...]
    import_check: Text = ""
    """A command that imports the package `{name}` and prints SUCCESS."""

    @model_validator(mode="after")
    def _knows_its_usual_version(self) -> Environment:
        if "{version}" in self.image and self.usual_version not in self.versions:
            raise ValueError(f"usual_version: {self.usual_version!r} is none of versions")
        return self

    @model_validator(mode="after")
    def _fits_any_folder(self) -> Environment:
        if not self.recipes or self.recipes[-1].needs:
            raise ValueError("recipes: the last one has to fit any folder, so it needs nothing")
        if not all(self.verification if each.verification is None else each.verification for each in self.recipes):
            raise ValueError("verification: each recipe has to be verified by a command at least")
        return self

    @property
    def usual_image(self) -> str:
        return self.image.replace("{version}", self.usual_version or "")

    def unusual(self, image: str) -> str:
        """Return the image, or an empty text if it is the usual one."""
        return "" if image == self.usual_image else image

    def is_sign(self, path: str) -> bool:
        """Return whether a file selects it; the path is that from the folder."""
        return any(fnmatchcase(path, sign) for sign in self.signs)

    def is_built_by(self, names: Collection[str]) -> bool:
        return any(fnmatchcase(name, pattern) for name in names for pattern in self.build_files)
