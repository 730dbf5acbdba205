"""The run that a command reads, which may lie outside of the usual place."""

from __future__ import annotations

from pathlib import Path

import click


def find_read_run(word: str) -> Path:
    """Find a run by path, name, id, address or `latest`; a folder that the word does not show is named on stderr."""
    from evograft.config.user_settings import load_settings
    from evograft.runs.index import find_run
    from evograft.runs.shared_runs import is_address

    runs = Path(load_settings().runs_dir)
    folder = find_run(word, runs=runs)
    if not is_address(word) and folder.parent != runs.absolute() and folder != Path(word).absolute():
        click.echo(f"run {folder.name} in {folder}", err=True)
    return folder
