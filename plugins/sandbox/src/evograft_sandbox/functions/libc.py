"""The few system calls that Python has no function for."""

from __future__ import annotations

import ctypes
import errno
import functools
import mmap
import os
import signal
import sys

CLOCK_PROCESS_CPUTIME_ID = 2
MAP_FIXED = 0x10
PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38


class SignalEvent(ctypes.Structure):
    """`struct sigevent` for a plain signal."""

    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signo", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("padding", ctypes.c_char * 48),
    )


class TimerSpec(ctypes.Structure):
    """`struct itimerspec`: interval and first expiry, each in seconds and nanoseconds."""

    _fields_ = (("interval", ctypes.c_long * 2), ("value", ctypes.c_long * 2))


@functools.cache
def _libc() -> ctypes.CDLL:
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, f"there is no such system call on {sys.platform}")
    return ctypes.CDLL(None, use_errno=True)


def prctl(option: int, *arguments: int) -> None:
    """Pass the arguments as unsigned long: a variadic call would cut them to 32 bits."""
    words = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    _check(_libc().prctl(option, *words))


def syscall(number: int, *arguments: object) -> int:
    return _check(_libc().syscall(ctypes.c_long(number), *arguments))


def forbid_new_privileges() -> None:
    """Make set-uid programs harmless, as Landlock and seccomp require. Irrevocable and idempotent."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def capset_nothing() -> None:
    """Give up all capabilities of this thread (capset(2), version 3: two words per set)."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)()
    _check(_libc().capset(header, data))


def cover_with_zeros(start: int, size: int) -> None:
    """Put read-only pages of zeros in place of what is mapped there."""
    mapper = _libc().mmap
    mapper.restype = ctypes.c_ssize_t
    mapper.argtypes = (ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
    _check(mapper(start, size, mmap.PROT_READ, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_FIXED, -1, 0))


def kill_after_cpu(seconds: float) -> None:
    """Have the kernel kill this process once it has used this much processor time.

    A fork does not inherit it.

    `setitimer` and `RLIMIT_CPU` count whole clock ticks for the process that runs at the tick, so on a busy machine
    they come early or late, and the signal of the former can be blocked.

    Raises:
        AttributeError: the C library has no such timers, as on macOS.
    """
    timer = ctypes.c_void_p()
    event = SignalEvent(signo=signal.SIGKILL)
    _check(_libc().timer_create(CLOCK_PROCESS_CPUTIME_ID, ctypes.byref(event), ctypes.byref(timer)))
    whole, part = divmod(seconds, 1)
    spec = TimerSpec(value=(ctypes.c_long * 2)(int(whole), int(part * 1e9)))
    _check(_libc().timer_settime(timer, 0, ctypes.byref(spec), None))


def _check(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
