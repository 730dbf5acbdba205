"""What plugins say about the best trial of a run, for its status: entry points of the group `evograft.status`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint

from evograft.plugin.entry_points import installed, origin_of
from evograft_hookspecs import Trial

GROUP = "evograft.status"

Notes = Callable[[Trial], Iterable[str]]
"""An entry point of the group, named as its plugin: from the best trial to lines about it."""


class StatusNotes:
    """The notes of a run's plugins.

    Args:
        plugins: their names, in the order of the pipeline.
    """

    def __init__(self, plugins: Iterable[str]) -> None:
        found = installed(GROUP)
        self._entries = [(name, entry) for name in plugins for entry in found.get(name, ())]

    def find(self, best: Trial | None) -> tuple[str, ...]:
        """Return what the plugins say; of one that fails, that it failed."""
        if best is None:
            return ()
        return tuple(line for name, entry in self._entries for line in _ask(name, entry, best))


def _ask(plugin: str, entry: EntryPoint, best: Trial) -> list[str]:
    try:
        notes: Notes = entry.load()
        return list(map(str, notes(best)))
    except Exception as err:  # noqa: BLE001 - foreign code: whatever it raises is blamed on its plugin
        return [f"plugin {plugin!r} ({origin_of(entry)}) failed to say something about it: {err!r}"]
