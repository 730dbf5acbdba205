"""Commands as processes of this machine, behind the layers that its kernel has."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from evograft_hookspecs import FrozenDict, SandboxLayer, SandboxUnavailable
from evograft_sandbox.commands.cpu_cores import reserve_core
from evograft_sandbox.commands.interpreter import add_interpreter, require_python
from evograft_sandbox.commands.native_cache import ensure_runner
from evograft_sandbox.commands.open_sessions import OpenSessions
from evograft_sandbox.commands.runner_channel import RunnerProcess
from evograft_sandbox.commands.runner_settings import FOR_NETWORK, SYSTEM, RunnerSettings, SandboxOptions
from evograft_sandbox.commands.session import RunnerSession


class ProcessOptions(SandboxOptions):
    """Options of the driver `process`."""


class ProcessSandbox:
    """Needs nothing but Linux. Namespaces are made by the runner, where the user may make them."""

    Options = ProcessOptions

    def __init__(self, options: ProcessOptions) -> None:
        self._options = options
        self._sessions = OpenSessions()

    def start(self, run: str) -> None:
        """Do nothing: nothing outlives the process that opened it."""

    def layers(self, *, image: str = "") -> tuple[SandboxLayer, ...]:
        with contextlib.closing(self.open(image=image)) as session:
            return (SandboxLayer(name="driver", active=True, detail="process"), *session.layers, _network(session))

    def open(
        self,
        *,
        image: str = "",
        mounts: Mapping[str, str] = FrozenDict(),
        own_core: bool = False,
        python: bool = False,
        network: bool = False,
    ) -> RunnerSession:
        if image:
            raise SandboxUnavailable(f"sandbox driver 'process' has the host's programs only, and no image {image!r}")
        folders = _same(add_interpreter(mounts, shown=SYSTEM) if python else mounts)
        with contextlib.ExitStack() as stack:
            core = stack.enter_context(reserve_core()) if own_core else None
            base = tempfile.mkdtemp(prefix="evo-sandbox-")
            # The runner removes it itself, unless it was killed.
            stack.callback(shutil.rmtree, base, ignore_errors=True)
            settings = RunnerSettings(
                base=base,
                scratch_mb=self._options.scratch_mb,
                readable=(*SYSTEM, *(FOR_NETWORK if network else ()), *folders),
                shown=folders,
                core=core,
                isolate=True,
                forbid_sockets=not network,
                network=network,
            )
            stream = RunnerProcess([str(ensure_runner()), *settings.arguments()])
            stack.callback(stream.close)
            interpreter = sys.executable if python else ""
            session = RunnerSession(stream, base=base, resources=stack.pop_all(), python=interpreter)
        _require_layers(session)
        _require_open(session, folders)
        return self._sessions.add(require_python(session, driver="process", image="") if python else session)

    def close(self) -> None:
        self._sessions.close()


def _same(mounts: Mapping[str, str]) -> tuple[str, ...]:
    """Return what is mounted, by its own name, and by that which it has behind links."""
    for inside, outside in mounts.items():
        if inside != outside:
            raise SandboxUnavailable(
                f"sandbox driver 'process' cannot show {outside!r} as {inside!r}: mount it under its own path"
            )
    return tuple(dict.fromkeys(path for mount in mounts for path in (mount, os.path.realpath(mount))))


def _require_layers(session: RunnerSession) -> None:
    """Refuse a sandbox whose commands could end this very process."""
    if session.has_any("namespaces", "user", "landlock"):
        return
    session.close()
    raise SandboxUnavailable(
        "sandbox driver 'process' can isolate commands neither from this user's processes nor from its files: it takes "
        "namespaces, Landlock (Linux 5.13), or root"
    )


def _require_open(session: RunnerSession, paths: tuple[str, ...]) -> None:
    """Refuse what commands, whose users are not root, could not reach: they would be blamed for it."""
    if not session.has_any("user"):
        return
    for path in paths:
        # With mounts of its own, the runner shows what lies in closed folders.
        above = () if session.has_any("namespaces") else reversed(Path(path).parents)
        closed = next((place for place in (*above, Path(path)) if _is_closed(place)), None)
        if closed is not None:
            session.close()
            raise SandboxUnavailable(
                f"sandbox driver 'process' cannot show {path!r} to commands, whose users are not root: {str(closed)!r} "
                f"is closed to others; open it (chmod o+rx {closed}), move what is needed to an open folder, or use "
                "another sandbox.driver"
            )


def _is_closed(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    return not mode & (stat.S_IXOTH if stat.S_ISDIR(mode) else stat.S_IROTH)


def _network(session: RunnerSession) -> SandboxLayer:
    """Return the layer for the network: two layers keep commands off it, and one is enough."""
    active = session.has_any("namespaces", "seccomp")
    detail = "no sockets" if active else "neither namespaces nor seccomp are available here"
    return SandboxLayer(name="network", active=active, detail=detail)
