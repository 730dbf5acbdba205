"""environment.yml and condaenv.yaml."""

from __future__ import annotations

import re

from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest
from evograft_env_setup.manifests.readers import requirements
from evograft_env_setup.manifests.readers.bounded import load_yaml, texts

PACKAGE = re.compile(r"(?:[\w./-]{1,200}::)?([\w.-]{1,200})\s*(.*)", re.DOTALL)
"""A package with its channel before it and its versions behind it; libraries that parse these are conda's own, and no
package of PyPI."""


def read(content: str, path: str) -> ProjectManifest:
    asked = load_yaml(content).get("dependencies")
    if not isinstance(asked, list):
        return ProjectManifest(findings=("has no list of dependencies: conda would make an empty environment",))
    found: list[Dependency] = []
    wrong: list[str] = []
    included: list[str] = []
    for line in texts(asked):
        if match := PACKAGE.fullmatch(line.strip()[:1000]):
            found.append(Dependency(name=match[1], ecosystem="conda", asked=match[2].lstrip("=").strip()))
        else:
            wrong.append(f"{line[:80]!r} is no package of conda's")
    for each in asked:
        if isinstance(each, dict):
            listed = requirements.read("\n".join(texts(each.get("pip"))), path)
            found, wrong = [*found, *listed.dependencies], [*wrong, *listed.findings]
            included += listed.includes
    python = next((each.asked for each in found if each.name == "python" and each.asked), "")
    return ProjectManifest(
        dependencies=tuple(each for each in found if each.name not in {"python", "pip"}),
        versions={"python": python} if python else {},
        includes=tuple(included),
        findings=tuple(wrong),
    )
