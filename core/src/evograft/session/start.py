"""The start of a run: everything that can be checked is, its settings are written down, and its folder is made."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evograft.config.pipeline import Budget, LlmSection, Pipeline
from evograft.errors import EvograftError, UserError
from evograft.log.codec import control_row, header_row
from evograft.log.history import Commit, RunHistory
from evograft.log.records import Header, ReplayedTrial
from evograft.plugin.hooks import Hooks
from evograft.runs.attached import keep_attached
from evograft.runs.folder import (
    discard_attached,
    discard_files,
    discard_folders,
    make_attached,
    make_folder,
    require_unused,
)
from evograft.runs.index import remember
from evograft.runs.lock_file import RunFolder, export_command, refuse_keys
from evograft.runs.reader import open_journal, open_log
from evograft.runs.storage import mark_shared, open_storage, writer_of
from evograft.runs.writer_lock import WriterLock
from evograft.session.resolved_run import ResolvedRun, without_missing_comparer
from evograft_hookspecs import CONTRACT, Control, Problem
from evograft_hookspecs.drivers.shared_store import SharedPlace
from evograft_hookspecs.drivers.store import NewRow


@dataclass(frozen=True)
class NewRun:
    """A run that was just made, with what was built and opened to check it."""

    folder: RunFolder
    resolved: ResolvedRun

    def release(self) -> RunFolder:
        """Close what is open, because the run is worked on elsewhere or later."""
        self.resolved.llm.close()
        return self.folder


def start_run(pipeline: Pipeline, *, runs: Path, folder: Path | None = None) -> RunFolder:
    """Check everything that can be checked and make the run's folder; nothing has run yet."""
    return create_run(pipeline, runs=runs, folder=folder).release()


def create_run(pipeline: Pipeline, *, runs: Path, folder: Path | None = None) -> NewRun:
    """Do what `start_run` does, for a session that follows in this process."""
    resolved = ResolvedRun.build_checked(without_missing_comparer(pipeline)).settle()
    run = make_folder(resolved.pipeline, runs=runs, folder=folder)
    return _begin(run, resolved, [first_row(run)])


def create_run_with_files(
    pipeline: Pipeline, attach: Callable[[Path], Pipeline], *, runs: Path, folder: Path | None = None
) -> NewRun:
    """Do what `create_run` does, for a run whose folder is to hold files that its settings name.

    Args:
        pipeline: the settings so far, for the name of the folder.
        attach: fills the empty folder that it is handed, within that of the run, and returns the settings that name it.
        runs: where a new folder is made if none is named.
        folder: of the run.
    """
    run = make_folder(pipeline, runs=runs, folder=folder)
    files = make_attached(run)
    try:
        settled = attach(files)
        resolved = ResolvedRun.build_checked(without_missing_comparer(settled)).settle()
        refuse_keys(resolved.pipeline)
        run = replace(run, epochs=(replace(run.epochs[0], pipeline=resolved.pipeline),))
        return _begin(run, resolved, [first_row(run)], attached=True)
    except BaseException:
        discard_attached(run)
        discard_folders(run)
        raise


def repeat_run(source: RunFolder, *, runs: Path, folder: Path | None = None) -> RunFolder:
    """Make the folder of a run that repeats another one's trials, its log serving as the model."""
    return create_repetition(source, runs=runs, folder=folder).release()


def create_repetition(source: RunFolder, *, runs: Path, folder: Path | None = None) -> NewRun:
    """Do what `repeat_run` does, for a session that follows in this process.

    The settings are those of the other run, changes in its course included, but for its limits: what cut it shows in
    which trials there are. What people told it is told at the same commits.
    """
    with open_journal(source.path) as journal:
        history = RunHistory(journal, source.pipeline)
        commits = tuple(history.read_on())
        paid = {each.number: each.dollars for each in (history.header and history.header.follows) or ()}
        follows = tuple(_replayed(commit, paid) for commit in commits)
        tells = [each for each in history.controls if each.kind == "tell"]
    whole = Budget(trials=max((each.number for each in follows), default=0) + 1)
    llm = _replay_section(source)
    epochs = [
        replace(epoch, pipeline=epoch.pipeline.model_copy(update={"llm": llm, "budget": whole}))
        for epoch in source.epochs
    ]
    resolved = ResolvedRun.build_checked(epochs[-1].pipeline)
    run = replace(make_folder(epochs[-1].pipeline, runs=runs, folder=folder), epochs=tuple(epochs))
    header = header_row(replace(header_of(run), follows=follows))
    return _begin(run, resolved, [header, *map(control_row, tells)])


def _replayed(commit: Commit, dollars: Mapping[int, float | None]) -> ReplayedTrial:
    """Return what a repetition needs to know of a trial.

    Args:
        commit: the trial.
        dollars: what trials have cost, where the run is a repetition itself and has paid nothing.
    """
    trial, model = commit.trial, commit.trial.proposal.model if commit.trial.proposal else ""
    return ReplayedTrial(trial.number, model, len(trial.attempts), dollars.get(trial.number, commit.dollars))


def _replay_section(source: RunFolder) -> LlmSection:
    """Return the log of a run as the driver, with all models that the run has had; one without any has none."""
    llm = source.pipeline.llm
    if all(epoch.pipeline.llm.driver == "none" for epoch in source.epochs):
        return llm
    models = {model.name: model for epoch in source.epochs for model in epoch.pipeline.llm.models}
    # Whom a trial asks is repeated, so how that was chosen does not matter; models of other epochs may have no tier.
    known = tuple(model.model_copy(update={"tier": None}) for model in models.values())
    shared = {"models": known, "concurrency": llm.concurrency}
    return LlmSection(driver="replay", run=str(source.path), **shared)


def discard_unstarted(run: RunFolder) -> bool:
    """Remove a new run whose start has failed, unless its log or its folder hold what would be missed.

    Returns:
        Whether it is gone.
    """
    try:
        with open_journal(run.path) as journal:
            header, *others = journal.records()
        # A run that repeats another one begins with the instructions of that one.
        usual = (Problem, Control) if isinstance(header, Header) and header.follows is not None else Problem
        is_new = all(isinstance(record, usual) for record in others)
        return is_new and writer_of(run.path) is None and discard_files(run)
    except (EvograftError, OSError):  # whatever is the matter there, the failure of the start is what is reported
        return False


def _begin(run: RunFolder, resolved: ResolvedRun, rows: Sequence[NewRow], *, attached: bool = False) -> NewRun:
    """Write the log and the settings of a run, once its model is known to work here."""
    try:
        resolved = resolved.open_llm(run.path)
    except EvograftError:
        discard_folders(run)
        raise
    try:
        with WriterLock(run.path):
            require_unused(run.path, attached=attached)
            _require_no_log(run.path)
            mark_shared(run.path, resolved.store, run.pipeline.store, run=run.id)
            resolved.store.create(run.path, rows)
            if attached and SharedPlace.find(run.path) is not None:
                with open_storage(run.path) as storage:
                    keep_attached(run.path, storage)
            run.save()
    except BaseException:
        resolved.llm.close()
        raise
    remember(run.path)
    return NewRun(run, resolved)


def _require_no_log(folder: Path) -> None:
    """Refuse a folder with a log that holds more than a start that was killed has written.

    A file of that name that is not a log is refused, too.
    """
    if not (folder / "log.sqlite").exists():
        return
    try:
        with open_log(folder) as journal:
            is_left = all(isinstance(record, (Header, Control)) for record in journal.records())
    except EvograftError:
        is_left = False
    if not is_left:
        raise UserError(
            f"--run-dir {str(folder)!r} holds a log.sqlite that would be overwritten: name another folder; what is "
            f"in it is saved with: {export_command(folder)}"
        )


def first_row(run: RunFolder) -> NewRow:
    """Return the row with which the log of a run begins."""
    return header_row(header_of(run))


def header_of(run: RunFolder) -> Header:
    return Header(run.id, run.name, run.epochs[0].pipeline.seed, CONTRACT, at=time.time())


def check(pipeline: Pipeline) -> Hooks:
    """Import, build and fit the plugins and drivers of a pipeline.

    Raises:
        UserError: the configuration is at fault.
        PluginError: a plugin is.
    """
    return ResolvedRun.build_checked(without_missing_comparer(pipeline)).fit_plugins()
