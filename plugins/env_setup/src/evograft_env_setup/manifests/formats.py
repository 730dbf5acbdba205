"""Formats of the files that are looked for: who reads them, and how large they may be."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass

from evograft_env_setup.manifests.manifest import ProjectManifest

KIB = 1024
PATTERN = re.compile(r"requirements.*\.txt|.*[-_.]requirements\.txt")


@dataclass(frozen=True)
class ManifestFormat:
    """A kind of file."""

    reader: str = ""
    """Module and function below `readers`; none where only its presence matters."""
    largest: int = 2048 * KIB
    """Bytes that are read; what parsers take for more would be seconds."""
    lock: bool = False
    """Whether a tool writes it, so that nobody wonders if it is too large to be checked."""

    def read(self, text: str, path: str) -> ProjectManifest:
        """Read a file; raise `UnreadableManifest`, and `ValidationError` for what no value can hold."""
        if not self.reader:
            return ProjectManifest()
        module, _, function = self.reader.partition(":")
        reader: Callable[[str, str], ProjectManifest] = getattr(
            importlib.import_module(f"evograft_env_setup.manifests.readers.{module}"), function or "read"
        )
        return reader(text, path)


REQUIREMENTS = ManifestFormat("requirements", 256 * KIB)
TOML = 256 * KIB
YAML = 128 * KIB
JSON = 512 * KIB
LOCK = 512 * KIB
FORMATS: dict[str, ManifestFormat] = {
    "pyproject.toml": ManifestFormat("pyproject", TOML),
    "setup.py": ManifestFormat("setup_py", 128 * KIB),
    "setup.cfg": ManifestFormat("ini", 128 * KIB),
    "tox.ini": ManifestFormat("ini", 128 * KIB),
    "pytest.ini": ManifestFormat("ini", 128 * KIB),
    "Pipfile": ManifestFormat("pipfile", TOML),
    "Pipfile.lock": ManifestFormat("syntax:read_json", lock=True),
    "poetry.lock": ManifestFormat("syntax:read_toml", LOCK, lock=True),
    "uv.lock": ManifestFormat("syntax:read_toml", LOCK, lock=True),
    **dict.fromkeys(
        ("environment.yml", "environment.yaml", "condaenv.yaml", "condaenv.yml"), ManifestFormat("conda", YAML)
    ),
    "package.json": ManifestFormat("package_json", JSON),
    **dict.fromkeys(("package-lock.json", "npm-shrinkwrap.json"), ManifestFormat("syntax:read_json", lock=True)),
    "yarn.lock": ManifestFormat(lock=True),
    "pnpm-lock.yaml": ManifestFormat("syntax:read_yaml", 2 * YAML, lock=True),
    "pom.xml": ManifestFormat("pom", 512 * KIB),
    **dict.fromkeys(("build.gradle", "build.gradle.kts"), ManifestFormat("gradle", 256 * KIB)),
    "libs.versions.toml": ManifestFormat("version_catalogue", TOML),
    **dict.fromkeys(("gradlew", "mvnw"), ManifestFormat(largest=256 * KIB)),
    "go.mod": ManifestFormat("go_mod", 256 * KIB),
    "go.sum": ManifestFormat(lock=True),
    "Cargo.toml": ManifestFormat("cargo", TOML),
    "Cargo.lock": ManifestFormat("syntax:read_toml", LOCK, lock=True),
    "Gemfile": ManifestFormat("gemfile", 32 * KIB),
    "Gemfile.lock": ManifestFormat(lock=True),
    "composer.json": ManifestFormat("composer", JSON),
    "composer.lock": ManifestFormat("syntax:read_json", lock=True),
    "Dockerfile": ManifestFormat("containers:read_dockerfile", 128 * KIB),
    **dict.fromkeys(
        ("docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"),
        ManifestFormat("containers:read_compose", YAML),
    ),
    **dict.fromkeys(
        ("devcontainer.json", ".devcontainer.json"), ManifestFormat("containers:read_devcontainer", 128 * KIB)
    ),
    "Makefile": ManifestFormat(),
    **dict.fromkeys((".python-version", ".nvmrc", ".node-version"), ManifestFormat("versions", 64 * KIB)),
    ".tool-versions": ManifestFormat("versions:read_tool_versions", 64 * KIB),
}


def find_format(path: str) -> ManifestFormat | None:
    """Return the format of the file that a path names, if it is one that is looked for."""
    folder, _, name = path.rpartition("/")
    if found := FORMATS.get(name):
        return found
    if not name.endswith(".txt") or "constraints" in name:
        return None
    # Many keep their lists in a folder: requirements/base.txt.
    return REQUIREMENTS if PATTERN.fullmatch(name) or folder.rpartition("/")[2] == "requirements" else None
