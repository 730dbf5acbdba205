"""`evo run` and `evo resume`."""

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
from evograft.composing import composed, driver_and_model
from evograft.display import Style
from evograft.errors import LogDamaged, PluginError, ServiceError, UserError
from evograft.kernel import Kernel
from evograft.rundir import RunFolder, WriterLock, find_run, open_run, writer_of
from evograft.session import session
from evograft.settings import load_settings
from evograft.signals import ending_signals, interrupt_on_signals
from evograft.starting import repeat_run, start_run
from evograft_hookspecs import RunEnded

if TYPE_CHECKING:
    from evograft.cli.conversation import Conversation

INTERRUPTED = 130
OUTPUT = "output.log"
"""What a run in the background says, in its folder."""

as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
overrides = click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override a setting; repeatable."
)
background = click.option("--background", is_flag=True, help="Let it go on in the background; see evo status and stop.")
interactive = click.option(
    "--interactive", is_flag=True, help="Confirm the first steps, then ask and instruct at a prompt while it works."
)


@click.command()
@click.argument("pipeline", required=False, type=click.Path(path_type=Path))
@click.option("--plugin", help="Run the pipeline that this plugin ships.")
@overrides
@click.option("--seed", type=click.IntRange(min=0), help="The run's seed; short for --set seed=N.")
@click.option(
    "--trials", type=click.IntRange(min=1), help="Stop after so many trials; short for --set budget.trials=N."
)
@click.option(
    "--llm", metavar="DRIVER[:MODEL]", help="The llm driver and model; replay:RUN takes a run's log as model."
)
@click.option(
    "--run-dir", type=click.Path(path_type=Path), help="Make the run in this folder instead of ./runs/NAME-N."
)
@background
@interactive
@as_json
def run(
    pipeline: Path | None,
    plugin: str | None,
    overrides: tuple[str, ...],
    seed: int | None,
    trials: int | None,
    llm: str | None,
    run_dir: Path | None,
    *,
    background: bool,
    interactive: bool,
    as_json: bool,
) -> int:
    """Start a run of the PIPELINE file, or of the pipeline that a plugin ships (--plugin).

    With --llm replay:RUN alone, repeat RUN, its log serving as the model.
    """
    _require_company(background=background, interactive=interactive)
    runs = Path(load_settings().runs_dir)
    short = [f"seed={seed}"] * (seed is not None) + [f"budget.trials={trials}"] * (trials is not None)
    driver, model = driver_and_model(llm)
    if driver == "replay" and pipeline is None and plugin is None:
        if overrides or short:
            raise UserError("--llm replay:RUN repeats RUN as it was: leave out --set, --seed and --trials")
        folder = repeat_run(open_run(find_run(model, runs=runs)), runs=runs, folder=run_dir)
    else:
        resolved = composed(pipeline, plugin, (*overrides, *short), llm=llm, runs=runs)
        folder = start_run(resolved, runs=runs, folder=run_dir)
    if background:
        return _detach(folder, as_json=as_json)
    return _work(folder, as_json=as_json, interactive=interactive)


@click.command()
@click.argument("run", default="latest")
@overrides
@click.option("--accept-loss", is_flag=True, help="Go on although the log's last rows are known to be lost.")
@background
@interactive
@as_json
def resume(
    run: str, overrides: tuple[str, ...], *, accept_loss: bool, background: bool, interactive: bool, as_json: bool
) -> int:
    """Go on with RUN (a name, id, path, or `latest`) from where its log ends."""
    _require_company(background=background, interactive=interactive)
    folder = open_run(find_run(run, runs=Path(load_settings().runs_dir)))
    if background:
        with WriterLock(folder.path):
            pass  # else a process that works on it would be taken for the one that is started here
        settings = [f"--set={each}" for each in overrides]
        return _detach(folder, *settings, *(["--accept-loss"] if accept_loss else []), as_json=as_json)
    return _work(folder, as_json=as_json, overrides=overrides, accept_loss=accept_loss, interactive=interactive)


def _require_company(*, background: bool, interactive: bool) -> None:
    if background and interactive:
        raise UserError("--background and --interactive: a run in the background has nobody to talk to; choose one")


def _work(
    folder: RunFolder,
    *,
    as_json: bool,
    overrides: Sequence[str] = (),
    accept_loss: bool = False,
    interactive: bool = False,
) -> int:
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


def _detach(folder: RunFolder, *options: str, as_json: bool) -> int:
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
