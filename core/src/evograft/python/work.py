"""Work on runs by a call: it shows progress, stops on Ctrl-C like `evo stop` does, and returns the run."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evograft.cli.execution import explain_failures
from evograft.cli.progress import Progress
from evograft.cli.start import resume as resume_as_command
from evograft.cli.start import start_with_files
from evograft.cli_kit.console import Style
from evograft.config.user_settings import load_settings
from evograft.kernel.kernel import Kernel
from evograft.python.notebook import choose_display
from evograft.python.prepared_run import PreparedRun
from evograft.python.run import Run
from evograft.runs.index import find_run, open_run
from evograft.runs.lock_file import RunFolder
from evograft.session.resolved_run import ResolvedRun
from evograft.session.session import open_session
from evograft.session.start import create_run_with_files


def start_planned(planned: PreparedRun, folder: Path | None, *, background: bool, progress: Style) -> Run:
    """Start a run, here until it stops or in the background.

    Raises:
        UserError: the settings are at fault.
        PluginError: a plugin is.
        ServiceError: something outside cannot be used.
    """
    if background:
        started = start_with_files(planned.pipeline, planned.attach, folder, background=True)
        return Run(started.folder)
    new = create_run_with_files(planned.pipeline, planned.attach, runs=_runs(), folder=folder)
    return _work_on(new.folder, progress=progress, notes=planned.notes, is_new=True, resolved=new.resolved)


def resume_run(run: str | Path, settings: Mapping[str, Any], *, background: bool, progress: Style) -> Run:
    """Resume a run from where its log ends, with some settings changed. It raises what `start_planned` raises."""
    folder = find_run(str(run), runs=_runs(), guessing=False)
    overrides = to_overrides(settings)
    if background:
        return Run(resume_as_command(folder, overrides, background=True).folder)
    return _work_on(open_run(folder), progress=progress, overrides=overrides)


def open_view(run: str | Path) -> Run:
    """Return a view of a run, finished or live, by path, name, id or `latest`."""
    return Run(find_run(str(run), runs=_runs()))


def to_overrides(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Return settings of a pipeline as the command line has them."""
    import json

    return tuple(f"{key}={json.dumps(value)}" for key, value in settings.items())


def _runs() -> Path:
    return Path(load_settings().runs_dir)


def _work_on(
    folder: RunFolder,
    *,
    progress: Style,
    notes: tuple[str, ...] = (),
    is_new: bool = False,
    overrides: tuple[str, ...] = (),
    resolved: ResolvedRun | None = None,
) -> Run:
    display = choose_display(progress)
    shown = Progress(display)
    with (
        explain_failures(folder, is_new=is_new),
        open_session(folder, observers=[shown.as_plugin()], overrides=overrides, resolved=resolved) as kernel,
        _stopping_on_interrupt(kernel),
        shown,
    ):
        for note in notes:
            display.say(note)
        kernel.run()
    return Run(folder.path)


@contextmanager
def _stopping_on_interrupt(kernel: Kernel) -> Iterator[None]:
    """Let Ctrl-C stop the run; the second one raises KeyboardInterrupt, and nothing that is in the log is lost.

    Only the main thread hears of signals: elsewhere `run.stop()` and `evo stop` end the run.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: Any) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.stderr.write("\nstopping; once more to end at once\n")
        kernel.requests.stop("stopped by SIGINT", by="SIGINT")

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
