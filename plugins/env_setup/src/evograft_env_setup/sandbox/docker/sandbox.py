"""A sandbox in a container: apart from the machine, limited, and gone afterwards."""

from __future__ import annotations

import contextlib
import hashlib
import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.sandbox.built_environment import BuiltEnvironment, SandboxArguments
from evograft_env_setup.sandbox.docker import engine
from evograft_env_setup.sandbox.docker.container import Container
from evograft_env_setup.sandbox.docker.container_user import (
    CACHE,
    FOLDER,
    ROOT,
    find_container_user,
    list_user_candidates,
)
from evograft_env_setup.sandbox.docker.engine import explain_docker_errors
from evograft_env_setup.sandbox.project_copy import pack
from evograft_env_setup.sandbox.setup_sandbox import CommandOutcome, EnvironmentSnapshot, SetupSandboxUnavailable
from evograft_env_setup.sandbox.variables import build_tool_variables
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import Name, Text, Value
from evograft_sandbox.docker_engine import remove_orphans
from evograft_sandbox.process_owner import ProcessOwner

SHORT = 60.0
"""Seconds for commands of ours."""


class DockerSetupOptions(Value):
    """Options: what a container is, and what it may use."""

    image: Name
    network: Name = "bridge"
    """Of setup commands; `none`: none. It must be one that can be taken away again, so not `host`."""
    memory_mb: Annotated[int, Field(strict=True, ge=64)] = 8192
    pids: Annotated[int, Field(strict=True, ge=16)] = 4096
    cpus: Annotated[float, Field(strict=True, gt=0)] | None = None
    """How many cores' worth of time; null: all."""
    as_root: bool = False
    """For setup commands that install packages of the system."""
    fresh: bool = False
    """Whether nothing of earlier set-ups is recalled."""
    variables: FrozenDict[Name, Text] = FrozenDict()
    """That commands run under besides ours."""


class DockerSetupSandbox:
    """A sandbox that runs commands in a container, which only `start` makes.

    Args:
        project: by which an environment is known again: a path, or an address.
        options: of the container.
    """

    def __init__(self, project: str, options: DockerSetupOptions) -> None:
        self._project = project
        self._options = options
        self._resources = contextlib.ExitStack()
        self._digest = ""

    def start(self) -> Sequence[str]:
        self._client = self._resources.enter_context(engine.connect())
        with explain_docker_errors():
            remove_orphans(self._client, engine.OWNER, volumes=True)
            self._image = engine.provide_image(self._client, self._options.image)
            self._packages = engine.provide_volume(self._client, self._project, as_root=self._options.as_root)
            self._container = self._open_container(self._image.id)
            return self._find_user()

    def reopen(self, environment: BuiltEnvironment) -> None:
        from docker.errors import ImageNotFound

        self._client = self._resources.enter_context(engine.connect())
        with explain_docker_errors():
            try:
                image = self._client.images.get(environment.image)
            except ImageNotFound as err:
                raise SetupSandboxUnavailable(f"the image {environment.image!r} was removed: evo env setup") from err
            # Made again where it was removed: tools that need its packages say so.
            self._packages = self._client.volumes.create(environment.volume, labels={engine.PROJECT: self._project})
            self._container = self._open_container(image.id)
            user = image.attrs["Config"].get("User") or ROOT
            self._worker, _ = find_container_user((user,), self._run_own)

    def update(self, project: str) -> CommandOutcome:
        return self.copy_in(project)

    def copy_in(self, project: str) -> CommandOutcome:
        began = time.monotonic()
        with tempfile.TemporaryFile() as archive:
            try:
                # The engine takes no links that lead out of where it unpacks; from the root there is no way out.
                packed = pack(Path(project), archive, owner=self._worker.uid, below=f"{FOLDER[1:]}/")
            except OSError as err:
                return CommandOutcome(exit_code=1, stdout="", stderr=str(err), seconds=time.monotonic() - began)
            archive.seek(0)
            with explain_docker_errors():
                self._container.put("/", archive)
        self._digest = packed.digest
        return CommandOutcome(exit_code=0, stdout=packed.told, stderr="", seconds=time.monotonic() - began)

    def restore(self, planned: SelectedEnvironment) -> EnvironmentSnapshot | None:
        from docker.errors import ImageNotFound

        if self._options.fresh:
            return None
        name = self._name(planned)
        with explain_docker_errors():
            try:
                image = self._client.images.get(name)
            except ImageNotFound:
                return None
            before, self._container = self._container, self._open_container(image.id)
            before.remove()
        return EnvironmentSnapshot(environment=self._describe_built(name), plan=engine.load_made_plan(image))

    def snapshot(self, planned: SelectedEnvironment, made: SelectedEnvironment) -> EnvironmentSnapshot:
        """Keep the container's files as the only image of this project; the packages in the cache are kept anyway."""
        name = self._name(planned)
        repository, _, tag = name.partition(":")
        with explain_docker_errors():
            self._container.keep(repository, tag, self._image_settings(planned, made))
            engine.remove_images(self._client, f"{engine.PROJECT}={self._project}", but=name)
        return EnvironmentSnapshot(environment=self._describe_built(name), plan=made)

    def run(
        self,
        command: str,
        *,
        timeout: float,
        network: bool = True,
        on_output: Callable[[str], None] | None = None,
        on_error: Callable[[str], None] | None = None,
    ) -> CommandOutcome:
        with explain_docker_errors():
            self._container.attach(network=network)
            return self._container.execute(
                [self._worker.shell, "-c", command],
                timeout=timeout,
                user=self._worker.user,
                folder=FOLDER,
                variables=self._variables(),
                on_output=on_output,
                on_error=on_error,
            )

    def close(self) -> None:
        self._resources.close()

    def _open_container(self, image: str) -> Container:
        limit = f"{self._options.memory_mb}m"
        container = Container(
            self._client,
            image,
            network=self._options.network,
            limits={
                "mem_limit": limit,
                "memswap_limit": limit,
                "pids_limit": self._options.pids,
                "nano_cpus": None if self._options.cpus is None else round(self._options.cpus * 1e9),
            },
            labels={engine.OWNER: ProcessOwner.current().to_label()},
            volumes={self._packages.name: CACHE},
        )
        self._resources.callback(container.remove)
        container.start()
        return container

    def _find_user(self) -> Sequence[str]:
        image_user = self._image.attrs["Config"].get("User") or ""
        self._worker, reason = find_container_user(
            list_user_candidates(image_user, as_root=self._options.as_root), self._run_own
        )
        return (f"commands run as root, since the image has no place for an ordinary user: {reason}",) if reason else ()

    def _run_own(self, user: str, script: str, who: str) -> CommandOutcome:
        return self._container.execute(["sh", "-c", script], timeout=SHORT, user=user, variables={"WHO": who})

    def _image_settings(self, planned: SelectedEnvironment, made: SelectedEnvironment) -> dict[str, Any]:
        """Return settings by which others work in the image as its setup commands did, in containers of their own.

        The user's own variables may hold a key, and are not kept.
        """
        return {
            "User": self._worker.user,
            "WorkingDir": FOLDER,
            "Env": [f"{name}={value}" for name, value in self._our_variables().items()],
            "Entrypoint": [],
            "Cmd": [self._worker.shell],
            "Labels": {
                engine.PROJECT: self._project,
                engine.PLAN: planned.model_dump_json(),
                engine.MADE: made.model_dump_json(),
                engine.VOLUME: self._packages.name,
                engine.OWNER: "",
            },
        }

    def _describe_built(self, name: str) -> BuiltEnvironment:
        return describe_built(name, self._packages.name, self._our_variables())

    def _variables(self) -> dict[str, str]:
        return self._our_variables() | dict(self._options.variables)

    def _our_variables(self) -> dict[str, str]:
        return build_tool_variables(self._worker.home, self._worker.path, CACHE)

    def _name(self, plan: SelectedEnvironment) -> str:
        # The volume says which project it is, too: another one of the same content may have had other packages. Some
        # tools, such as Go's, use packages where they are kept: what is set up is of no use without them.
        made_of = [
            self._packages.name,
            self._packages.attrs["Labels"].get(engine.STAMP),
            self._image.id,
            self._digest,
            plan.work(),
            dict(self._options.variables),
            self._worker.user,
        ]
        return f"{engine.REPOSITORY}:{hashlib.sha256(json.dumps(made_of).encode()).hexdigest()[:32]}"


def describe_built(image: str, volume: str, variables: Mapping[str, str]) -> BuiltEnvironment:
    """Return what is left of a set-up in a container.

    Args:
        image: its name.
        volume: that of the project's packages.
        variables: that commands run under.
    """
    return BuiltEnvironment(
        place="docker",
        image=image,
        volume=volume,
        working_directory=FOLDER,
        variables=FrozenDict(variables),
        sandbox=SandboxArguments(image=image, mounts=FrozenDict({CACHE: volume})),
    )
