"""`evo tell` and `evo stop`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft.errors import ServiceError, UserError

if TYPE_CHECKING:
    from evograft.mailbox import Message

ATTENTION = 3.0
"""Seconds that `evo tell` watches for its message to be read, well over the half second between a run's looks."""
PATIENCE = 30.0
"""Seconds that a run has to stop, well over the grace of what is in flight."""


@click.command()
@click.argument("run")
@click.argument("text")
def tell(run: str, text: str) -> None:
    """Give RUN an instruction, such as "try beam search": every trial that is not open yet gets it as advice."""
    from evograft.mailbox import send
    from evograft.rundir import find_run, open_run
    from evograft.secrets import Keys
    from evograft.settings import load_settings
    from evograft_hookspecs.values import check_text

    if not text.strip():
        raise UserError("the instruction is empty: say what the next trials should try")
    try:
        check_text(text)
    except ValueError as err:
        raise UserError("the instruction is not UTF-8 text") from err
    runs = Path(load_settings().runs_dir)
    folder = find_run(run, runs=runs, guessing=False, live_first=True)
    pipeline = open_run(folder).pipeline
    without_keys = Keys.of(pipeline.to_data()).masked(text)
    click.echo(_outcome(folder, send(folder, "tell", without_keys), runs))
    if pipeline.llm.driver == "none":
        click.echo("this run asks no model: its instructions may find nobody to follow them", err=True)


def _outcome(folder: Path, message: Message, runs: Path) -> str:
    """What became of an instruction: a run that ends at this moment reads it no more."""
    from evograft.mailbox import is_taken
    from evograft.rundir import reference, writer_of

    end = time.monotonic() + ATTENTION
    while (live := writer_of(folder) is not None) and time.monotonic() < end and not is_taken(folder, message):
        time.sleep(0.05)
    if is_taken(folder, message):
        return f"instruction queued for {folder.name}"
    if live:
        return f"run {folder.name} is busy; it gets this when it next looks, or on its next resume"
    return (
        f"run {folder.name} is not running; it gets this on its next resume (raise the budget first if it is complete): "
        f"evo resume {reference(folder, runs=runs)}"
    )


@click.command()
@click.argument("run", default="latest")
def stop(run: str) -> None:
    """Stop RUN: what is in flight is finished or given up within seconds, and the run can be resumed."""
    from evograft.mailbox import send
    from evograft.rundir import find_run, reference, writer_of
    from evograft.settings import load_settings

    runs = Path(load_settings().runs_dir)
    folder = find_run(run, runs=runs, guessing=False, live_first=True)
    name = reference(folder, runs=runs)
    if writer_of(folder) is None:
        click.echo(f"run {folder.name} is not running; resume it with: evo resume {name}")
        return
    send(folder, "stop", "stopped by evo stop")
    end = time.monotonic() + PATIENCE
    while writer_of(folder) is not None:
        if time.monotonic() > end:
            raise ServiceError(f"{folder.name} was asked to stop and has not yet; see: evo status {name}")
        time.sleep(0.1)
    click.echo(f"stopped {folder.name}; resume it with: evo resume {name}")
