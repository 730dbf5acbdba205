"""The few system calls that Python has no function for."""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import sys

PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38


@functools.cache
def _libc() -> ctypes.CDLL:
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, f"there is no such system call on {sys.platform}")
    return ctypes.CDLL(None, use_errno=True)


def prctl(option: int, *arguments: int) -> None:
    """Passes the arguments as unsigned long: a variadic call would cut them to 32 bits."""
    words = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    _checked(_libc().prctl(option, *words))


def syscall(number: int, *arguments: object) -> int:
    return _checked(_libc().syscall(ctypes.c_long(number), *arguments))


def forbid_new_privileges() -> None:
    """Makes set-uid programs harmless; Landlock and seccomp ask for it. Irrevocable and idempotent."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def capset_nothing() -> None:
    """Gives up all capabilities of this thread (capset(2), version 3: two words per set)."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)()
    _checked(_libc().capset(header, data))


def _checked(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
