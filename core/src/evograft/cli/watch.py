"""A run that is looked at every second until it ends."""

from __future__ import annotations

import sys
from typing import Any

import click

from evograft.cli.description import best_of, clock_of, describe, trials_of
from evograft.cli_kit.printing import print_json
from evograft.runs.status import Watcher
from evograft.text.escapes import sanitize

WATCH_EVERY = 1.0


def watch_run(watcher: Watcher, *, as_json: bool) -> None:
    """Print the state of a run again and again until it ends."""
    if as_json or not sys.stdout.isatty():
        _print_until_it_ends(watcher, as_json=as_json)
        return
    from rich.live import Live
    from rich.text import Text

    with Live(refresh_per_second=4) as live:
        for standing in _looks(watcher):
            live.update(Text(describe(standing)))


def _print_until_it_ends(watcher: Watcher, *, as_json: bool) -> None:
    for standing in _looks(watcher):
        if as_json:
            print_json(standing.to_data())
        else:
            state = sanitize(standing.state)
            click.echo(f"{state}  {trials_of(standing)}  best {best_of(standing)}  {clock_of(standing)}")


def _looks(watcher: Watcher) -> Any:
    """Yield the status a second apart, the last once nobody works on the run."""
    while True:
        standing = watcher.look()
        yield standing
        if standing.writer is None:
            return
        watcher.wait(WATCH_EVERY)
