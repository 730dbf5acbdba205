"""Running a pipeline: from a resolved configuration and a folder to a kernel with everything it needs."""

from __future__ import annotations

import hashlib
import itertools
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import yaml

from evograft.activation import ActivePlugin, active_plugins, load_driver
from evograft.config import LlmSection, ModelSection, OwnedVerb, Pipeline, pipeline_from, resolve
from evograft.duplicates import Duplicates
from evograft.eras import Era, Eras
from evograft.errors import LogDamaged, PluginError, ServiceError, UserError
from evograft.hooks import Hooks, hooks_for
from evograft.journal import Header, Journal, control_row
from evograft.kernel import Kernel, Parts, Plan
from evograft.llm.service import Models
from evograft.lock import SharedLock
from evograft.mailbox import Mailbox
from evograft.novelty.embedding import EmbeddingJudge
from evograft.population import Population
from evograft.reading import reading
from evograft.rundir import (
    Epoch,
    RunFolder,
    WriterLock,
    installed_versions,
    make_folder,
    remember,
    require_unused,
)
from evograft.scope import NoServices, Scope, Services
from evograft.services import RunServices
from evograft_hookspecs import CONTRACT, Control, EvalTask, Evaluation, Evaluator, LlmUnavailable
from evograft_hookspecs.ports import NewRow

AT_ONCE = frozenset({"llm", "executor", "budget", "deadlines", "repairs"})
"""Settings that may change between sessions and apply from the first uncommitted trial."""
BY_WINDOW = frozenset({"window", "operators", "plugins"})
"""Settings that may change and apply behind the trials that may be in flight."""


@dataclass(frozen=True)
class RemoteEvaluator:
    """Builds the plugins of a worker process from the run's pipelines; picklable."""

    pipelines: tuple[tuple[int, str], ...]
    """Pairs (first trial, YAML), ascending: one for each set of plugins that has trials left."""
    scratch: str
    """The kernel's folder for temporary files; a worker on another machine makes one of its own."""

    def __call__(self) -> Evaluator:
        own = None if Path(self.scratch).is_dir() else tempfile.TemporaryDirectory(prefix="evo-worker-")
        scratch = Path(own.name if own else self.scratch)
        eras = tuple((first, _worker_hooks(text, scratch)) for first, text in self.pipelines)

        def evaluate(task: EvalTask) -> Evaluation:
            ctx = task.ctx.model_copy(update={"role": "worker", "scratch": own.name if own else self.scratch})
            newest = task.ctx.purpose == "final"
            hooks = next((hooks for first, hooks in reversed(eras) if newest or first <= task.ctx.trial), eras[0][1])
            return hooks.evaluate(task.model_copy(update={"ctx": ctx}))

        return evaluate


def _worker_hooks(text: str, scratch: Path) -> Hooks:
    pipeline = pipeline_from(yaml.safe_load(text), source="the run's lock file")
    hooks = hooks_for(pipeline, active_plugins(pipeline))
    scope = replace(_scope(pipeline, scratch, NoServices()), role="worker")
    for plugin, report in hooks.setup_env(scope).items():
        if report.status == "failed":
            raise PluginError(f"plugin {plugin!r} cannot work in a worker process: {'; '.join(report.errors)}")
    return hooks


def start_run(pipeline: Pipeline, *, runs: Path, folder: Path | None = None) -> RunFolder:
    """Checks everything that can be checked and makes the run's folder; nothing has run yet."""
    check(pipeline)
    run = make_folder(_settled(pipeline), runs=runs, folder=folder)
    return _begun(run, [_header(run).to_row()])


def repeat_run(source: RunFolder, *, runs: Path, folder: Path | None = None) -> RunFolder:
    """Makes the folder of a run that repeats another one's trials, its log serving as the model.

    The settings are those of the other run, changes in its course included; what people told it is told at the same
    commits.
    """
    epochs = [replace(epoch, pipeline=_replaying(epoch.pipeline, source.path)) for epoch in source.epochs]
    check(epochs[-1].pipeline)
    with reading(source.path) as journal:
        order = committed_order(journal, epochs[-1].pipeline.commit_order)
        tells = [each for each in journal.asides() if isinstance(each, Control) and each.kind == "tell"]
    run = replace(make_folder(epochs[-1].pipeline, runs=runs, folder=folder), epochs=tuple(epochs))
    header = replace(_header(run), follows=order).to_row()
    return _begun(run, [header, *map(control_row, tells)])


def _replaying(pipeline: Pipeline, source: Path) -> Pipeline:
    """The pipeline with the same models, asked of the log of a run; one without any stays as it is."""
    llm = pipeline.llm
    if llm.driver == "none":
        return pipeline
    shared = {"models": llm.models, "choice": llm.choice, "concurrency": llm.concurrency}
    return pipeline.model_copy(update={"llm": LlmSection(driver="replay", run=str(source), **shared)})


def _begun(run: RunFolder, rows: Sequence[NewRow]) -> RunFolder:
    with WriterLock(run.path):
        require_unused(run.path)
        load_driver("store", run.pipeline.store).create(run.path, rows)
        run.save()
    remember(run.path)
    return run


def _settled(pipeline: Pipeline) -> Pipeline:
    """The pipeline with what follows from the llm driver written down: another one on resume must not change it."""
    updates = {"order": pipeline.commit_order, "window": pipeline.in_flight, "llm": priced_llm(pipeline)}
    return pipeline.model_copy(update=updates)


def priced_llm(pipeline: Pipeline) -> LlmSection:
    """The models with their prices, which are fixed from here on.

    Raises:
        UserError: no model is named, or a limit in dollars cannot be kept since a price is unknown.
    """
    llm, driver = pipeline.llm, load_driver("llm", pipeline.llm)
    if driver.available and not llm.models and not driver.default_model:
        raise UserError(f"llm.models: driver {llm.driver!r} needs a model's name: --set llm.model=NAME")
    models = llm.models or ((ModelSection(name=driver.default_model),) if driver.available else ())
    models = tuple(m if m.price else m.model_copy(update={"price": driver.price(m.name)}) for m in models)
    unknown = [model.name for model in models if model.price is None]
    if unknown and pipeline.budget.dollars is not None:
        raise UserError(
            f"budget.dollars cannot be kept, since nobody knows the price of {unknown[0]!r}: add it to llm.models as "
            f"{{name: {unknown[0]}, price: {{prompt: 0.5, completion: 1.5}}}} (dollars per million tokens)"
        )
    return llm.model_copy(update={"models": models})


def committed_order(journal: Journal, order: Literal["trial", "arrival"]) -> list[int]:
    """The numbers of the committed trials of a log, in the order of their commits."""
    finished = [int(key) for _, key in journal.places("trial")]
    if order == "arrival":
        return finished
    known = set(finished)
    return list(itertools.takewhile(known.__contains__, itertools.count()))


def _header(run: RunFolder) -> Header:
    return Header(run.id, run.name, run.epochs[0].pipeline.seed, CONTRACT)


def check(pipeline: Pipeline) -> Hooks:
    """Imports, builds and fits the plugins and drivers of a pipeline.

    Raises:
        UserError: the configuration is at fault.
        PluginError: a plugin is.
    """
    sections = {"executor": pipeline.executor, "store": pipeline.store, "embedding": pipeline.novelty.embedding}
    for kind, section in sections.items():
        if section is not None:
            load_driver(kind, section)
    priced_llm(pipeline)
    return hooks_for(pipeline, active_plugins(pipeline))


@contextmanager
def session(
    run: RunFolder,
    *,
    observers: Sequence[ActivePlugin] = (),
    overrides: Sequence[str] = (),
    accept_loss: bool = False,
) -> Iterator[Kernel]:
    """A kernel that is ready to run or to go on, the only writer of its run."""
    with WriterLock(run.path) as lock, _scratch(run) as scratch:
        changed = _changed(run.pipeline, overrides)
        store = load_driver("store", changed.store)
        store.open(run.path, durable=changed.llm.driver != "none", accept_loss=accept_loss)
        try:
            journal = Journal(store)
            header = _check_header(run, journal)
            notes = (*store.warnings, *_version_notes(run))
            changes = "\n".join(overrides) if changed != run.pipeline else ""
            run = _with_epoch(run, changed, journal)
            casts = _casts(run, journal)
            plan = _plan(run, casts, header, changes, scratch, notes)
            with _parts(run, casts, journal, observers, scratch, Mailbox(run.path, lock)) as parts:
                yield Kernel(plan, parts)
        finally:
            store.close()


@contextmanager
def _parts(
    run: RunFolder,
    casts: Sequence[Epoch],
    journal: Journal,
    observers: Sequence[ActivePlugin],
    scratch: Path,
    mailbox: Mailbox,
) -> Iterator[Parts]:
    population, pipeline = Population(journal), run.pipeline
    driver = load_driver("llm", pipeline.llm)
    try:
        driver.open(run.path)
    except LlmUnavailable as err:
        raise ServiceError(f"llm driver {pipeline.llm.driver!r} cannot work here: {err}") from err
    lock = SharedLock()
    models = Models(driver, pipeline.llm, pipeline.budget, journal, lock=lock)
    eras = []
    for cast in casts:
        extra = observers if cast is casts[-1] else ()
        hooks = hooks_for(cast.pipeline, (*active_plugins(cast.pipeline), *extra), lock=lock)
        services = RunServices(hooks, models, journal, population)
        eras.append(Era(cast.first_trial, hooks, _scope(cast.pipeline, scratch, services), services))
    embedding = pipeline.novelty.embedding
    judge = None if embedding is None else EmbeddingJudge(load_driver("embedding", embedding))
    duplicates = Duplicates(pipeline.novelty, population, judge)
    try:
        executor = load_driver("executor", pipeline.executor)
        yield Parts(Eras(eras), journal, population, duplicates, executor, models, mailbox)
    finally:
        models.close()
        if judge is not None:
            judge.close()


def _casts(run: RunFolder, journal: Journal) -> list[Epoch]:
    """The epochs that begin with other plugins, but for those whose trials are all done."""
    begins = [
        epoch
        for before, epoch in zip((None, *run.epochs), run.epochs, strict=False)
        if before is None or _cast(before.pipeline) != _cast(epoch.pipeline)
    ]
    finished = journal.finished_trials()
    ends = [*(epoch.first_trial for epoch in begins[1:]), None]
    return [
        epoch
        for epoch, end in zip(begins, ends, strict=True)
        if end is None or not finished.issuperset(range(epoch.first_trial, end))
    ]


def _cast(pipeline: Pipeline) -> tuple[object, ...]:
    """What makes two sets of plugins different."""
    return pipeline.plugins, pipeline.owners


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


def _check_header(run: RunFolder, journal: Journal) -> Header:
    header = next(journal.records(), None)
    if not isinstance(header, Header) or (header.id, header.seed) != (run.id, _header(run).seed):
        raise LogDamaged(
            f"the log in {run.path} is not of the run that its lock file names: put the right files together, or save "
            f"the log with: evo export {run.path}"
        )
    return header


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


def _scope(pipeline: Pipeline, scratch: Path, services: Services) -> Scope:
    return Scope(run_seed=pipeline.seed, generation_size=pipeline.generation_size, scratch=scratch, services=services)


def _plan(
    run: RunFolder, casts: Sequence[Epoch], header: Header, changes: str, scratch: Path, notes: tuple[str, ...]
) -> Plan:
    remote = tuple((cast.first_trial, yaml.safe_dump(cast.pipeline.to_data())) for cast in casts)
    return Plan(
        run=run.name,
        folder=str(run.path),
        pipeline=run.pipeline,
        windows=tuple((epoch.first_trial, epoch.pipeline.in_flight) for epoch in run.epochs),
        weights=tuple((epoch.first_trial, epoch.pipeline.operators) for epoch in run.epochs),
        remote=RemoteEvaluator(remote, str(scratch)),
        follows=None if header.follows is None else tuple(header.follows),
        changes=changes,
        notes=notes,
    )


def _changed(pipeline: Pipeline, overrides: Sequence[str]) -> Pipeline:
    """The pipeline with changed settings; one that would make another run of it is refused."""
    if not overrides:
        return pipeline
    changed = resolve(pipeline.to_data(), overrides, source="the run's lock file")
    changed = changed.model_copy(update={"llm": priced_llm(changed)})
    for key in Pipeline.model_fields:
        if getattr(changed, key) != getattr(pipeline, key) and key not in AT_ONCE | BY_WINDOW:
            able = ", ".join(sorted(AT_ONCE | BY_WINDOW))
            raise UserError(f"--set {key}: fixed for the life of a run; start another run, or change one of {able}")
    before, now = _owners(pipeline), _owners(changed)
    if before != now:
        verb = next(verb for verb in now if before[verb] != now[verb])
        raise UserError(
            f"--set plugins: {verb} would be answered by {now[verb]!r} instead of {before[verb]!r}, and owners are fixed "
            "for the life of a run; start another run"
        )
    return changed


def _owners(pipeline: Pipeline) -> dict[str, str]:
    hooks = hooks_for(pipeline, active_plugins(pipeline))
    return {verb: hooks.owner(verb).name for verb in get_args(OwnedVerb)}


def _with_epoch(run: RunFolder, changed: Pipeline, journal: Journal) -> RunFolder:
    if changed == run.pipeline:
        return run
    finished = journal.finished_trials()
    if changed.commit_order == "arrival":
        committed = len(finished)
    else:
        committed = next(number for number in range(len(finished) + 1) if number not in finished)
    by_window = any(getattr(changed, key) != getattr(run.pipeline, key) for key in BY_WINDOW)
    first = max(committed + (run.pipeline.in_flight if by_window else 0), run.epochs[-1].first_trial)
    kept = tuple(epoch for epoch in run.epochs if epoch.first_trial < first)
    updated = replace(run, epochs=(*kept, Epoch(first, changed, installed_versions())))
    updated.save()
    return updated
