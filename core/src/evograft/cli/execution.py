"""A session of a run at the command line: its progress and signals, the process in the background, and the result."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evograft.cli.progress import Progress
from evograft.cli_kit.console import Style
from evograft.cli_kit.printing import print_json
from evograft.cli_kit.signals import ending_signals, interrupt_on_signals
from evograft.config.loading import pipeline_from
from evograft.config.pipeline import Pipeline
from evograft.config.user_settings import load_settings
from evograft.errors import EvograftError, PluginError, ServiceError, UserError
from evograft.kernel.kernel import Kernel
from evograft.runs.folder import OUTPUT, discard_folders
from evograft.runs.index import open_run, reference
from evograft.runs.lock_file import LOCK_FILE, RunFolder
from evograft.runs.writer_lock import WriterLock, note_of, writer_of
from evograft.session.resolved_run import ResolvedRun
from evograft.session.session import open_session
from evograft.session.start import NewRun, create_run, discard_unstarted
from evograft.text.escapes import escape_controls
from evograft_hookspecs import Evaluation, RunEnded

if TYPE_CHECKING:
    from evograft.cli.interactive.conversation import Conversation

INTERRUPTED = 130
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
        with WriterLock(run.path):
            pass  # else a process that works on it would be taken for the one that is started here
        settings = [f"--set={each}" for each in overrides]
        return _in_background(run, *settings, *["--accept-loss"] * accept_loss)
    code = work_on(
        run, as_json=as_json, overrides=overrides, accept_loss=accept_loss, interactive=interactive, is_new=is_new
    )
    return _here(run, code)


def _here(run: RunFolder, code: int) -> StartedRun:
    return StartedRun(run.name, run.id, run.path, exit_code=code)


def work_on(
    folder: RunFolder,
    *,
    as_json: bool,
    overrides: Sequence[str] = (),
    accept_loss: bool = False,
    interactive: bool = False,
    is_new: bool = False,
    resolved: ResolvedRun | None = None,
) -> int:
    """Work on a run until it stops, and return the exit code; a new one that cannot start leaves nothing behind."""
    how: dict[str, Any] = {"overrides": overrides, "accept_loss": accept_loss, "resolved": resolved}
    try:
        return _work(folder, how, as_json=as_json, interactive=interactive)
    except EvograftError as err:
        gone = is_new and not err.in_trials and discard_unstarted(folder)
        err.args = (f"{err}; no run was kept" if gone else f"{err}{_hint(err, folder)}",)
        raise


def _hint(err: EvograftError, folder: RunFolder) -> str:
    """Return how to resume a run that a failure ended: whatever it was, nothing that was finished is lost."""
    resumable = err.is_resumable and (folder.path / LOCK_FILE).exists()
    if not isinstance(err, (PluginError, ServiceError)) or not resumable or "evo resume" in str(err):
        return ""
    name = _name(folder)
    is_foreign = isinstance(err, PluginError) and err.__cause__ is not None
    traceback = f" (with a traceback: evo --debug resume {name})" if is_foreign else ""
    return f"; fix this, then run: evo resume {name}{traceback}"


def _work(folder: RunFolder, how: Mapping[str, Any], *, as_json: bool, interactive: bool) -> int:
    # Until a kernel listens, signals end the start: the folder stays resumable.
    interrupt_on_signals()
    progress = Progress(_style(as_json=as_json, interactive=interactive))
    conversation = _conversation(folder) if interactive else None
    observers = [each.as_plugin() for each in (progress, conversation) if each]
    with (
        open_session(folder, observers=observers, **how) as kernel,
        _stopping_on_signals(kernel),
        progress,
    ):
        if conversation:
            conversation.kernel = kernel
        with nullcontext() if interactive else _plugins_print_elsewhere():
            ended = kernel.run()
    if as_json:
        print_json(_summary(folder, ended, progress))
    else:
        _print_result(folder, ended, progress)
    return INTERRUPTED if ended.outcome == "interrupted" else 0


def _conversation(folder: RunFolder) -> Conversation:
    # What it shows is made by the pages of reports, whose import costs a tenth of a second.
    from evograft.cli.interactive.conversation import Conversation

    return Conversation(folder.path)


def _style(*, as_json: bool, interactive: bool) -> Style:
    if as_json:
        return "quiet"
    # A line that is drawn again and again would overwrite what the person types.
    return "plain" if interactive else load_settings().progress


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


@contextmanager
def _plugins_print_elsewhere() -> Iterator[None]:
    """Send what plugins and their processes print to standard error: standard output is the command's own."""
    sys.stdout.flush()
    ours = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(ours, 1)
        os.close(ours)


@contextmanager
def _stopping_on_signals(kernel: Kernel) -> Iterator[None]:
    def stop(number: int, _frame: Any) -> None:
        # The second signal of a kind ends the process at once; the log holds everything all the same.
        signal.signal(number, signal.SIG_DFL)
        os.write(sys.stderr.fileno(), b"\nstopping; once more to end at once\n")
        kernel.requests.stop(f"stopped by {signal.Signals(number).name}")

    before = {number: signal.signal(number, stop) for number in ending_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _summary(folder: RunFolder, ended: RunEnded, progress: Progress) -> dict[str, Any]:
    judged = progress.judged if ended.outcome == "complete" else None
    return {
        "run": folder.name,
        "id": folder.id,
        "folder": str(folder.path),
        "outcome": ended.outcome,
        "reason": ended.reason,
        "trials": ended.commits,
        "best": json.loads(ended.best.model_dump_json()) if ended.best else None,
        "final": json.loads(judged.evaluation.model_dump_json()) if judged else None,
    }


def _print_result(folder: RunFolder, ended: RunEnded, progress: Progress) -> None:
    best = f"best score {ended.best.score:.6g} in trial {ended.best.number}" if ended.best else "no valid candidate"
    click.echo(f"{ended.outcome}: {ended.reason}; {ended.commits} trials, {best}")
    if ended.outcome == "interrupted":
        click.echo(f"resume it with: evo resume {_name(folder)}")
    if progress.judged is not None and ended.outcome == "complete":
        judgement = progress.judged.evaluation
        click.echo(escape_controls(f"final evaluation:{_laid_out(judgement)}"))
    click.echo(f"run = {folder.path}")


def _laid_out(evaluation: Evaluation) -> str:
    """Lay out what an evaluation says behind a label: one line next to it, more lines below it."""
    said = (evaluation.feedback or evaluation.reason).strip("\n")
    score = "" if evaluation.score is None else f" score {evaluation.score:.6g}"
    if "\n" in said:
        return f"{score}\n{said}"
    return f"{score}{':' if score and said else ''}{f' {said}' if said else ''}"


def _name(folder: RunFolder) -> str:
    """Return how a command names just this run."""
    return reference(folder.path, runs=Path(load_settings().runs_dir))
