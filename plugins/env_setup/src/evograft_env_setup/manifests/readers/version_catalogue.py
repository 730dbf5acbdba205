"""gradle/libs.versions.toml: packages under the names by which Gradle's build files ask for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest
from evograft_env_setup.manifests.readers.bounded import load_toml, table, text, texts

SEPARATORS = re.compile(r"[-_.]")
"""Of an alias: build files have a dot for each."""
NAME = "libs"


def read(content: str, path: str) -> ProjectManifest:
    del path
    data = load_toml(content)
    versions = table(data.get("versions"))
    packages = {alias: _package(value, versions) for alias, value in table(data.get("libraries")).items()}
    named = {_accessor(alias): (package,) for alias, package in packages.items() if package}
    bundles = {f"{NAME}.bundles.{_dotted(name)}": each for name, each in _bundles(data, packages)}
    return ProjectManifest(catalogue=named | bundles)


def _accessor(alias: str) -> str:
    return f"{NAME}.{_dotted(alias)}"


def _dotted(alias: str) -> str:
    return SEPARATORS.sub(".", alias)


def _package(value: Any, versions: Mapping[str, Any]) -> Dependency | None:
    """Return a package given as `group:artifact:version`, or as a table."""
    details = table(value)
    written = text(value) or text(details.get("module"))
    group, _, rest = written.partition(":")
    artifact, _, version = rest.partition(":")
    group, artifact = group or text(details.get("group")), artifact or text(details.get("name"))
    if not group or not artifact:
        return None
    asked = details.get("version")
    reference = text(table(asked).get("ref"))
    return Dependency(
        name=f"{group}:{artifact}",
        ecosystem="java",
        asked=version or text(asked) or text(versions.get(reference)),
    )


def _bundles(
    data: dict[str, Any], packages: Mapping[str, Dependency | None]
) -> Iterator[tuple[str, tuple[Dependency, ...]]]:
    for name, aliases in table(data.get("bundles")).items():
        found = (packages.get(alias) for alias in texts(aliases))
        yield name, tuple(each for each in found if each)
