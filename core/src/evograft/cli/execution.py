"""A session of a run at the command line: its progress and signals, the process in the background, and the result."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evograft.cli.progress import Progress
from evograft.display import Style
from evograft.errors import LogDamaged, PluginError, ServiceError
from evograft.kernel import Kernel
from evograft.rundir import RunFolder, writer_of
from evograft.session import session
from evograft.settings import load_settings
from evograft.signals import ending_signals, interrupt_on_signals
from evograft_hookspecs import RunEnded

if TYPE_CHECKING:
    from evograft.cli.conversation import Conversation

INTERRUPTED = 130
OUTPUT = "output.log"
"""What a run in the background says, in its folder."""


def work_on(
    folder: RunFolder,
    *,
    as_json: bool,
    overrides: Sequence[str] = (),
    accept_loss: bool = False,
    interactive: bool = False,
) -> int:
    """Works on a run until it stops, and returns the exit code."""
    # Until a kernel listens, signals end the start: the folder stays resumable.
    interrupt_on_signals()
    progress = Progress(_style(as_json=as_json, interactive=interactive))
    conversation = _conversation(folder) if interactive else None
    observers = [each.as_plugin() for each in (progress, conversation) if each]
    with (
        session(folder, observers=observers, overrides=overrides, accept_loss=accept_loss) as kernel,
        _stopping_on_signals(kernel),
        progress,
    ):
        if conversation:
            conversation.kernel = kernel
        try:
            with nullcontext() if interactive else _plugins_print_elsewhere():
                ended = kernel.run()
        except (PluginError, ServiceError) as err:
            # Whatever it was, nothing that was finished is lost.
            hint = (
                ""
                if "evo resume" in str(err) or isinstance(err, LogDamaged)
                else f"; mend that, then: {_resume(folder)}"
            )
            err.args = (f"{err}{hint}",)
            raise
    if as_json:
        click.echo(json.dumps(_summary(folder, ended, progress)))
    else:
        _print_result(folder, ended, progress)
    return INTERRUPTED if ended.outcome == "interrupted" else 0


def _conversation(folder: RunFolder) -> Conversation:
    # What it shows is made by the pages of reports, whose import costs a tenth of a second.
    from evograft.cli.conversation import Conversation

    return Conversation(folder.path)


def _style(*, as_json: bool, interactive: bool) -> Style:
    if as_json:
        return "quiet"
    # A line that is drawn again and again would overwrite what the person types.
    return "plain" if interactive else load_settings().progress


def detach(folder: RunFolder, *options: str, as_json: bool) -> int:
    """Lets a process of its own work on the run, which outlives this one and the terminal."""
    command = [sys.executable, "-m", "evograft", "resume", str(folder.path), *options]
    with (folder.path / OUTPUT).open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - ourselves
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    while writer_of(folder.path) is None and process.poll() is None:
        time.sleep(0.05)
    if process.poll():
        said = (folder.path / OUTPUT).read_text(encoding="utf-8", errors="replace").strip()
        raise ServiceError(f"run {folder.name} ended at once: {said.splitlines()[-1] if said else 'it said nothing'}")
    if as_json:
        click.echo(
            json.dumps({"run": folder.name, "id": folder.id, "folder": str(folder.path), "process": process.pid})
        )
    else:
        click.echo(f"run {folder.name} goes on in the background, process {process.pid}")
        click.echo(f"see it with: evo status {folder.name} --watch; end it with: evo stop {folder.name}")
        click.echo(f"run = {folder.path}")
    return 0


@contextmanager
def _plugins_print_elsewhere() -> Iterator[None]:
    """Standard output is the command's own: what plugins and their processes print goes to standard error."""
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
        kernel.stop(f"stopped by {signal.Signals(number).name}")

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
        click.echo(f"go on with: {_resume(folder)}")
    if progress.judged is not None and ended.outcome == "complete":
        judgement = progress.judged.evaluation
        click.echo(judgement.feedback or judgement.reason or f"final score {judgement.score:.6g}")
    click.echo(f"run = {folder.path}")


def _resume(folder: RunFolder) -> str:
    """The command that goes on with just this run: its name may mean another one."""
    usual = Path(load_settings().runs_dir).absolute() / folder.name
    return f"evo resume {folder.name if folder.path == usual else folder.path}"
