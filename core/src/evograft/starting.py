"""Starting a run: everything that can be checked is, its settings are written down, and its folder is made."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from evograft.activation import active_plugins, load_driver
from evograft.config import Budget, LlmSection, ModelSection, Pipeline
from evograft.errors import UserError
from evograft.hooks import Hooks, hooks_for
from evograft.journal import Header, Journal, control_row
from evograft.reading import reading
from evograft.rundir import RunFolder, WriterLock, make_folder, remember, require_unused
from evograft_hookspecs import CONTRACT, Control
from evograft_hookspecs.ports import NewRow


def start_run(pipeline: Pipeline, *, runs: Path, folder: Path | None = None) -> RunFolder:
    """Checks everything that can be checked and makes the run's folder; nothing has run yet."""
    check(pipeline)
    run = make_folder(_settled(pipeline), runs=runs, folder=folder)
    return _begun(run, [header_of(run).to_row()])


def repeat_run(source: RunFolder, *, runs: Path, folder: Path | None = None) -> RunFolder:
    """Makes the folder of a run that repeats another one's trials, its log serving as the model.

    The settings are those of the other run, changes in its course included, but for its limits: what cut it shows in
    which trials there are. What people told it is told at the same commits.

    Raises:
        UserError: settings changed that took effect at once, so that no trial says by which it was made.
    """
    changed = _changed_at_once(source)
    if changed:
        raise UserError(f"run {source.name!r} cannot be repeated: {changed} changed in its course")
    with reading(source.path) as journal:
        order = committed_order(journal, source.pipeline.commit_order)
        tells = [each for each in journal.asides() if isinstance(each, Control) and each.kind == "tell"]
    whole = Budget(trials=max(order, default=0) + 1)
    epochs = [replace(epoch, pipeline=_replaying(epoch.pipeline, source.path, whole)) for epoch in source.epochs]
    check(epochs[-1].pipeline)
    run = replace(make_folder(epochs[-1].pipeline, runs=runs, folder=folder), epochs=tuple(epochs))
    header = replace(header_of(run), follows=order).to_row()
    return _begun(run, [header, *map(control_row, tells)])


def _changed_at_once(run: RunFolder) -> str:
    """A setting that shaped some trials of a run and not others, where nothing tells which; empty: there is none."""
    settings = [_shaping(epoch.pipeline) for epoch in run.epochs]
    return next((name for name in settings[0] if any(each[name] != settings[0][name] for each in settings)), "")


def _shaping(pipeline: Pipeline) -> dict[str, object]:
    """The settings that apply at once and shape trials."""
    llm = pipeline.llm
    drawn = llm.models if llm.choice == "bandit" else tuple((model.name, model.weight) for model in llm.models)
    return {"llm.choice": llm.choice, "llm.models": drawn, "repairs": pipeline.repairs}


def _replaying(pipeline: Pipeline, source: Path, budget: Budget) -> Pipeline:
    """The pipeline with the same models, asked of the log of a run; one without any has none."""
    llm = pipeline.llm
    if llm.driver != "none":
        shared = {"models": llm.models, "choice": llm.choice, "concurrency": llm.concurrency}
        llm = LlmSection(driver="replay", run=str(source), **shared)
    return pipeline.model_copy(update={"llm": llm, "budget": budget})


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
    header = next(journal.records(), None)
    follows = header.follows if isinstance(header, Header) else None
    if order == "arrival" and follows is None:
        return finished
    known = set(finished)
    return list(itertools.takewhile(known.__contains__, itertools.count() if follows is None else follows))


def header_of(run: RunFolder) -> Header:
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
