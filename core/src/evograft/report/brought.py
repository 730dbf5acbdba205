"""The parts of a report that the plugins of a run bring."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from evograft.entrypoints import installed, origin_of
from evograft.errors import EvograftError, PluginError
from evograft.journal import Journal
from evograft.pages.section import Section
from evograft.rundir import RunFolder

GROUP = "evograft.report"

Sections = Callable[[RunFolder, Journal, str], Iterable[Section]]
"""What an entry point of the group is: from a run, its log and the page's language to sections."""


def brought_sections(run: RunFolder, journal: Journal, language: str) -> tuple[Section, ...]:
    """What the plugins of a run's pipeline, those that are installed here, have to show of it.

    Raises:
        PluginError: one of them failed; the message names it.
    """
    return tuple(_of_all(run, journal, language))


def _of_all(run: RunFolder, journal: Journal, language: str) -> Iterator[Section]:
    found = installed(GROUP)
    for plugin in run.pipeline.plugins:
        for entry in found.get(plugin.name, ()):
            try:
                sections: Sections = entry.load()
                for section in sections(run, journal, language):
                    yield replace(section, name=f"{plugin.name}-{section.name}")
            except EvograftError:
                raise
            except Exception as err:  # foreign code: whatever it raises is blamed on its plugin
                raise PluginError(
                    f"plugin {plugin.name!r} ({origin_of(entry)}) failed to draw its part of the report: {err!r}"
                ) from err
