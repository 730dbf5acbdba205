"""An analysis as people read it."""

from __future__ import annotations

from collections.abc import Iterable

from evograft_env_setup.analysis.analysis import RepositoryAnalysis
from evograft_env_setup.text.printable import escape_unprintable

MOST = 20
"""Dependencies that are named."""


def format_analysis(analysis: RepositoryAnalysis) -> str:
    """Plain lines; names that a file gives are made harmless to a terminal."""
    versions = (f"{each.tool} {each.asked} ({each.file})" for each in analysis.versions)
    verification = (f"{each.command}  # prints {each.expected_output}" for each in analysis.verification)
    parts = [
        f"environment: {analysis.environment_type}: {analysis.reason}",
        f"image: {analysis.image}",
        *_listed("files", analysis.detected_files),
        *_listed("versions asked for", versions),
        *_listed(f"dependencies: {len(analysis.dependencies)}", _named(analysis)),
        *_listed("setup", analysis.setup_commands),
        *_listed("verification", verification),
        *_listed("findings", (f"{each.file} {each.what}" for each in analysis.findings)),
    ]
    return "\n".join(escape_unprintable(part) for part in parts)


def _listed(heading: str, lines: Iterable[str]) -> list[str]:
    found = list(lines)
    return [f"{heading}:", *(f"  {line}" for line in found)] if found else []


def _named(analysis: RepositoryAnalysis) -> list[str]:
    names = [f"{each.name} {each.asked}".rstrip() for each in analysis.dependencies]
    return names if len(names) <= MOST else [*names[:MOST], f"and {len(names) - MOST} more"]
