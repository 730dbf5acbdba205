"""Commands as processes of this machine, behind the walls that its kernel has."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Mapping

from evograft.drivers.sandbox.build import ensure_runner
from evograft.drivers.sandbox.channel import Process
from evograft.drivers.sandbox.cores import kept_core
from evograft.drivers.sandbox.opened import OpenSessions
from evograft.drivers.sandbox.session import RunnerSession
from evograft.drivers.sandbox.settings import SYSTEM, RunnerSettings, SandboxOptions
from evograft_hookspecs import FrozenDict, SandboxLayer, SandboxUnavailable


class ProcessOptions(SandboxOptions):
    """Options of the driver `process`."""


class ProcessSandbox:
    """Needs nothing but Linux. Namespaces are made by the runner, where the user may make them."""

    Options = ProcessOptions

    def __init__(self, options: ProcessOptions) -> None:
        self._options = options
        self._sessions = OpenSessions()

    def start(self, run: str) -> None:
        """Nothing outlives the process that opened it."""

    def layers(self, *, image: str = "") -> tuple[SandboxLayer, ...]:
        with contextlib.closing(self.open(image=image)) as session:
            return (SandboxLayer(name="driver", active=True, detail="process"), *session.layers, _network(session))

    def open(
        self, *, image: str = "", mounts: Mapping[str, str] = FrozenDict(), own_core: bool = False
    ) -> RunnerSession:
        if image:
            raise SandboxUnavailable(f"sandbox driver 'process' has the host's programs only, and no image {image!r}")
        with contextlib.ExitStack() as stack:
            core = stack.enter_context(kept_core()) if own_core else None
            base = tempfile.mkdtemp(prefix="evo-sandbox-")
            # The runner removes it itself, unless it was killed.
            stack.callback(shutil.rmtree, base, ignore_errors=True)
            settings = RunnerSettings(
                base=base,
                scratch_mb=self._options.scratch_mb,
                readable=(*SYSTEM, *_same(mounts)),
                core=core,
                isolate=True,
                forbid_sockets=True,
            )
            stream = Process([str(ensure_runner()), *settings.arguments()])
            stack.callback(stream.close)
            return self._sessions.add(_confined(RunnerSession(stream, base=base, resources=stack.pop_all())))

    def close(self) -> None:
        self._sessions.close()


def _same(mounts: Mapping[str, str]) -> tuple[str, ...]:
    for inside, outside in mounts.items():
        if inside != outside:
            raise SandboxUnavailable(
                f"sandbox driver 'process' cannot show {outside!r} as {inside!r}: mount it under its own path"
            )
    return tuple(mounts)


def _confined(session: RunnerSession) -> RunnerSession:
    """Refuses a sandbox whose commands could end this very process."""
    if session.has_any("namespaces", "user", "landlock"):
        return session
    session.close()
    raise SandboxUnavailable(
        "sandbox driver 'process' finds no wall between commands and this user's own processes and files: it takes "
        "namespaces, Landlock (Linux 5.13), or root"
    )


def _network(session: RunnerSession) -> SandboxLayer:
    """Two walls keep commands off the network; one is enough."""
    active = session.has_any("namespaces", "seccomp")
    detail = "no sockets" if active else "neither namespaces nor seccomp are available here"
    return SandboxLayer(name="network", active=active, detail=detail)
