"""What is installed, by name: nothing is imported for it, neither plugins nor anything heavy of ours."""

from __future__ import annotations

import contextlib
import os
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version

from evograft.cpu_dispatch import dispatch

PLUGINS = "evograft.plugins"
COMMANDS = "evograft.commands"
CONTRACT = "evograft-hookspecs"
NUMERICAL = ("numpy", "scipy")


def installed(group: str = PLUGINS) -> dict[str, list[EntryPoint]]:
    """Return the entry points of a group by name, nothing imported; more than one where distributions clash."""
    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=group):
        others = found.setdefault(entry.name, [])
        if origin_of(entry) not in map(origin_of, others):
            others.append(entry)
    return found


def origin_of(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "no distribution"


def installed_versions() -> dict[str, str]:
    """Return what can change a run's results: versions of evograft's and numerical packages, and their dispatch."""
    # Reading the names and versions of everything that is installed would take a third of a second.
    everything = entry_points()
    groups = [group for group in everything.groups if group.startswith("evograft.")]
    owners = {entry.dist for group in groups for entry in everything.select(group=group) if entry.dist}
    found = {dist.name.lower(): dist.version for dist in owners}
    return dict(sorted({**found, CONTRACT: version(CONTRACT), **_numerical_versions()}.items()))


def _numerical_versions() -> dict[str, str]:
    found: dict[str, str] = {"cpu-dispatch": dispatch()}
    for name in NUMERICAL:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    with contextlib.suppress(ValueError, OSError, AttributeError):
        found["libc"] = os.confstr("CS_GNU_LIBC_VERSION") or ""
    return found
