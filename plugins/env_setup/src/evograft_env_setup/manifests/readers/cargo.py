"""Cargo.toml."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest, Purpose
from evograft_env_setup.manifests.readers.bounded import load_toml, table, text

SECTIONS: tuple[tuple[str, Purpose], ...] = (
    ("dependencies", "run"),
    ("build-dependencies", "run"),
    ("dev-dependencies", "test"),
)


def read(content: str, path: str) -> ProjectManifest:
    del path
    data = load_toml(content)
    asked = text(table(data.get("package")).get("rust-version"))
    found = [*_of(data, conditional=False)]
    for target in table(data.get("target")).values():
        found += _of(table(target), conditional=True)
    return ProjectManifest(dependencies=tuple(found), versions={"rust": asked} if asked else {})


def _of(data: dict[str, Any], *, conditional: bool) -> Iterator[Dependency]:
    for section, purpose in SECTIONS:
        for name, value in table(data.get(section)).items():
            details = table(value)
            yield Dependency(
                name=text(details.get("package")) or name,
                ecosystem="rust",
                asked=text(value) or text(details.get("version")),
                purpose="optional" if details.get("optional") is True else purpose,
                conditional=conditional,
            )
