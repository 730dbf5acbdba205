"""Which files are looked for, who reads them, and how large they may be."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass

from evograft_env_setup.manifests.manifest import Manifest

KIB = 1024
PATTERN = re.compile(r"requirements.*\.txt|.*[-_.]requirements\.txt")


@dataclass(frozen=True)
class Format:
    """A kind of file."""

    reader: str = ""
    """Module and function below `readers`; none where only its presence matters."""
    largest: int = 2048 * KIB
    """Bytes that are read; what parsers take for more would be seconds."""
    lock: bool = False
    """Whether a tool writes it, so that nobody wonders if it is too large to be checked."""

    def read(self, text: str, path: str) -> Manifest:
        """Raises `Unreadable`, and `ValidationError` for what no value can hold."""
        if not self.reader:
            return Manifest()
        module, _, function = self.reader.partition(":")
        reader: Callable[[str, str], Manifest] = getattr(
            importlib.import_module(f"evograft_env_setup.manifests.readers.{module}"), function or "read"
        )
        return reader(text, path)


REQUIREMENTS = Format("requirements", 256 * KIB)
TOML = 256 * KIB
YAML = 128 * KIB
JSON = 512 * KIB
LOCK = 512 * KIB
FORMATS: dict[str, Format] = {
    "pyproject.toml": Format("pyproject", TOML),
    "setup.py": Format("setup_py", 128 * KIB),
    "setup.cfg": Format("ini", 128 * KIB),
    "tox.ini": Format("ini", 128 * KIB),
    "pytest.ini": Format("ini", 128 * KIB),
    "Pipfile": Format("pipfile", TOML),
    "Pipfile.lock": Format("syntax:read_json", lock=True),
    "poetry.lock": Format("syntax:read_toml", LOCK, lock=True),
    "uv.lock": Format("syntax:read_toml", LOCK, lock=True),
    **dict.fromkeys(("environment.yml", "environment.yaml", "condaenv.yaml", "condaenv.yml"), Format("conda", YAML)),
    "package.json": Format("package_json", JSON),
    **dict.fromkeys(("package-lock.json", "npm-shrinkwrap.json"), Format("syntax:read_json", lock=True)),
    "yarn.lock": Format(lock=True),
    "pnpm-lock.yaml": Format("syntax:read_yaml", 2 * YAML, lock=True),
    "pom.xml": Format("pom", 512 * KIB),
    **dict.fromkeys(("build.gradle", "build.gradle.kts"), Format("gradle", 256 * KIB)),
    "libs.versions.toml": Format("version_catalogue", TOML),
    **dict.fromkeys(("gradlew", "mvnw"), Format(largest=256 * KIB)),
    "go.mod": Format("go_mod", 256 * KIB),
    "go.sum": Format(lock=True),
    "Cargo.toml": Format("cargo", TOML),
    "Cargo.lock": Format("syntax:read_toml", LOCK, lock=True),
    "Gemfile": Format("gemfile", 32 * KIB),
    "Gemfile.lock": Format(lock=True),
    "composer.json": Format("composer", JSON),
    "composer.lock": Format("syntax:read_json", lock=True),
    "Dockerfile": Format("containers:read_dockerfile", 128 * KIB),
    **dict.fromkeys(
        ("docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"),
        Format("containers:read_compose", YAML),
    ),
    **dict.fromkeys(("devcontainer.json", ".devcontainer.json"), Format("containers:read_devcontainer", 128 * KIB)),
    "Makefile": Format(),
    **dict.fromkeys((".python-version", ".nvmrc", ".node-version"), Format("versions", 64 * KIB)),
    ".tool-versions": Format("versions:read_tool_versions", 64 * KIB),
}


def find_format(path: str) -> Format | None:
    """What kind of file a path names, if it is one that is looked for."""
    folder, _, name = path.rpartition("/")
    if found := FORMATS.get(name):
        return found
    if not name.endswith(".txt") or "constraints" in name:
        return None
    # Many keep their lists in a folder: requirements/base.txt.
    return REQUIREMENTS if PATTERN.fullmatch(name) or folder.rpartition("/")[2] == "requirements" else None
