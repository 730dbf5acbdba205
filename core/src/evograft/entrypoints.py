"""What is installed, by name: nothing is imported for it, neither plugins nor anything heavy of ours."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

PLUGINS = "evograft.plugins"
COMMANDS = "evograft.commands"


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
