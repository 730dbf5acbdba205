"""Privileges: a candidate has no capabilities, cannot gain any, and is nobody where the worker is root."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from evograft_sandbox.functions import libc

NOBODY = 65534
NEEDED_CAPABILITIES = (1 << 5) | (1 << 6) | (1 << 7)
"""KILL, SETGID, SETUID: a worker that could not kill its child any more must not change the child's user."""


@dataclass(frozen=True)
class Privileges:
    becomes_nobody: bool
    name: str = "privileges"

    @property
    def detail(self) -> str:
        return "no capabilities" + (f", user {NOBODY} instead of root" if self.becomes_nobody else "")

    def apply(self) -> None:
        libc.forbid_new_privileges()
        if self.becomes_nobody:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
        libc.capset_nothing()


def prepare_privileges() -> Privileges:
    return Privileges(becomes_nobody=os.geteuid() == 0 and _may_change_user() and _is_mapped())


def _may_change_user() -> bool:
    status = Path("/proc/self/status").read_text()
    effective = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff:"))
    return effective & NEEDED_CAPABILITIES == NEEDED_CAPABILITIES


def _is_mapped() -> bool:
    """Return whether user and group exist in this user namespace."""
    for kind in ("uid", "gid"):
        ranges = (line.split() for line in Path(f"/proc/self/{kind}_map").read_text().splitlines())
        if not any(int(first) <= NOBODY < int(first) + int(count) for first, _, count in ranges):
            return False
    return True
