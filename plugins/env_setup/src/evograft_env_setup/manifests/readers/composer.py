"""composer.json."""

from __future__ import annotations

from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest, Purpose
from evograft_env_setup.manifests.readers.bounded import load_json, table, text

SECTIONS: tuple[tuple[str, Purpose], ...] = (("require", "run"), ("require-dev", "test"))


def read(content: str, path: str) -> ProjectManifest:
    del path
    data = load_json(content)
    found = [
        Dependency(name=name, ecosystem="php", asked=text(asked), purpose=purpose)
        for section, purpose in SECTIONS
        for name, asked in table(data.get(section)).items()
        if "/" in name  # PHP itself and its extensions are named without a vendor
    ]
    php = text(table(data.get("require")).get("php"))
    return ProjectManifest(dependencies=tuple(found), versions={"php": php} if php else {})
