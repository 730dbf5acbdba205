"""Landlock: no file can be reached at all, because the ruleset handles every right and allows none."""

from __future__ import annotations

import ctypes
import fcntl
import os
from dataclasses import dataclass

from evograft_sandbox.functions import libc

CREATE_RULESET = 444
RESTRICT_SELF = 446
GET_ABI = 1
FS_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many rights on files each version of the ABI knows; later ones know as many as the last."""
NET_ABI = 4
SCOPE_ABI = 6
LOG_ABI = 7
LOG_NOTHING = 1
"""A candidate could fill the system's audit log with what it is denied."""


class RulesetAttributes(ctypes.Structure):
    """`struct landlock_ruleset_attr`."""

    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


@dataclass(frozen=True)
class Landlock:
    ruleset_fd: int
    flags: int
    detail: str
    name: str = "landlock"

    def apply(self) -> None:
        libc.forbid_new_privileges()
        libc.syscall(RESTRICT_SELF, ctypes.c_int(self.ruleset_fd), ctypes.c_uint32(self.flags))


def prepare_landlock() -> Landlock:
    """Make the ruleset, once for all children.

    Raises:
        OSError: the kernel has no Landlock, or it is switched off.
    """
    abi = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(GET_ABI))
    attributes = _everything(abi)
    # A kernel refuses a structure that is longer than it knows unless the rest is zero, which it is.
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    fd = libc.syscall(CREATE_RULESET, ctypes.byref(attributes), size, ctypes.c_uint32(0))
    high_fd = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(fd)
    return Landlock(high_fd, LOG_NOTHING if abi >= LOG_ABI else 0, _detail(abi))


def _everything(abi: int) -> RulesetAttributes:
    rights = FS_RIGHTS.get(abi, max(FS_RIGHTS.values()))
    return RulesetAttributes(
        fs=(1 << rights) - 1, net=0b11 if abi >= NET_ABI else 0, scoped=0b11 if abi >= SCOPE_ABI else 0
    )


def _detail(abi: int) -> str:
    layers = ["no files"]
    layers += ["no TCP"] if abi >= NET_ABI else []
    layers += ["no signals or abstract sockets to the outside"] if abi >= SCOPE_ABI else []
    return f"{', '.join(layers)} (ABI {abi})"
