"""Starting a run: everything that can be checked is, its settings are written down, and its folder is made."""

from __future__ import annotations

import itertools
import shlex
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from evograft.config.pipeline import Budget, DriverSection, LlmSection, ModelSection, Novelty, Pipeline
from evograft.errors import EvograftError, ServiceError, UserError
from evograft.log.codec import control_row, header_row
from evograft.log.journal import Journal
from evograft.log.records import Finished, Header, ReplayedTrial
from evograft.plugin.hooks import Hooks, hooks_for
from evograft.plugin.loading import active_plugins, is_missing, load_driver
from evograft.runs.folder import RunFolder, WriterLock, discard_files, make_folder, remember, require_unused, writer_of
from evograft.runs.reader import open_journal, open_log
from evograft_hookspecs import CONTRACT, Control, LlmUnavailable, Problem
from evograft_hookspecs.drivers.llm import LlmDriver, ModelChecker
from evograft_hookspecs.drivers.store import NewRow


def start_run(pipeline: Pipeline, *, runs: Path, folder: Path | None = None) -> RunFolder:
    """Checks everything that can be checked and makes the run's folder; nothing has run yet."""
    check(pipeline)
    settled = _settled(pipeline)
    require_llm(settled.llm)
    run = make_folder(settled, runs=runs, folder=folder)
    return _begun(run, [header_row(header_of(run))])


def repeat_run(source: RunFolder, *, runs: Path, folder: Path | None = None) -> RunFolder:
    """Makes the folder of a run that repeats another one's trials, its log serving as the model.

    The settings are those of the other run, changes in its course included, but for its limits: what cut it shows in
    which trials there are. What people told it is told at the same commits.
    """
    with open_journal(source.path) as journal:
        follows = _followed(journal, source.pipeline.commit_order)
        tells = [each for each in journal.controls() if isinstance(each, Control) and each.kind == "tell"]
    whole = Budget(trials=max((each.number for each in follows), default=0) + 1)
    llm = _replayed_llm(source)
    epochs = [
        replace(epoch, pipeline=epoch.pipeline.model_copy(update={"llm": llm, "budget": whole}))
        for epoch in source.epochs
    ]
    check(epochs[-1].pipeline)
    require_llm(llm)
    run = replace(make_folder(epochs[-1].pipeline, runs=runs, folder=folder), epochs=tuple(epochs))
    header = header_row(replace(header_of(run), follows=follows))
    return _begun(run, [header, *map(control_row, tells)])


def _followed(journal: Journal, order: Literal["trial", "arrival"]) -> tuple[ReplayedTrial, ...]:
    """The committed trials of a log, in the order of their commits."""
    header: Header | None = None
    finished: dict[int, ReplayedTrial] = {}
    for record in journal.records():
        if isinstance(record, Header):
            header = record
        elif isinstance(record, Finished):
            trial = record.trial
            model = trial.proposal.model if trial.proposal else ""
            finished[trial.number] = ReplayedTrial(trial.number, model, len(trial.attempts))
    if header is not None and header.follows is not None:
        numbers: Iterable[int] = (each.number for each in header.follows)
    elif order == "arrival":
        numbers = finished
    else:
        numbers = itertools.count()
    return tuple(finished[number] for number in itertools.takewhile(finished.__contains__, numbers))


def _replayed_llm(source: RunFolder) -> LlmSection:
    """The log of a run as the driver, with all models that the run has had; one without any has none."""
    llm = source.pipeline.llm
    if all(epoch.pipeline.llm.driver == "none" for epoch in source.epochs):
        return llm
    models = {model.name: model for epoch in source.epochs for model in epoch.pipeline.llm.models}
    shared = {"models": tuple(models.values()), "choice": llm.choice, "concurrency": llm.concurrency}
    return LlmSection(driver="replay", run=str(source.path), **shared)


def discard_unstarted(run: RunFolder) -> bool:
    """Removes a new run whose start has failed, unless its log or its folder hold what would be missed.

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


def _begun(run: RunFolder, rows: Sequence[NewRow]) -> RunFolder:
    with WriterLock(run.path):
        require_unused(run.path)
        _require_no_log(run.path)
        load_driver("store", run.pipeline.store).create(run.path, rows)
        run.save()
    remember(run.path)
    return run


def _require_no_log(folder: Path) -> None:
    """Refuses a folder with a log in which there is more than a start that was killed has written, or that is no log."""
    if not (folder / "log.sqlite").exists():
        return
    try:
        with open_log(folder) as journal:
            is_left = all(isinstance(record, (Header, Control)) for record in journal.records())
    except EvograftError:
        is_left = False
    if not is_left:
        raise UserError(
            f"--run-dir {str(folder)!r} holds a log.sqlite that would be overwritten: name another folder; what is in it is "
            f"saved with: evo export {shlex.quote(str(folder))}"
        )


def _settled(pipeline: Pipeline) -> Pipeline:
    """The pipeline with what follows from the llm driver written down: another one on resume must not change it."""
    updates = {"order": pipeline.commit_order, "window": pipeline.in_flight, "llm": priced_llm(pipeline)}
    return pipeline.model_copy(update={**updates, "novelty": _possible(pipeline.novelty)})


def _possible(novelty: Novelty) -> Novelty:
    """Return what can be compared here: without a reader of programs, unless one is asked for, only equal files are duplicates."""
    is_asked_for = novelty != Novelty()
    if is_asked_for or novelty.comparer is None or not is_missing("novelty", novelty.comparer):
        return novelty
    return Novelty(duplicates="exact")


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


def open_llm(section: LlmSection, folder: Path) -> LlmDriver:
    """The llm driver, open for the run of a folder.

    Raises:
        ServiceError: it cannot work here, or cannot ask one of the models.
    """
    driver: LlmDriver = load_driver("llm", section)
    try:
        driver.open(folder)
        if isinstance(driver, ModelChecker):
            for model in section.models:
                driver.require_model(model.name)
    except LlmUnavailable as err:
        driver.close()
        raise ServiceError(f"llm driver {section.driver!r} cannot work here: {err}") from err
    return driver


def require_llm(section: LlmSection) -> None:
    """Opens and closes the llm driver, so that what it lacks is known before there is a run."""
    with tempfile.TemporaryDirectory(prefix="evo-llm-") as folder:
        open_llm(section, Path(folder)).close()


def header_of(run: RunFolder) -> Header:
    return Header(run.id, run.name, run.epochs[0].pipeline.seed, CONTRACT, at=time.time())


def _is_left_out(sandbox: DriverSection) -> bool:
    """Return whether there is no sandbox, nor a wish for one: plugins that run no programs need none."""
    return sandbox == Pipeline.model_fields["sandbox"].default and is_missing("sandbox", sandbox)


def check(pipeline: Pipeline) -> Hooks:
    """Imports, builds and fits the plugins and drivers of a pipeline.

    Raises:
        UserError: the configuration is at fault.
        PluginError: a plugin is.
    """
    sections = {
        "executor": pipeline.executor,
        "sandbox": None if _is_left_out(pipeline.sandbox) else pipeline.sandbox,
        "store": pipeline.store,
        "novelty": _possible(pipeline.novelty).comparer,
        "embedding": pipeline.novelty.embedding,
    }
    for kind, section in sections.items():
        if section is not None:
            load_driver(kind, section)
    priced_llm(pipeline)
    return hooks_for(pipeline, active_plugins(pipeline))
