"""seccomp: of all system calls, only those that computing needs; every other one fails with EPERM."""

from __future__ import annotations

import ctypes
import errno
import os
from dataclasses import dataclass

from evograft_sandbox.functions import libc

MODE_FILTER = 2
RETURN_EPERM = 0x00050000 | errno.EPERM
ALLOW = 0x7FFF0000
INSTRUCTION_SIZE = 8

ALLOWED = """
    read write close close_range
    brk mmap mmap2 munmap mremap mprotect madvise
    futex futex_time64 futex_waitv sched_yield sched_getaffinity getcpu rseq set_robust_list membarrier
    rt_sigprocmask rt_sigreturn sigreturn sigaltstack restart_syscall
    clock_gettime clock_gettime64 clock_getres clock_getres_time64 gettimeofday time times getrusage
    nanosleep clock_nanosleep clock_nanosleep_time64
    getpid gettid getppid getuid geteuid getgid getegid
    exit exit_group
""".split()  # noqa: SIM905 - a word per line would hide the list
"""No getrandom: a generator seeded by the system would make a candidate's values differ from run to run."""


class FilterProgram(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


@dataclass(frozen=True)
class Seccomp:
    program: FilterProgram
    code: ctypes.Array[ctypes.c_char]
    """The memory that the program points to."""
    detail: str = "only the system calls of pure computing: no files, sockets, processes, signals, ptrace"
    name: str = "seccomp"

    def apply(self) -> None:
        libc.forbid_new_privileges()
        libc.prctl(libc.PR_SET_SECCOMP, MODE_FILTER, ctypes.addressof(self.program))


def prepare_seccomp() -> Seccomp:
    """Compile the filter, once for all children: loading it takes microseconds.

    Raises:
        OSError: there is no libseccomp.so.2 here, or it refuses.
    """
    bpf = _compile(ctypes.CDLL("libseccomp.so.2", use_errno=True))
    code = ctypes.create_string_buffer(bpf, len(bpf))
    program = FilterProgram(len(bpf) // INSTRUCTION_SIZE, ctypes.addressof(code))
    return Seccomp(program, code)


def _compile(library: ctypes.CDLL) -> bytes:
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(RETURN_EPERM)))
    if not context.value:
        raise OSError(errno.EINVAL, "libseccomp cannot make a filter")
    try:
        for name in ALLOWED:
            number = library.seccomp_syscall_resolve_name(name.encode())
            # Below zero: this architecture has no such call.
            if number >= 0:
                _check(library.seccomp_rule_add(context, ctypes.c_uint32(ALLOW), ctypes.c_int(number), 0))
        return _export(library, context)
    finally:
        library.seccomp_release(context)


def _export(library: ctypes.CDLL, context: ctypes.c_void_p) -> bytes:
    fd = os.memfd_create("seccomp")
    try:
        _check(library.seccomp_export_bpf(context, fd))
        os.lseek(fd, 0, os.SEEK_SET)
        return os.read(fd, 1 << 20)
    finally:
        os.close(fd)


def _check(result: int) -> None:
    if result < 0:
        raise OSError(-result, os.strerror(-result))
