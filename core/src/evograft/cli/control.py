"""`evo tell` and `evo stop`."""

from __future__ import annotations

import time
from pathlib import Path

import click

from evograft.errors import ServiceError, UserError
from evograft.mailbox import send
from evograft.rundir import find_run, writer_of
from evograft.settings import load_settings

PATIENCE = 30.0
"""Seconds that a run has to stop, well over the grace of what is in flight."""


@click.command()
@click.argument("run")
@click.argument("text")
def tell(run: str, text: str) -> None:
    """Give RUN an instruction, such as "try beam search": every trial that is not open yet gets it as advice."""
    if not text.strip():
        raise UserError("the instruction is empty: say what the next trials should try")
    folder = find_run(run, runs=Path(load_settings().runs_dir))
    send(folder, "tell", text)
    live = writer_of(folder) is not None
    click.echo(f"told {folder.name}" if live else f"{folder.name} is told when it goes on: evo resume {run}")


@click.command()
@click.argument("run", default="latest")
def stop(run: str) -> None:
    """Stop RUN: what is in flight is finished or given up within seconds, and the run can be resumed."""
    folder = find_run(run, runs=Path(load_settings().runs_dir))
    if writer_of(folder) is None:
        raise UserError(f"nobody works on {folder.name}: there is nothing to stop")
    send(folder, "stop", "stopped by evo stop")
    end = time.monotonic() + PATIENCE
    while writer_of(folder) is not None:
        if time.monotonic() > end:
            raise ServiceError(f"{folder.name} was asked to stop and has not yet; see: evo status {run}")
        time.sleep(0.1)
    click.echo(f"stopped {folder.name}; go on with: evo resume {run}")
