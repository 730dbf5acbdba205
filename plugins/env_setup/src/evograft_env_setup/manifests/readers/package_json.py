"""package.json."""

from __future__ import annotations

from typing import Any

from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest, Purpose
from evograft_env_setup.manifests.readers.bounded import load_json, table, text

SECTIONS: tuple[tuple[str, Purpose], ...] = (
    ("dependencies", "run"),
    ("optionalDependencies", "optional"),
    ("devDependencies", "test"),
)


def read(content: str, path: str) -> ProjectManifest:
    del path
    data = load_json(content)
    found = [
        Dependency(name=name, ecosystem="node", asked=text(asked), purpose=purpose)
        for section, purpose in SECTIONS
        for name, asked in table(data.get(section)).items()
    ]
    wrong = [f"{section!r} is no object" for section, _ in SECTIONS if not isinstance(data.get(section, {}), dict)]
    is_helper = not any(data.get(key) for key in ("dependencies", "optionalDependencies", "workspaces"))
    return ProjectManifest(
        dependencies=tuple(found),
        versions=_versions(data),
        traits=frozenset({"helper"} if is_helper else ()),
        findings=tuple(wrong),
    )


def _versions(data: dict[str, Any]) -> dict[str, str]:
    asked = {tool: text(version) for tool, version in table(data.get("engines")).items()}
    manager, _, version = text(data.get("packageManager")).partition("@")
    if version:
        asked[manager] = version.partition("+")[0]  # a hash may follow
    return {tool: version for tool, version in asked.items() if version}
