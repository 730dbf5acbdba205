"""Commands inside containers: one a session, with the runner as its process 1."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field

from evograft.drivers.optional import import_optional
from evograft_hookspecs import FrozenDict, SandboxLayer, SandboxUnavailable
from evograft_sandbox.commands.cpu_cores import reserve_core
from evograft_sandbox.commands.docker_stream import DockerStream
from evograft_sandbox.commands.interpreter import OF_IMAGE, require_python
from evograft_sandbox.commands.open_sessions import OpenSessions
from evograft_sandbox.commands.runner_build_in_image import ensure_runner_for_image
from evograft_sandbox.commands.runner_settings import RunnerSettings, SandboxOptions
from evograft_sandbox.commands.session import RunnerSession
from evograft_sandbox.docker_engine import check_reachable, remove_orphans
from evograft_sandbox.process_owner import ProcessOwner

BASE = "/evograft"
RUNNER = "/evograft-runner"
OWNER_LABEL, RUN_LABEL = "evograft.owner", "evograft.run"
MESSAGE_QUEUES = "/dev/mqueue"
"""Where engines let each command leave files for the next: here an empty folder is in its place that nobody opens."""
RUNNER_CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "KILL", "SETGID", "SETUID"]
"""To give a command another user, to end it, and to remove what it leaves. No command has any."""
OF_DOCKER = {
    "namespaces": "own processes, mounts, network, host name and shared memory",
    "files": "the image, read-only; all that is written is in memory and limited",
    "network": "none",
}
NOT_NEEDED = ("landlock",)
"""Users and the container do what it is for elsewhere, and engines let no container have it."""


class DockerOptions(SandboxOptions):
    """Options of the driver `docker`."""

    image: str = ""
    """The image of sessions that name none."""
    memory_mb: Annotated[int, Field(strict=True, ge=64)] = 4096
    """The memory of a container: for commands, what they print, and their files."""
    pids: Annotated[int, Field(strict=True, ge=16)] = 2048
    """Processes and threads of a container."""
    cpus: Annotated[float, Field(strict=True, gt=0)] | None = None
    """How many cores' worth of time a container may use; null: all."""


class DockerSandbox:
    """Needs an engine whose images are there already: nothing is fetched."""

    Options = DockerOptions

    def __init__(self, options: DockerOptions) -> None:
        self._options = options
        self._sessions = OpenSessions()
        self._run = ""

    def start(self, run: str) -> None:
        self._run = run
        with _explain():
            remove_orphans(self._engine, OWNER_LABEL)

    def layers(self, *, image: str = "") -> tuple[SandboxLayer, ...]:
        with contextlib.closing(self.open(image=image)) as session:
            driver = SandboxLayer(name="driver", active=True, detail=f"docker {self._engine.version()['Version']}")
            own = (SandboxLayer(name=name, active=True, detail=detail) for name, detail in OF_DOCKER.items())
            runners = (each for each in session.layers if each.name not in (*OF_DOCKER, *NOT_NEEDED))
            return (driver, *own, self._cgroup(), *runners)

    def open(
        self,
        *,
        image: str = "",
        mounts: Mapping[str, str] = FrozenDict(),
        own_core: bool = False,
        python: bool = False,
        network: bool = False,
    ) -> RunnerSession:
        image = image or self._options.image
        if not image:
            raise SandboxUnavailable("sandbox driver 'docker' needs an image: set sandbox.image to its name")
        with _explain(image), contextlib.ExitStack() as stack:
            core = stack.enter_context(reserve_core()) if own_core else None
            settings = RunnerSettings(base=BASE, scratch_mb=self._options.scratch_mb)
            container = self._engine.containers.create(
                image,
                entrypoint=[RUNNER],
                command=settings.arguments(),
                **self._build_layers(),
                network_mode="bridge" if network else "none",
                cpuset_cpus=None if core is None else str(core),
                volumes=[f"{outside}:{inside}:ro" for inside, outside in self._mounts(mounts, image).items()],
                labels={OWNER_LABEL: ProcessOwner.current().to_label(), RUN_LABEL: self._run},
            )
            stream = DockerStream(container)
            stack.callback(stream.close)
            container.start()
            interpreter = OF_IMAGE if python else ""
            session = RunnerSession(stream, base=BASE, resources=stack.pop_all(), python=interpreter)
        return self._sessions.add(require_python(session, driver="docker", image=image) if python else session)

    def close(self) -> None:
        self._sessions.close()
        if "_engine" in vars(self):
            self._engine.close()

    @cached_property
    def _engine(self) -> Any:
        docker = import_optional("docker", extra="evograft-sandbox[docker]", error=SandboxUnavailable)
        with _explain():
            check_reachable()
            return docker.from_env()

    def _mounts(self, mounts: Mapping[str, str], image: str) -> dict[str, str]:
        return {RUNNER: str(ensure_runner_for_image(self._engine, image)), **mounts}

    def _build_layers(self) -> dict[str, Any]:
        limit = f"{self._options.memory_mb}m"
        return {
            "user": "0:0",
            "stdin_open": True,
            "auto_remove": True,
            "ipc_mode": "none",
            "read_only": True,
            "tmpfs": {
                BASE: f"size={self._options.scratch_mb}m,nr_inodes=100k,mode=711,exec,nosuid,nodev",
                MESSAGE_QUEUES: "ro,size=4k,mode=000",
            },
            "cap_drop": ["ALL"],
            "cap_add": RUNNER_CAPABILITIES,
            "security_opt": ["no-new-privileges"],
            "mem_limit": limit,
            "memswap_limit": limit,
            "pids_limit": self._options.pids,
            "nano_cpus": None if self._options.cpus is None else round(self._options.cpus * 1e9),
            # Requests and answers are not a log.
            "log_config": {"type": "none"},
        }

    def _cgroup(self) -> SandboxLayer:
        info = self._engine.info()
        missing = [name for name in ("MemoryLimit", "PidsLimit") if not info.get(name)]
        detail = f"this system has no {' and no '.join(missing)}" if missing else "memory, swap and processes in all"
        return SandboxLayer(name="cgroup", active=not missing, detail=detail)


@contextlib.contextmanager
def _explain(image: str = "") -> Iterator[None]:
    """Return what can be done about what the engine refuses."""
    docker = import_optional("docker", extra="evograft-sandbox[docker]", error=SandboxUnavailable)
    try:
        yield
    except docker.errors.ImageNotFound as err:
        raise SandboxUnavailable(f"no image {image!r} at this Docker engine: docker pull {image}") from err
    except docker.errors.APIError as err:
        raise SandboxUnavailable(f"the Docker engine refuses a container: {err.explanation}") from err
    except (docker.errors.DockerException, OSError) as err:
        raise SandboxUnavailable(
            f"no Docker engine answers ({err}): start it, or choose another one with sandbox.driver"
        ) from err
