"""Running a pipeline: from a resolved configuration and a folder to a kernel with everything it needs."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from evograft.activation import ActivePlugin, active_plugins, load_driver
from evograft.config import DriverSection, Pipeline, pipeline_from, resolve
from evograft.errors import LogDamaged, PluginError, UserError
from evograft.hooks import Hooks, hooks_for
from evograft.journal import Finished, Header, Journal
from evograft.kernel import Kernel, Plan
from evograft.rundir import (
    Epoch,
    RunFolder,
    WriterLock,
    installed_versions,
    make_folder,
    open_run,
    remember,
    require_unused,
)
from evograft.scope import Scope
from evograft_hookspecs import CONTRACT, EvalTask, Evaluation, Evaluator

AT_ONCE = frozenset({"llm", "executor", "budget", "deadlines"})
"""Settings that may change between sessions and apply from the first uncommitted trial."""
BY_WINDOW = frozenset({"window", "operators"})
"""Settings that may change and apply behind the trials that may be in flight."""


@dataclass(frozen=True)
class RemoteEvaluator:
    """Builds the plugins of a worker process from the run's pipeline; picklable."""

    pipeline: str
    """As YAML."""
    scratch: str
    """The kernel's folder for temporary files; a worker on another machine makes one of its own."""

    def __call__(self) -> Evaluator:
        pipeline = pipeline_from(yaml.safe_load(self.pipeline), source="the run's lock file")
        hooks = hooks_for(pipeline, active_plugins(pipeline))
        own = None if Path(self.scratch).is_dir() else tempfile.TemporaryDirectory(prefix="evo-worker-")
        scratch = Path(own.name if own else self.scratch)
        scope = _scope(pipeline, hooks, scratch)
        for plugin, report in hooks.setup_env(replace(scope, role="worker")).items():
            if report.status == "failed":
                raise PluginError(f"plugin {plugin!r} cannot work in a worker process: {'; '.join(report.errors)}")

        def evaluate(task: EvalTask) -> Evaluation:
            ctx = task.ctx.model_copy(update={"role": "worker", "scratch": own.name if own else self.scratch})
            return hooks.evaluate(task.model_copy(update={"ctx": ctx}))

        return evaluate


def start_run(pipeline: Pipeline, *, runs: Path, folder: Path | None = None) -> RunFolder:
    """Checks everything that can be checked and makes the run's folder; nothing has run yet."""
    check(pipeline)
    # The order that holds is written down: another llm driver on resume must not change it.
    fixed = pipeline.model_copy(update={"order": pipeline.commit_order})
    run = make_folder(fixed, runs=runs, folder=folder)
    with WriterLock(run.path):
        require_unused(run.path)
        load_driver("store", fixed.store).create(run.path, [_header(run).to_row()])
        run.save()
    remember(run.path)
    return run


def _header(run: RunFolder) -> Header:
    return Header(run.id, run.name, run.epochs[0].pipeline.seed, CONTRACT)


def check(pipeline: Pipeline) -> Hooks:
    """Imports, builds and fits the plugins and drivers of a pipeline.

    Raises:
        UserError: the configuration is at fault.
        PluginError: a plugin is.
    """
    for kind, section in (("llm", pipeline.llm), ("executor", pipeline.executor), ("store", pipeline.store)):
        load_driver(kind, section)
    return hooks_for(pipeline, active_plugins(pipeline))


@contextmanager
def reading(folder: Path) -> Iterator[Journal]:
    """The log of a run for a reader; the run may be live."""
    store = load_driver("store", open_run(folder).pipeline.store)
    store.open(folder, durable=False, writable=False)
    try:
        yield Journal(store)
    finally:
        store.close()


@contextmanager
def salvaging(folder: Path, damage: list[LogDamaged]) -> Iterator[Iterator[Finished]]:
    """The finished trials of a log that may be damaged; what could not be read is noted in `damage`."""
    # The lock file may be what is damaged, so this asks for no more than the folder.
    store = load_driver("store", DriverSection(driver="sqlite"))
    try:
        store.open(folder, durable=False, writable=False)
    except LogDamaged as err:
        damage.append(err)
        store.open(folder, durable=False, writable=False, accept_loss=True)
    try:
        yield _readable(Journal(store), damage)
    finally:
        store.close()


def _readable(journal: Journal, damage: list[LogDamaged]) -> Iterator[Finished]:
    after = -1
    while True:
        try:
            for record in journal.records(after=after):
                if isinstance(record, Finished):
                    yield record
        except LogDamaged as err:
            damage.append(err)
            if err.seq is None or err.seq <= after:
                return
            after = err.seq
        else:
            return


@contextmanager
def session(
    run: RunFolder,
    *,
    observers: Sequence[ActivePlugin] = (),
    overrides: Sequence[str] = (),
    accept_loss: bool = False,
) -> Iterator[Kernel]:
    """A kernel that is ready to run or to go on, the only writer of its run."""
    with WriterLock(run.path), _scratch(run) as scratch:
        changed = _changed(run.pipeline, overrides)
        hooks = hooks_for(changed, (*active_plugins(changed), *observers))
        executor = load_driver("executor", changed.executor)
        store = load_driver("store", changed.store)
        store.open(run.path, durable=changed.llm.driver != "none", accept_loss=accept_loss)
        try:
            journal = Journal(store)
            _check_header(run, journal)
            notes = (*store.warnings, *_version_notes(run))
            changes = "\n".join(overrides) if changed != run.pipeline else ""
            run = _with_epoch(run, changed, journal)
            plan = _plan(run, changes, scratch, notes)
            yield Kernel(plan, hooks, journal, executor, _scope(changed, hooks, scratch))
        finally:
            store.close()


@contextmanager
def _scratch(run: RunFolder) -> Iterator[Path]:
    """A folder for temporary files; what earlier sessions of the run had to leave is removed too."""
    # By path too: a run and a copy of it may work at the same time.
    place = hashlib.blake2b(str(run.path).encode(), digest_size=4).hexdigest()
    prefix = f"evo-{run.id}-{place}-"
    for left in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _check_header(run: RunFolder, journal: Journal) -> None:
    header = next(journal.records(), None)
    if not isinstance(header, Header) or (header.id, header.seed) != (run.id, _header(run).seed):
        raise LogDamaged(
            f"the log in {run.path} is not of the run that its lock file names: put the right files together, or save "
            f"the log with: evo export {run.path}"
        )


def _version_notes(run: RunFolder) -> tuple[str, ...]:
    before, now = run.epochs[-1].versions, installed_versions()
    changed = [
        f"{name} {before.get(name, 'none')} -> {now.get(name, 'none')}"
        for name in sorted({*before, *now})
        if before.get(name) != now.get(name)
    ]
    if not changed:
        return ()
    return (f"other versions than its settings were made with, its trials may differ: {', '.join(changed)}",)


def _scope(pipeline: Pipeline, hooks: Hooks, scratch: Path) -> Scope:
    return Scope(
        run_seed=pipeline.seed,
        generation_size=pipeline.generation_size,
        scratch=scratch,
        llm=load_driver("llm", pipeline.llm),
        call_tool=hooks.tool_call,
    )


def _plan(run: RunFolder, changes: str, scratch: Path, notes: tuple[str, ...]) -> Plan:
    return Plan(
        run=run.name,
        folder=str(run.path),
        pipeline=run.pipeline,
        windows=tuple((epoch.first_trial, epoch.pipeline.window) for epoch in run.epochs),
        weights=tuple((epoch.first_trial, epoch.pipeline.operators) for epoch in run.epochs),
        remote=RemoteEvaluator(yaml.safe_dump(run.pipeline.to_data()), str(scratch)),
        changes=changes,
        notes=notes,
    )


def _changed(pipeline: Pipeline, overrides: Sequence[str]) -> Pipeline:
    """The pipeline with changed settings; one that would make another run of it is refused."""
    if not overrides:
        return pipeline
    changed = resolve(pipeline.to_data(), overrides, source="the run's lock file")
    for key in Pipeline.model_fields:
        if getattr(changed, key) != getattr(pipeline, key) and key not in AT_ONCE | BY_WINDOW:
            able = ", ".join(sorted(AT_ONCE | BY_WINDOW))
            raise UserError(f"--set {key}: fixed for the life of a run; start another run, or change one of {able}")
    return changed


def _with_epoch(run: RunFolder, changed: Pipeline, journal: Journal) -> RunFolder:
    if changed == run.pipeline:
        return run
    finished = journal.finished_trials()
    if changed.commit_order == "arrival":
        committed = len(finished)
    else:
        committed = next(number for number in range(len(finished) + 1) if number not in finished)
    by_window = any(getattr(changed, key) != getattr(run.pipeline, key) for key in BY_WINDOW)
    first = max(committed + (run.pipeline.window if by_window else 0), run.epochs[-1].first_trial)
    kept = tuple(epoch for epoch in run.epochs if epoch.first_trial < first)
    updated = replace(run, epochs=(*kept, Epoch(first, changed, installed_versions())))
    updated.save()
    return updated
