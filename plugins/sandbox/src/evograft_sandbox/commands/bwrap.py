"""Commands inside bubblewrap: namespaces and a file system of their own, without a service that runs as root."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from evograft_hookspecs import FrozenDict, SandboxLayer, SandboxUnavailable
from evograft_sandbox.bwrap_arguments import make_folders_above
from evograft_sandbox.commands.cpu_cores import reserve_core
from evograft_sandbox.commands.interpreter import OF_IMAGE, add_interpreter, require_python
from evograft_sandbox.commands.native_cache import ensure_runner
from evograft_sandbox.commands.open_sessions import OpenSessions
from evograft_sandbox.commands.runner_channel import RunnerProcess
from evograft_sandbox.commands.runner_settings import FOR_NETWORK, SYSTEM, RunnerSettings, SandboxOptions
from evograft_sandbox.commands.session import RunnerSession

BASE = "/evograft"
RUNNER = "/evograft-runner"
SHARED_MEMORY, SHARED_MEMORY_BYTES = "/dev/shm", 64 << 20  # noqa: S108 - a mount of the sandbox
RUNNER_CAPABILITIES = ("CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_KILL", "CAP_SETGID", "CAP_SETUID")
"""To give a command another user, to end it, and to remove what it leaves. No command has any."""
OF_BWRAP = {
    "namespaces": "own processes, mounts, network and host name",
    "files": "a read-only system without the host's settings and data; all that is written is in memory and limited",
    "network": "a network namespace with nothing but a loopback",
}


class BwrapOptions(SandboxOptions):
    """Options of the driver `bwrap`."""

    image: str = ""
    """A folder with a system, such as debootstrap makes; empty: the host's programs."""


class BwrapSandbox:
    """Works for ordinary users where the system lets them make namespaces."""

    Options = BwrapOptions

    def __init__(self, options: BwrapOptions) -> None:
        self._options = options
        self._sessions = OpenSessions()

    def start(self, run: str) -> None:
        """Do nothing: nothing outlives the process that opened it."""

    def layers(self, *, image: str = "") -> tuple[SandboxLayer, ...]:
        with contextlib.closing(self.open(image=image)) as session:
            own = (SandboxLayer(name=name, active=True, detail=detail) for name, detail in OF_BWRAP.items())
            runners = (layer for layer in session.layers if layer.name not in OF_BWRAP)
            return (SandboxLayer(name="driver", active=True, detail="bwrap"), *own, *runners)

    def open(
        self,
        *,
        image: str = "",
        mounts: Mapping[str, str] = FrozenDict(),
        own_core: bool = False,
        python: bool = False,
        network: bool = False,
    ) -> RunnerSession:
        program = shutil.which("bwrap")
        if program is None:
            raise SandboxUnavailable("sandbox driver 'bwrap' needs bubblewrap: install the package bubblewrap")
        image = image or self._options.image
        system = _system(image, network=network)
        if python and not image:
            mounts = add_interpreter(mounts, shown=(inside for _, inside in system))
        with contextlib.ExitStack() as stack:
            settings = RunnerSettings(
                base=BASE,
                scratch_mb=self._options.scratch_mb,
                readable=(*(inside for _, inside in system), "/proc", *mounts),
                core=stack.enter_context(reserve_core()) if own_core else None,
                shared_memory=True,
            )
            layers = _build_layers(system, mounts, settings)
            if network:
                layers.remove("--unshare-net")
            stream = RunnerProcess([program, *layers, "--", RUNNER, *settings.arguments()])
            stack.callback(stream.close)
            interpreter = (OF_IMAGE if image else sys.executable) if python else ""
            session = RunnerSession(stream, base=BASE, resources=stack.pop_all(), python=interpreter)
        return self._sessions.add(require_python(session, driver="bwrap", image=image) if python else session)

    def close(self) -> None:
        self._sessions.close()


def _system(image: str, *, network: bool) -> tuple[tuple[str, str], ...]:
    """Return pairs of paths outside and inside, of what an image or the host has."""
    if not image:
        paths = (*SYSTEM, *(FOR_NETWORK if network else ()))
        return tuple((path, path) for path in paths if path not in ("/proc", "/opt") and Path(path).exists())
    if not Path(image).is_dir():
        raise SandboxUnavailable(f"sandbox driver 'bwrap' takes a folder as its image, and there is none at {image!r}")
    entries = (path for path in sorted(Path(image).iterdir()) if path.name not in ("proc", "dev", "tmp", "run"))
    return tuple((str(path), f"/{path.name}") for path in entries)


def _build_layers(
    system: tuple[tuple[str, str], ...], mounts: Mapping[str, str], settings: RunnerSettings
) -> list[str]:
    return [
        *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
        *("--as-pid-1", "--new-session", "--clearenv", "--cap-drop", "ALL"),
        *_user(),
        *(part for outside, inside in system for part in _show(outside, inside)),
        # Before the mounts, one of which may be below it.
        *("--size", str(settings.scratch_mb << 20), "--tmpfs", BASE),
        *(part for inside in mounts for part in make_folders_above(inside)),
        *(part for inside, outside in mounts.items() for part in ("--ro-bind", outside, inside)),
        *("--ro-bind", str(ensure_runner()), RUNNER, "--proc", "/proc", "--dev", "/dev"),
        *("--size", str(SHARED_MEMORY_BYTES), "--tmpfs", SHARED_MEMORY, "--remount-ro", "/dev"),
        *("--remount-ro", "/"),
    ]


def _user() -> list[str]:
    """Return the arguments for users.

    Root can give its commands other users; anybody else has only himself in a namespace of users.
    """
    if os.geteuid() != 0:
        return ["--unshare-user"]
    return [part for capability in RUNNER_CAPABILITIES for part in ("--cap-add", capability)]


def _show(outside: str, inside: str) -> tuple[str, str, str]:
    path = Path(outside)
    # /bin is a link into /usr on most systems.
    return ("--symlink", str(path.readlink()), inside) if path.is_symlink() else ("--ro-bind", outside, inside)
