"""Fixtures for tests of what users install: wheels of this tree, and fresh environments made of them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from uv import find_uv_bin

ROOT = Path(__file__).parents[1]


class Uv:
    """uv with the cache of whoever runs the tests: what was fetched for the set-up is not fetched again."""

    def __init__(self) -> None:
        self.path = Path(find_uv_bin())
        self._environment = dict(os.environ)

    def __call__(self, *arguments: str | Path, cwd: Path = ROOT) -> None:
        done = subprocess.run(
            [self.path, *arguments],
            cwd=cwd,
            env=self._environment,
            text=True,
            capture_output=True,
            check=False,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr


class Environment:
    """A fresh virtual environment that can install the project's wheels, and whatever else PyPI has."""

    def __init__(self, folder: Path, uv: Uv, wheels: Path) -> None:
        self.bin = folder / "bin"
        self._uv = uv
        self._wheels = wheels
        uv("venv", "--quiet", folder)

    def install(self, *requirements: str | Path) -> None:
        self._uv("pip", "install", "--python", self.bin / "python", "--find-links", self._wheels, *requirements)

    def run(self, command: str, *, cwd: Path) -> str:
        """What a shell line prints where this environment is activated."""
        path = os.pathsep.join([str(self.bin), str(self._uv.path.parent), os.environ["PATH"]])
        environment = {
            **self._variables(),
            "PATH": path,
            "VIRTUAL_ENV": str(self.bin.parent),
            "UV_FIND_LINKS": str(self._wheels),
        }
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=cwd,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=600,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}"
        return done.stdout

    @staticmethod
    def _variables() -> dict[str, str]:
        return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


@pytest.fixture(scope="session")
def uv() -> Uv:
    return Uv()


@pytest.fixture(scope="session")
def wheels(uv: Uv, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel of each distribution of this tree."""
    folder = tmp_path_factory.mktemp("wheels")
    uv("build", "--quiet", "--all-packages", "--wheel", "--no-build-isolation", "--out-dir", folder)
    return folder


@pytest.fixture
def environment(uv: Uv, wheels: Path, tmp_path: Path) -> Environment:
    return Environment(tmp_path / "venv", uv, wheels)
