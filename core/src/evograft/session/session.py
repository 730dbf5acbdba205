"""A session of a run: from its folder to a kernel with everything it needs."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import yaml

from evograft.concurrency.shared_lock import SharedLock
from evograft.config.pipeline import Novelty, Pipeline
from evograft.errors import LogDamaged
from evograft.kernel.duplicates import Duplicates
from evograft.kernel.embedding_judge import EmbeddingJudge
from evograft.kernel.inbox import Inbox
from evograft.kernel.kernel import Kernel
from evograft.kernel.plan import RunParts, RunPlan
from evograft.kernel.plugin_sets import PluginSet, PluginSets
from evograft.kernel.services import RunServices
from evograft.llm.service import ModelService
from evograft.log.journal import Journal
from evograft.log.population import Population
from evograft.log.records import Header
from evograft.plugin.hooks import hooks_for
from evograft.plugin.loading import ActivePlugin, active_plugins, is_missing, load_driver
from evograft.plugin.toolkits import how_to_install
from evograft.runs.environment_reports import keep_reports
from evograft.runs.folder import Epoch, RunFolder, WriterLock
from evograft.runs.mailbox import Mailbox
from evograft.session.lazy_sandbox import LazySandbox
from evograft.session.settings_changes import (
    changed_pipeline,
    differing_settings,
    plugin_epochs_of,
    version_notes,
    with_epoch,
)
from evograft.session.start import header_of, open_llm
from evograft.session.worker import RemoteEvaluator, scope_of
from evograft.text.masking import Keys


@contextmanager
def session(
    run: RunFolder,
    *,
    observers: Sequence[ActivePlugin] = (),
    overrides: Sequence[str] = (),
    accept_loss: bool = False,
) -> Iterator[Kernel]:
    """A kernel that is ready to run or to go on, the only writer of its run."""
    with WriterLock(run.path) as lock, scratch_of(run) as scratch:
        changed = changed_pipeline(run.pipeline, overrides)
        store = load_driver("store", changed.store)
        store.open(run.path, durable=changed.llm.driver != "none", accept_loss=accept_loss)
        try:
            keys = Keys.of(changed.to_data(), *(epoch.pipeline.to_data() for epoch in run.epochs))
            journal = Journal(store, keys)
            header = _check_header(run, journal)
            notes = (*store.warnings, *version_notes(run), *_window_notes(changed), *_novelty_notes(changed))
            differing = differing_settings(run.pipeline, changed)
            changes = "\n".join(overrides) if differing else ""
            run = with_epoch(run, changed, journal)
            plugin_epochs = plugin_epochs_of(run, journal)
            plan = _plan(run, plugin_epochs, header, (changes, differing), scratch, notes, keys)
            with _parts(run, plugin_epochs, journal, observers, scratch, Mailbox(run.path, lock), keys) as parts:
                yield Kernel(plan, parts)
        finally:
            store.close()


@contextmanager
def _parts(
    run: RunFolder,
    plugin_epochs: Sequence[Epoch],
    journal: Journal,
    observers: Sequence[ActivePlugin],
    scratch: Path,
    mailbox: Mailbox,
    keys: Keys,
) -> Iterator[RunParts]:
    population, pipeline, lock, inbox = Population(journal), run.pipeline, SharedLock(), Inbox()

    def plugin_set(cast: Epoch) -> PluginSet:
        extra = observers if cast is plugin_epochs[-1] else ()
        hooks = hooks_for(cast.pipeline, (*active_plugins(cast.pipeline), *extra), lock=lock)
        services = RunServices(hooks, models, journal, population, sandbox)
        return PluginSet(cast.first_trial, hooks, scope_of(cast.pipeline, scratch, services), services)

    with (
        closing(
            ModelService(
                open_llm(pipeline.llm, run.path),
                pipeline.llm,
                pipeline.budget,
                journal,
                lock=lock,
                keys=keys,
                announce=inbox.put_event,
            )
        ) as models,
        closing(LazySandbox(pipeline.sandbox, run=run.id)) as sandbox,
        _duplicates(pipeline.novelty, population, keys) as duplicates,
    ):
        plugin_sets = PluginSets([plugin_set(cast) for cast in plugin_epochs])
        executor = load_driver("executor", pipeline.executor)
        yield RunParts(plugin_sets, journal, population, duplicates, executor, models, mailbox, inbox)


def _window_notes(pipeline: Pipeline) -> tuple[str, ...]:
    """That most trials of a short run see nothing of the others."""
    trials, window = pipeline.budget.trials, pipeline.in_flight
    if not pipeline.has_live_model or window == 1 or trials is None or not 1 < trials <= 2 * window:
        return ()
    note = f"{trials} trials, {window} in flight at a time: most begin before others have a result (see --set window=1)"
    return (note,)


def _novelty_notes(pipeline: Pipeline) -> tuple[str, ...]:
    """That programs are not compared for want of what reads them."""
    comparer = Novelty().comparer
    if pipeline.novelty.comparer is not None or comparer is None or not is_missing("novelty", comparer):
        return ()
    return (f"only equal files count as duplicates: {how_to_install('evograft.novelty', comparer.driver)}",)


@contextmanager
def _duplicates(novelty: Novelty, population: Population, keys: Keys) -> Iterator[Duplicates]:
    comparer = None if novelty.comparer is None else load_driver("novelty", novelty.comparer)
    if novelty.embedding is None:
        yield Duplicates(novelty, population, comparer, None, keys)
        return
    with closing(EmbeddingJudge(load_driver("embedding", novelty.embedding))) as judge:
        yield Duplicates(novelty, population, comparer, judge, keys)


@contextmanager
def scratch_of(run: RunFolder) -> Iterator[Path]:
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
    if not isinstance(header, Header) or (header.id, header.seed) != (run.id, header_of(run).seed):
        raise LogDamaged(
            f"the log in {run.path} is not of the run that its lock file names: put the right files together, or save "
            f"the log with: evo export {run.path}"
        )
    return header


def _plan(
    run: RunFolder,
    plugin_epochs: Sequence[Epoch],
    header: Header,
    changes: tuple[str, tuple[str, ...]],
    scratch: Path,
    notes: tuple[str, ...],
    keys: Keys,
) -> RunPlan:
    remote = tuple((cast.first_trial, yaml.safe_dump(cast.pipeline.to_data())) for cast in plugin_epochs)
    return RunPlan(
        run=run.name,
        folder=str(run.path),
        pipeline=run.pipeline,
        windows=tuple((epoch.first_trial, epoch.pipeline.in_flight) for epoch in run.epochs),
        weights=tuple((epoch.first_trial, epoch.pipeline.operators) for epoch in run.epochs),
        remote=RemoteEvaluator(remote, str(scratch), run.pipeline.sandbox, run.id),
        follows=header.follows,
        changes=changes[0],
        changed=changes[1],
        keep_settings=run.save if changes[0] else lambda: None,
        keep_reports=partial(keep_reports, run.path, keys=keys),
        notes=notes,
        keys=keys,
    )
