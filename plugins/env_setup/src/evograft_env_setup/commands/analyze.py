"""`evo env analyze`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft_env_setup.commands.options import ENVIRONMENTS, read_options
from evograft_env_setup.text.printable import escape_unprintable

if TYPE_CHECKING:
    from evograft_env_setup.analysis.analysis import RepositoryAnalysis

MOST = 20
"""Dependencies that are named."""


@click.command()
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option("--task", default="", metavar="TEXT", help="What is to be done there; it decides between languages.")
@click.option(
    "--depth", default=1, type=click.IntRange(min=0), help="Levels of folders that are looked at.", show_default=True
)
@ENVIRONMENTS
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def analyze(path: Path, task: str, depth: int, environments: str | None, *, as_json: bool) -> None:
    """Say what the repository in PATH needs, and how it would be set up without a model."""
    from evograft.api import UserError
    from evograft_env_setup.analysis.analyzer import EnvironmentAnalyzer
    from evograft_env_setup.planning.outlook import load_environments

    if not path.is_dir():
        raise UserError(f"env analyze: {str(path)!r} is no folder")
    known = load_environments(read_options(environments=environments))
    analysis = EnvironmentAnalyzer(path, depth=depth, task=task, environments=known).analyze()
    click.echo(json.dumps(analysis.to_json(), ensure_ascii=False) if as_json else format_analysis(analysis))


def format_analysis(analysis: RepositoryAnalysis) -> str:
    """Format an analysis as plain lines; names that a file gives are made harmless to a terminal."""
    versions = (f"{each.tool} {each.asked} ({each.file})" for each in analysis.versions)
    verification = (f"{each.command}  # prints {each.expected_output}" for each in analysis.verification)
    parts = [
        f"environment: {analysis.environment_type}: {analysis.reason}",
        f"image: {analysis.image}",
        *_list("files", analysis.detected_files),
        *_list("versions asked for", versions),
        *_list(f"dependencies: {len(analysis.dependencies)}", _name_dependencies(analysis)),
        *_list("setup", analysis.setup_commands),
        *_list("verification", verification),
        *_list("findings", (f"{each.file} {each.what}" for each in analysis.findings)),
    ]
    return "\n".join(escape_unprintable(part) for part in parts)


def _list(heading: str, lines: Iterable[str]) -> list[str]:
    found = list(lines)
    return [f"{heading}:", *(f"  {line}" for line in found)] if found else []


def _name_dependencies(analysis: RepositoryAnalysis) -> list[str]:
    names = [f"{each.name} {each.asked}".rstrip() for each in analysis.dependencies]
    return names if len(names) <= MOST else [*names[:MOST], f"and {len(names) - MOST} more"]
