"""Pipfile."""

from __future__ import annotations

from typing import Any

from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest, Purpose
from evograft_env_setup.manifests.readers.bounded import load_toml, table, text


def read(content: str, path: str) -> ProjectManifest:
    del path
    data = load_toml(content)
    requires = table(data.get("requires"))
    asked = text(requires.get("python_full_version")) or text(requires.get("python_version"))
    return ProjectManifest(
        dependencies=(*_of(data.get("packages"), "run"), *_of(data.get("dev-packages"), "test")),
        versions={"python": asked} if asked else {},
    )


def _of(packages: Any, purpose: Purpose) -> list[Dependency]:
    return [
        Dependency(
            name=name,
            ecosystem="python",
            asked=text(value) or text(table(value).get("version")),
            purpose=purpose,
            conditional="markers" in table(value) or "sys_platform" in table(value),
        )
        for name, value in table(packages).items()
    ]
