"""No time of day: the kernel's pages with it, which are read without a system call, are covered with zeros.

`time(2)`, which NumPy asks for `datetime64('now')`, then answers 0 in every candidate. Zeros also say that there is no
clock to be read in user space, so that other functions ask the kernel, and locks continue to work.
"""

from __future__ import annotations

import errno
import sys
from dataclasses import dataclass
from pathlib import Path

from evograft_sandbox.functions import libc

PAGES = "[vvar"
"""What the names of these areas begin with."""


@dataclass(frozen=True)
class ClockCover:
    areas: tuple[tuple[int, int], ...]
    """Where each begins, and its size."""
    name: str = "clock"
    detail: str = "no time of day: it is 1970 for libraries"

    def apply(self) -> None:
        for start, size in self.areas:
            libc.cover_with_zeros(start, size)


def prepare_clock() -> ClockCover:
    """Find the pages, which are at the same address in every child.

    Raises:
        OSError: there are none, as on kernels without a vDSO.
    """
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, f"no such pages on {sys.platform}")
    areas = tuple(_area(line) for line in Path("/proc/self/maps").read_text().splitlines() if PAGES in line)
    if not areas:
        raise OSError(errno.ENOENT, "the kernel does not show its pages")
    return ClockCover(areas)


def _area(line: str) -> tuple[int, int]:
    start, end = (int(address, 16) for address in line.split(maxsplit=1)[0].split("-"))
    return start, end - start
