"""The CPU dispatch of numerical libraries, limited to what every x86-64 CPU has: then all of them compute the same.

NumPy, OpenBLAS and glibc choose among variants of `exp`, `dot` or `pow` by what the CPU offers, and the variants differ
in their last bits. The first two choose when they are loaded, glibc when a program is executed. So `evo` sets the
variables that decide it and executes itself once more, before it has loaded anything.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing's own would be half of what a restart takes
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    Mode = Literal["portable", "native"]

SWITCH = "EVO_CPU_DISPATCH"
"""The user's choice: `portable`, the default, or `native`, which leaves all variables as they are."""

PORTABLE = {
    "NPY_ENABLE_CPU_FEATURES": ",",  # an empty list: of what NumPy dispatches by CPU, in any version, nothing
    # Of the kernels for old CPUs, the newest whose block sizes do not depend on the size of the cache (setparam-ref.c).
    "OPENBLAS_CORETYPE": "Nehalem",
    # A number that depends on the machine would divide the sums differently.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
EXCLUDED = "NPY_DISABLE_CPU_FEATURES"
"""NumPy refuses to be imported where a list of features to enable and one to disable are set."""

TUNABLES = "GLIBC_TUNABLES"
HWCAPS = "glibc.cpu.hwcaps="
MASKED = ("-FMA", "-FMA4", "-FMA_Usable", "-FMA4_Usable")
"""What glibc's mathematical functions have variants for that round differently; the last two are the names before
2.33."""

RESTARTED = "EVO_RESTARTED"
"""Holds the number of the process that has restarted: the next one that is started by it may have to do so again."""


def dispatch() -> Mode:
    """Return which code this process's numerical libraries choose, if its environment was set at its start."""
    return "portable" if _is_supported() and dict(os.environ) == _limited(os.environ) else "native"


def portable_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a process that is to compute as on any other x86-64 CPU.

    It is unchanged where the switch in it says `native`, and on systems other than Linux on x86-64.
    """
    if not _is_supported() or environment.get(SWITCH) == "native":
        return dict(environment)
    return _limited(environment)


def restart_portable() -> None:
    """Execute this program again in the portable environment, unless it is in it already.

    To be called by the program's entry point before anything else: a process is replaced.
    """
    if os.environ.get(SWITCH, "portable") not in {"portable", "native"}:
        sys.stderr.write(f"Error: {SWITCH} is {os.environ[SWITCH]!r}: set it to portable or native\n")
        sys.exit(2)
    environment = portable_environment(os.environ)
    if environment == dict(os.environ) or os.environ.get(RESTARTED) == str(os.getpid()) or not _can_restart():
        return
    if "mpi4py.MPI" in sys.modules:  # MPI begins once for each process: a second beginning would wait for ever
        sys.stderr.write(
            "evo cannot restart within MPI: its trials may differ from those on another CPU, unless mpiexec is started"
            f" with {' '.join(_list_assignments(environment))}\n"
        )
        return
    try:
        os.execve(  # noqa: S606 - this very program, as it was called
            sys.executable, [sys.executable, *sys.orig_argv[1:]], {**environment, RESTARTED: str(os.getpid())}
        )
    except OSError as err:
        sys.stderr.write(f"evo cannot restart ({err.strerror}): its trials may differ from those on another CPU\n")


def _list_assignments(environment: Mapping[str, str]) -> list[str]:
    return [f"{name}={environment[name]}" for name in (*PORTABLE, TUNABLES)]


def _limited(environment: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in environment.items() if name != EXCLUDED}
    return {**kept, **PORTABLE, TUNABLES: _masked(environment.get(TUNABLES, ""))}


def _masked(tunables: str) -> str:
    """Add what is masked to the tunables that the user has set."""
    entries = [entry for entry in tunables.split(":") if entry]
    others = [entry for entry in entries if not entry.startswith(HWCAPS)]
    chosen = [name for entry in entries if entry.startswith(HWCAPS) for name in entry[len(HWCAPS) :].split(",")]
    hwcaps = [*(name for name in chosen if name not in MASKED), *MASKED]
    return ":".join([*others, HWCAPS + ",".join(hwcaps)])


def _is_supported() -> bool:
    return sys.platform == "linux" and os.uname().machine == "x86_64" and sys.maxsize > 2**32


def _can_restart() -> bool:
    """Return whether the program can be read again, which standard input cannot."""
    return bool(sys.executable) and sys.argv[0] not in {"", "-"}
