"""A session of a run at the command line: its progress and signals, the process in the background, and the result."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evograft.cli.progress import Progress
from evograft.cli.result import print_result, summarize
from evograft.cli_kit.console import Display, Style
from evograft.cli_kit.printing import print_json
from evograft.cli_kit.signals import ending_signals, interrupt_on_signals
from evograft.config.user_settings import load_settings
from evograft.errors import EvograftError, PluginError, ServiceError
from evograft.kernel.kernel import Kernel
from evograft.runs.index import reference
from evograft.runs.lock_file import LOCK_FILE, RunFolder
from evograft.session.resolved_run import ResolvedRun
from evograft.session.session import open_session
from evograft.session.start import discard_unstarted

if TYPE_CHECKING:
    from evograft.cli.interactive.conversation import TerminalConversation

INTERRUPTED = 130


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
    with explain_failures(folder, is_new=is_new):
        return _work(folder, how, as_json=as_json, interactive=interactive)


@contextmanager
def explain_failures(folder: RunFolder, *, is_new: bool) -> Iterator[None]:
    """Say with a failure how the run is resumed; a new run that cannot start leaves nothing behind."""
    try:
        yield
    except EvograftError as err:
        gone = is_new and not err.in_trials and discard_unstarted(folder)
        err.args = (f"{err}; no run was kept" if gone else f"{err}{_hint(err, folder)}",)
        raise


def _hint(err: EvograftError, folder: RunFolder) -> str:
    """Return how to resume a run that a failure ended: whatever it was, nothing that was finished is lost."""
    resumable = err.is_resumable and (folder.path / LOCK_FILE).exists()
    if not isinstance(err, (PluginError, ServiceError)) or not resumable or err.hint:
        return ""
    name = _name(folder)
    is_foreign = isinstance(err, PluginError) and err.__cause__ is not None
    traceback = f" (with a traceback: evo --debug resume {name})" if is_foreign else ""
    return f"; fix this, then run: evo resume {name}{traceback}"


def _work(folder: RunFolder, how: Mapping[str, Any], *, as_json: bool, interactive: bool) -> int:
    # Until a kernel listens, signals end the start: the folder stays resumable.
    interrupt_on_signals()
    progress = Progress(Display(_style(as_json=as_json, interactive=interactive)))
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
    final = progress.judged if ended.outcome == "complete" else None
    if as_json:
        print_json(summarize(folder, ended, final))
    else:
        print_result(folder, ended, final, name=_name(folder))
    return INTERRUPTED if ended.outcome == "interrupted" else 0


def _conversation(folder: RunFolder) -> TerminalConversation:
    # What it shows is made by the pages of reports, whose import costs a tenth of a second.
    from evograft.cli.interactive.conversation import TerminalConversation

    return TerminalConversation(folder.path)


def _style(*, as_json: bool, interactive: bool) -> Style:
    if as_json:
        return "quiet"
    # A line that is drawn again and again would overwrite what the person types.
    return "plain" if interactive else load_settings().progress


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
        name = signal.Signals(number).name
        kernel.requests.stop(f"stopped by {name}", by=name)

    before = {number: signal.signal(number, stop) for number in ending_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _name(folder: RunFolder) -> str:
    """Return how a command names just this run."""
    return reference(folder.path, runs=Path(load_settings().runs_dir))
