"""What is installed, by name: nothing is imported for it, neither plugins nor anything heavy of ours."""

from __future__ import annotations

import contextlib
import os
import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from pathlib import Path

from evograft.cpu_dispatch import dispatch

PLUGINS = "evograft.plugins"
COMMANDS = "evograft.commands"
CONTRACT = "evograft-hookspecs"
NUMERICAL = ("numpy", "scipy")
KEPT = 4
"""How many environments are remembered."""

Environment = tuple[tuple[str, int], ...]
"""The folders that packages are looked for in, and when each was changed last."""


def installed(group: str = PLUGINS) -> dict[str, list[EntryPoint]]:
    """Return the entry points of a group by name, nothing imported; more than one where distributions clash."""
    found: dict[str, list[EntryPoint]] = {}
    for entry in (each for each in _entry_points(_environment()) if each.group == group):
        others = found.setdefault(entry.name, [])
        if all(origin_of(entry) != origin_of(other) for other in others):
            others.append(entry)
    return found


def origin_of(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "no distribution"


def installed_versions() -> dict[str, str]:
    """Return what can change a run's results: versions of evograft's and numerical packages, and their dispatch."""
    found = {**_versions(_environment()), "cpu-dispatch": dispatch()}
    with contextlib.suppress(ValueError, OSError, AttributeError):
        found["libc"] = os.confstr("CS_GNU_LIBC_VERSION") or ""
    return dict(sorted(found.items()))


def _environment() -> Environment:
    folders = [Path(folder).absolute() for folder in sys.path]
    return tuple((str(folder), _changed(folder)) for folder in folders)


def _changed(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:  # a path may name what is not there
        return 0


@lru_cache(maxsize=KEPT)
def _entry_points(environment: Environment) -> tuple[EntryPoint, ...]:  # noqa: ARG001 - what the answer depends on
    """Return those of our groups. Finding them takes a file of each package, and a session asks several times."""
    everything = entry_points()
    groups = [group for group in everything.groups if group.startswith("evograft.")]
    return tuple(entry for group in groups for entry in everything.select(group=group))


@lru_cache(maxsize=KEPT)
def _versions(environment: Environment) -> dict[str, str]:
    # Reading the names and versions of everything that is installed would take a third of a second.
    owners = {entry.dist for entry in _entry_points(environment) if entry.dist}
    found = {**{dist.name.lower(): dist.version for dist in owners}, CONTRACT: version(CONTRACT)}
    for name in NUMERICAL:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
