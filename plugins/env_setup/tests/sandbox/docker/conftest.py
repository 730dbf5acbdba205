"""Projects that are really set up, by a Docker engine whose image has the tools of Python, Node.js and Java."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from docker.errors import NotFound

from evograft.cli import cli
from evograft_env_setup.sandbox import SetupSandboxUnavailable
from evograft_env_setup.sandbox.docker import engine as engines
from evograft_env_setup.sandbox.docker.sandbox import DockerSetupOptions, DockerSetupSandbox

IMAGE = "evograft-test-env:bookworm"
PROJECTS = Path(__file__).with_name("projects")
QUICK = {"import_check": "", "verification": [{"command": "echo OK", "expected_output": "OK"}]}


@dataclass(frozen=True)
class SetUp:
    """What `evo env setup --json` has said."""

    exit_code: int
    told: str
    """On standard error."""
    data: dict[str, Any]

    @property
    def commands(self) -> list[str]:
        return [each["command"] for each in self.data["result"]["setup_result"]["commands"]]

    @property
    def verified(self) -> list[str]:
        return [each["command"] for each in self.data["result"]["verification_result"]["commands"] if each["matches"]]

    @property
    def is_recalled(self) -> bool:
        return self.data["result"]["setup_result"]["recalled"]


class Bench:
    """Projects of tests, and what an engine holds of them.

    Args:
        client: of the engine.
        folder: in which the projects lie.
    """

    def __init__(self, client: Any, folder: Path) -> None:
        self.client = client
        self._folder = folder
        self._made = 0
        self._sources: list[str] = []

    def folder(self) -> Path:
        """A folder that nobody has used."""
        self._made += 1
        folder = self._folder / str(self._made)
        folder.mkdir()
        return folder

    def copy(self, name: str) -> Path:
        """A copy of one of the projects beside this file."""
        return self.known(Path(shutil.copytree(PROJECTS / name, self.folder() / name)))

    def project(self, files: dict[str, str], name: str = "project") -> Path:
        project = self.folder() / name
        project.mkdir()
        for path, content in {"requirements.txt": "", **files}.items():
            (project / path).write_text(content)
        return self.known(project)

    def known(self, source: Any) -> Any:
        """What was kept of it will be removed."""
        self._sources.append(str(source))
        return source

    def environments(self, steps: Sequence[str] | None = None, **python: Any) -> Path:
        """A file of environments whose images are there, and by which Python is set up by these steps if there are any."""
        recipe = {} if steps is None else {**QUICK, "recipes": [{"steps": list(steps)}]}
        entries = {name: {"image": IMAGE} for name in ("python", "node", "java")}
        file = self.folder() / "environments.yaml"
        file.write_text(yaml.safe_dump({**entries, "python": {**entries["python"], **recipe, **python}}))
        return file

    def evo(self, *words: object) -> Result:
        return CliRunner().invoke(cli, ["env", *map(str, words)])

    def set_up(self, project: object, *words: object, environments: Path | None = None) -> SetUp:
        file = environments or self.environments()
        done = self.evo("setup", project, "--place=docker", "--language=en", "--json", "--environments", file, *words)
        assert done.stdout, f"{done.stderr}{done.exception!r}"
        return SetUp(done.exit_code, done.stderr, json.loads(done.stdout))

    def sandbox(self, project: object, **options: Any) -> DockerSetupSandbox:
        return DockerSetupSandbox(str(self.known(project)), DockerSetupOptions(image=IMAGE, **options))

    def inside(self, kept: str, command: str) -> str:
        """What a command prints in an environment that is kept."""
        printed = self.client.containers.run(
            kept,
            ["sh", "-c", command],
            network_mode="none",
            remove=True,
        )
        return printed.decode().strip()

    def containers(self, pid: int) -> list[Any]:
        """Those of a process."""
        found = self.client.containers.list(all=True, filters={"label": engines.OWNER}, ignore_removed=True)
        return [each for each in found if f" {pid} " in each.labels[engines.OWNER]]

    def images(self, source: object) -> list[Any]:
        return self.client.images.list(engines.REPOSITORY, filters={"label": f"{engines.PROJECT}={source}"})

    def volumes(self, source: object) -> list[Any]:
        return self.client.volumes.list(filters={"label": f"{engines.PROJECT}={source}"})

    def remove_all(self) -> None:
        for source in self._sources:
            engines.remove_images(self.client, f"{engines.PROJECT}={source}")
            for volume in self.volumes(source):
                volume.remove()


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """Of an engine that has the image, and a network for containers."""
    with ExitStack() as stack:
        try:
            client = stack.enter_context(engines.connect())
            client.images.get(IMAGE)
            client.networks.get("bridge")
        except (SetupSandboxUnavailable, NotFound) as err:
            pytest.skip(f"make test-docker sees to it, where it can: {err}")
        yield client


@pytest.fixture(scope="session")
def bench(client, tmp_path_factory) -> Iterator[Bench]:
    bench = Bench(client, tmp_path_factory.mktemp("builds"))
    yield bench
    bench.remove_all()


@pytest.fixture(scope="module")
def place(bench) -> Iterator[DockerSetupSandbox]:
    """A place with an empty project: each test of a module finds it as the one before has left it."""
    project = bench.project({})
    with closing(bench.sandbox(project, memory_mb=256, pids=48)) as place:
        place.start()
        assert place.copy_in(str(project)).exit_code == 0
        yield place
