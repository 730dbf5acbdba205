"""What is installed, by name: nothing is imported for it, neither plugins nor anything heavy of ours."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points, version

PLUGINS = "evograft.plugins"
COMMANDS = "evograft.commands"
CONTRACT = "evograft-hookspecs"


def installed(group: str = PLUGINS) -> dict[str, list[EntryPoint]]:
    """The entry points of a group by name, nothing imported; more than one where distributions clash."""
    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=group):
        others = found.setdefault(entry.name, [])
        if origin_of(entry) not in map(origin_of, others):
            others.append(entry)
    return found


def origin_of(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "no distribution"


def installed_versions() -> dict[str, str]:
    """Of the packages that offer evograft anything, itself among them: they can change what a run finds."""
    # Reading the names and versions of everything that is installed would take a third of a second.
    groups = [group for group in entry_points().groups if group.startswith("evograft.")]
    owners = {entry.dist for group in groups for entry in entry_points(group=group) if entry.dist}
    found = {dist.name.lower(): dist.version for dist in owners}
    return dict(sorted({**found, CONTRACT: version(CONTRACT)}.items()))
