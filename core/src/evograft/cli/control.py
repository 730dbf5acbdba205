"""`evo tell` and `evo stop`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft.cli_kit.printing import print_json
from evograft.errors import ServiceError

if TYPE_CHECKING:
    from evograft.runs.instructions import Reception

PATIENCE = 30.0
"""Seconds that a run has to stop, well over the grace of what is in flight."""


@click.command()
@click.argument("run")
@click.argument("text")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def tell(run: str, text: str, *, as_json: bool) -> None:
    """Give RUN an instruction, such as "try beam search": every trial that is not open yet gets it as advice."""
    from evograft.config.user_settings import load_settings
    from evograft.runs.index import find_run
    from evograft.runs.instructions import send_instruction

    runs = Path(load_settings().runs_dir)
    folder = find_run(run, runs=runs, guessing=False, live_first=True)
    delivery = send_instruction(folder, text)
    if as_json:
        print_json({"run": str(folder), "reception": delivery.reception, "has_model": delivery.has_model})
        return
    click.echo(_received(folder, delivery.reception, runs))
    if not delivery.has_model:
        click.echo("this run asks no model: its instructions may find nobody to follow them", err=True)


def _received(folder: Path, reception: Reception, runs: Path) -> str:
    from evograft.runs.index import reference

    if reception == "queued":
        return f"instruction queued for {folder.name}"
    if reception == "busy":
        return f"run {folder.name} is busy; it gets this when it next looks, or on its next resume"
    return (
        f"run {folder.name} is not running; it gets this on its next resume "
        "(raise the budget first if it is complete): "
        f"evo resume {reference(folder, runs=runs)}"
    )


@click.command()
@click.argument("run", default="latest")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def stop(run: str, *, as_json: bool) -> None:
    """Stop RUN: what is in flight is finished or given up within seconds, and the run can be resumed."""
    from evograft.config.user_settings import load_settings
    from evograft.runs.index import find_run, reference
    from evograft.runs.mailbox import send_message
    from evograft.runs.storage import writer_of

    runs = Path(load_settings().runs_dir)
    folder = find_run(run, runs=runs, guessing=False, live_first=True)
    name = reference(folder, runs=runs)
    if writer_of(folder) is None:
        if as_json:
            print_json({"run": str(folder), "stopped": False})
        else:
            click.echo(f"run {folder.name} is not running; resume it with: evo resume {name}")
        return
    send_message(folder, "stop", "stopped by evo stop", by="evo stop")
    end = time.monotonic() + PATIENCE
    while writer_of(folder) is not None:
        if time.monotonic() > end:
            raise ServiceError(f"{folder.name} was asked to stop and has not yet; see: evo status {name}")
        time.sleep(0.1)
    if as_json:
        print_json({"run": str(folder), "stopped": True})
    else:
        click.echo(f"stopped {folder.name}; resume it with: evo resume {name}")
