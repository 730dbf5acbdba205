"""The parts of a report that the plugins of a run bring."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from importlib.metadata import EntryPoint

from evograft.log.journal import Journal
from evograft.plugin.entry_points import installed, origin_of
from evograft.runs.lock_file import RunFolder
from evograft_report.toolkit.section import Section

GROUP = "evograft.report"

Sections = Callable[[RunFolder, Journal, str], Iterable[Section]]
"""An entry point of the group: from a run, its log and the page's language to sections."""


def load_plugin_sections(
    run: RunFolder, journal: Journal, language: str, *, tell: Callable[[str], None]
) -> tuple[Section, ...]:
    """Return what the installed plugins of a run's pipeline have to show of it.

    Args:
        run: of the report.
        journal: its log, opened for reading.
        language: of the page.
        tell: is called with a message on a plugin that failed; a section says so, too, and all others are there.
    """
    found = installed(GROUP)
    return tuple(
        section
        for plugin in run.pipeline.plugins
        for entry in found.get(plugin.name, ())
        for section in _draw(plugin.name, entry, partial(_sections, entry, run, journal, language), tell)
    )


def _draw(
    plugin: str, entry: EntryPoint, sections: Callable[[], Iterable[Section]], tell: Callable[[str], None]
) -> Iterator[Section]:
    try:
        for section in sections():
            for chart in section.charts:
                chart.drawings()  # a chart is drawn when it is shown, too late to blame anybody
            yield replace(section, name=f"{plugin}-{section.name}")
    except Exception as err:  # noqa: BLE001 - foreign code: whatever it raises is blamed on its plugin
        said = f"plugin {plugin!r} ({origin_of(entry)}) failed to draw its part of the report: {err!r}"
        tell(said)
        yield Section(f"{plugin}-failed", plugin, note=said)


def _sections(entry: EntryPoint, run: RunFolder, journal: Journal, language: str) -> Iterable[Section]:
    sections: Sections = entry.load()
    return sections(run, journal, language)
