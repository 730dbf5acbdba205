"""The commands for an environment if nobody has planned others: they follow the files that there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

import yaml
from packaging.utils import canonicalize_name

from evograft_env_setup.analysis.environment_choice import find_signs, folder_of
from evograft_env_setup.analysis.project_folder import PLAIN, ProjectFolder
from evograft_env_setup.analysis.runtime_version import choose_version
from evograft_env_setup.environments import Environment, VerificationCommand
from evograft_env_setup.environments.environment import Recipe
from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest
from evograft_hookspecs.values import Name, Text, Value

KEY_PACKAGES = 5
"""How many packages are imported to verify a folder."""
MOST_FOLDERS = 20


class DefaultCommands(Value):
    """Commands that set a repository up, and commands that verify it."""

    setup: tuple[Text, ...]
    verification: tuple[VerificationCommand, ...]
    image: Name
    """Of the container: of the version that the first folder's files ask for."""
    missing_version: Text = ""
    """What they ask for, where there is no image of it; the usual one is taken."""


def build_default_commands(environment: Environment, manifests: Mapping[str, ProjectManifest]) -> DefaultCommands:
    """Build commands for each folder that has files of the environment; for the root if none has."""
    setup: list[str] = []
    verification: dict[VerificationCommand, None] = {}
    folders = {path: ProjectFolder(_manifests_of(path, manifests)) for path in _folders(environment, manifests)}
    for path, folder in folders.items():
        recipe = _recipe(environment, folder)
        before = f"cd {path.rstrip('/')} && " if path else ""
        setup += [before + command for command in _setup(recipe, folder)]
        within = before + (f"{recipe.within} " if recipe.within else "")
        for each in _verification(environment, recipe, folder):
            verification[each.model_copy(update={"command": within + each.command})] = None
    image, missing = _image(environment, next(iter(folders.values())))
    return DefaultCommands(setup=tuple(setup), verification=tuple(verification), image=image, missing_version=missing)


def _image(environment: Environment, folder: ProjectFolder) -> tuple[str, str]:
    """Return the image, and the version that the folder asks for if there is no image of it."""
    usual, template = environment.usual_version, _recipe(environment, folder).image or environment.image
    if usual is None or "{version}" not in template:
        return template, ""
    asked = list(folder.versions_asked(environment.name))
    version = choose_version(environment.versions, usual, asked)
    return _fill(template, {"version": version or usual}), "" if version else asked[0]


def _recipe(environment: Environment, folder: ProjectFolder) -> Recipe:
    return next(each for each in environment.recipes if folder.facts.issuperset(each.needs))


def _folders(environment: Environment, manifests: Mapping[str, ProjectManifest]) -> list[str]:
    paths = find_signs(manifests, {environment.name: environment}).get(environment.name, ())
    folders = sorted({folder_of(path) for path in paths if PLAIN.fullmatch(path)})
    return folders[:MOST_FOLDERS] or [""]


def _manifests_of(folder: str, manifests: Mapping[str, ProjectManifest]) -> dict[str, ProjectManifest]:
    return {path.removeprefix(folder): each for path, each in manifests.items() if folder_of(path) == folder}


def _setup(recipe: Recipe, folder: ProjectFolder) -> Iterator[str]:
    for step in recipe.steps:
        if folder.facts.issuperset(step.needs):
            yield _fill(step.command, folder.placeholders)


def _verification(environment: Environment, recipe: Recipe, folder: ProjectFolder) -> Iterator[VerificationCommand]:
    yield from environment.verification if recipe.verification is None else recipe.verification
    needed = folder.dependencies(recipe.installs)
    if recipe.packages_check and any(each.ecosystem in environment.ecosystems for each in needed):
        yield VerificationCommand(command=recipe.packages_check, expected_output="OK")
    if environment.import_check:
        for name in islice(_import_names(environment, recipe, folder), KEY_PACKAGES):
            command = _fill(environment.import_check, {"name": name})
            yield VerificationCommand(command=command, expected_output="SUCCESS")


def _import_names(environment: Environment, recipe: Recipe, folder: ProjectFolder) -> Iterator[str]:
    """Yield those of packages that the recipe installs wherever the project is."""
    needed = (each for each in folder.dependencies(recipe.installs) if each.ecosystem in environment.ecosystems)
    names = (_find_import_name(each) for each in needed if each.purpose == "run" and not each.conditional)
    yield from dict.fromkeys(name for name in names if name)


def _find_import_name(package: Dependency) -> str | None:
    """Return the name to import a well-known package by.

    Only packages of which it is known are checked: a wrong guess would call a good environment broken.
    """
    if package.ecosystem in {"python", "conda"}:
        name, table = canonicalize_name(package.name), _load_import_names()
        return table["different"].get(name) or (name.replace("-", "_") if name in table["same"] else None)
    return package.name if package.ecosystem == "node" and package.name in _load_import_names()["node"] else None


@cache
def _load_import_names() -> dict[str, Any]:
    table: dict[str, Any] = yaml.safe_load((files(__package__) / "key_packages.yaml").read_text(encoding="utf-8"))
    return table


def _fill(command: str, values: Mapping[str, str]) -> str:
    """Replace placeholders plainly: braces mean something to a shell as well."""
    for name, value in values.items():
        command = command.replace(f"{{{name}}}", value)
    return command
