"""`evo env analyze`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from evograft_env_setup.commands.options import ENVIRONMENTS, read_options


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
    from evograft_env_setup.commands.showing import format_analysis
    from evograft_env_setup.planning.outlook import load_environments

    if not path.is_dir():
        raise UserError(f"env analyze: {str(path)!r} is no folder")
    known = load_environments(read_options(environments=environments))
    analysis = EnvironmentAnalyzer(path, depth=depth, task=task, environments=known).analyze()
    click.echo(json.dumps(analysis.to_json(), ensure_ascii=False) if as_json else format_analysis(analysis))
