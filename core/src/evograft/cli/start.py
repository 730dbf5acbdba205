"""Runs that are started and resumed by a call, here or in the background."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from evograft.cli.execution import work_on
from evograft.cli_kit.printing import print_json
from evograft.config.loading import pipeline_from
from evograft.config.pipeline import Pipeline
from evograft.config.user_settings import load_settings
from evograft.errors import EvograftError, PluginError, ServiceError, UserError
from evograft.runs.folder import OUTPUT, discard_folders
from evograft.runs.index import open_run, reference
from evograft.runs.lock_file import RunFolder
from evograft.runs.storage import claim_storage, note_of, writer_of
from evograft.session.start import NewRun, create_run, create_run_with_files

PATIENCE = 5.0
"""Seconds in which a run in the background that cannot start is likely to say so."""


@dataclass(frozen=True)
class StartedRun:
    """A run that was started or resumed: in the background, or here until it stopped."""

    name: str
    id: str
    folder: Path
    process: int | None = None
    """The process that works on it in the background; `None`: it has stopped."""
    exit_code: int = 0
    """The exit code for a command: 0, or 130 if the run was interrupted here."""


def start(
    pipeline: Pipeline | Mapping[str, Any],
    folder: Path | None = None,
    *,
    background: bool = False,
    interactive: bool = False,
    as_json: bool = False,
) -> StartedRun:
    """Start a run as `evo run` does; one that cannot start leaves nothing behind.

    In the background nothing is printed. Here progress goes to standard error and the result to standard output,
    signals stop the run, and the call returns when it has stopped.

    Args:
        pipeline: checked already, or plain data such as settings were made into.
        folder: for the run; `None`: a new one where the user keeps runs.
        background: whether a process of its own works on the run, which outlives this one and the terminal.
        interactive: whether to confirm the first steps and to converse with the user; not in the background.
        as_json: whether the result is printed as one JSON object, without progress.

    Raises:
        UserError: the pipeline or the folder is at fault.
        PluginError: a plugin is.
        ServiceError: something outside cannot be used.
    """
    if not isinstance(pipeline, Pipeline):
        pipeline = pipeline_from(pipeline, source="the settings")
    run = create_run(pipeline, runs=Path(load_settings().runs_dir), folder=folder)
    return carry_out(run, background=background, interactive=interactive, as_json=as_json)


def start_with_files(
    pipeline: Pipeline,
    attach: Callable[[Path], Pipeline],
    folder: Path | None = None,
    *,
    background: bool = False,
    as_json: bool = False,
) -> StartedRun:
    """Start a run as `start` does, whose folder holds files of the user's.

    Args:
        pipeline: as far as it is known without the folder.
        attach: fills the empty folder `task` within that of the run, whose path it is handed, and returns the pipeline
            that names it.
        folder: as for `start`.
        background: likewise.
        as_json: likewise.
    """
    run = create_run_with_files(pipeline, attach, runs=Path(load_settings().runs_dir), folder=folder)
    return carry_out(run, background=background, interactive=False, as_json=as_json)


def carry_out(run: NewRun, *, background: bool, interactive: bool, as_json: bool) -> StartedRun:
    """Work on a run that was just made, here or in the background."""
    if background:
        return _in_background(run.release(), "--new")
    code = work_on(run.folder, is_new=True, as_json=as_json, interactive=interactive, resolved=run.resolved)
    return _here(run.folder, code)


def resume(
    folder: Path,
    overrides: Sequence[str] = (),
    *,
    accept_loss: bool = False,
    background: bool = False,
    interactive: bool = False,
    as_json: bool = False,
    is_new: bool = False,
) -> StartedRun:
    """Resume a run as `evo resume` does.

    Args:
        folder: of the run.
        overrides: changed settings, each `KEY=VALUE`.
        accept_loss: whether the run continues although the last rows of its log are known to be lost.
        background: as for `start`.
        interactive: likewise.
        as_json: likewise.
        is_new: whether nothing has worked on the run before: if it cannot start, it is removed.

    Raises:
        UserError: the settings are at fault, or another process works on the run.
        LogDamaged: the run cannot be read.
    """
    run = open_run(folder)
    if background:
        with claim_storage(run.path):
            pass  # else a process that works on it would be taken for the one that is started here
        settings = [f"--set={each}" for each in overrides]
        return _in_background(run, *settings, *["--accept-loss"] * accept_loss)
    code = work_on(
        run, as_json=as_json, overrides=overrides, accept_loss=accept_loss, interactive=interactive, is_new=is_new
    )
    return _here(run, code)


def _here(run: RunFolder, code: int) -> StartedRun:
    return StartedRun(run.name, run.id, run.path, exit_code=code)


def _in_background(run: RunFolder, *options: str) -> StartedRun:
    """Let a process of its own work on the run, which outlives this one and the terminal."""
    command = [sys.executable, "-m", "evograft", "resume", str(run.path), *options]
    with (run.path / OUTPUT).open("w+b") as output:
        process = subprocess.Popen(  # noqa: S603 - ourselves
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
        _await_start(run, process)
        if process.poll():
            discard_folders(run)  # as far as the process has emptied them
            output.seek(0)
            raise _early_end(run, process.returncode, output.read().decode(errors="replace").strip())
    # Where this process lives on, as a notebook does, one that has ended is not to stay as a zombie.
    threading.Thread(target=process.wait, name="reap", daemon=True).start()
    return StartedRun(run.name, run.id, run.path, process=process.pid)


def print_started(started: StartedRun, *, as_json: bool) -> None:
    """Print where a run in the background works, and how to see and end it."""
    if as_json:
        print_json({"run": started.name, "id": started.id, "folder": str(started.folder), "process": started.process})
        return
    name = reference(started.folder, runs=Path(load_settings().runs_dir))
    click.echo(f"run {started.name} works in the background, process {started.process}")
    click.echo(f"see it with: evo status {name} --watch; end it with: evo stop {name}")
    click.echo(f"run = {started.folder}")


def _await_start(folder: RunFolder, process: subprocess.Popen[bytes]) -> None:
    """Wait until a process works on the run, and as long as it may still find that it cannot."""
    while writer_of(folder.path) is None and process.poll() is None:
        time.sleep(0.05)
    end = time.monotonic() + PATIENCE
    while not note_of(folder.path).strip() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)


def _early_end(folder: RunFolder, code: int, said: str) -> EvograftError:
    """Return what ended a run in the background at once, in its own words."""
    kinds: dict[int, type[EvograftError]] = {each.exit_code: each for each in (UserError, PluginError)}
    reason = said.splitlines()[-1].removeprefix("Error: ") if said else "it said nothing"
    err = kinds.get(code, ServiceError)(f"run {folder.name} ended at once: {reason}")
    err.is_resumable = False
    return err
