"""Settings that a runner is started with, and what the drivers that start one have in common."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from evograft_hookspecs import NoOptions
from evograft_sandbox.bwrap_arguments import PROCESSORS, PROGRAMS

SYSTEM = (
    *(*PROGRAMS, "/opt", "/proc", PROCESSORS),
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime"),
)
"""What commands may read of the host: programs and libraries, no settings and nobody's data."""
FOR_NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/ssl")
"""What programs read to find others on a network, and to trust them."""
LOWEST_UID, UIDS = 1_900_000_000, 100_000_000
"""Users that no system gives away: each session draws a pair of its own, because processes are counted by user."""


class SandboxOptions(NoOptions):
    """Options of all drivers."""

    scratch_mb: Annotated[int, Field(strict=True, ge=16)] = 1024
    """The files of a session and of the command that runs in it, in memory, where the driver can limit them."""


@dataclass(frozen=True)
class RunnerSettings:
    """How a runner is started."""

    base: str
    """Its folder, as it is called inside."""
    scratch_mb: int
    readable: tuple[str, ...] = ()
    """What Landlock lets commands read. Empty: no Landlock, because other layers see to it."""
    shown: tuple[str, ...] = ()
    """What commands are to see, even where it lies in a folder that is closed to their users."""
    core: int | None = None
    """The only core that it and its commands run on."""
    isolate: bool = False
    """Whether it makes namespaces for itself."""
    forbid_sockets: bool = False
    shared_memory: bool = False
    """Whether there is a `/dev/shm` that nobody else has; a runner that makes namespaces makes one itself."""
    network: bool = False
    """Whether its namespaces leave it the machine's network."""

    def arguments(self) -> list[str]:
        options = {
            "--base": self.base,
            "--scratch-bytes": self.scratch_mb << 20,
            "--first-uid": LOWEST_UID + 2 * secrets.randbelow(UIDS // 2),
            "--core": -1 if self.core is None else self.core,
            "--isolate": int(self.isolate),
            "--forbid-sockets": int(self.forbid_sockets),
            "--shared-memory": int(self.shared_memory),
            "--network": int(self.network),
        }
        paths = (*(("--read", path) for path in self.readable), *(("--show", path) for path in self.shown))
        pairs: Iterable[tuple[str, object]] = (*options.items(), *paths)
        return [str(part) for pair in pairs for part in pair]
