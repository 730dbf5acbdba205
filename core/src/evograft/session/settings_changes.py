"""Settings that are changed between the sessions of a run: which may be, from which trial on, and which plugins that means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from evograft.config.pipeline import OwnedVerb, Pipeline, resolve_pipeline
from evograft.errors import UserError
from evograft.log.journal import Journal
from evograft.plugin.entry_points import installed_versions
from evograft.plugin.hooks import hooks_for
from evograft.plugin.loading import active_plugins
from evograft.runs.folder import Epoch, RunFolder, refuse_keys
from evograft.session.start import check, priced_llm
from evograft_hookspecs import FrozenDict

AT_ONCE = frozenset({"llm", "executor", "sandbox", "budget", "deadlines", "repairs"})
"""Settings that may change between sessions and apply from the first uncommitted trial."""
BY_WINDOW = frozenset({"window", "operators", "plugins", "tools"})
"""Settings that may change and apply behind the trials that may be in flight."""


def differing_settings(old: Pipeline, new: Pipeline) -> tuple[str, ...]:
    """Return the names of the top-level settings that differ."""
    return tuple(name for name in Pipeline.model_fields if getattr(old, name) != getattr(new, name))


def changed_pipeline(pipeline: Pipeline, overrides: Sequence[str]) -> Pipeline:
    """The pipeline with changed settings; one that would make another run of it is refused."""
    if not overrides:
        return pipeline
    changed = resolve_pipeline(pipeline.to_data(), overrides, source="the run's lock file")
    changed = changed.model_copy(update={"llm": priced_llm(changed)})
    refuse_keys(changed)
    check(changed)
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


def with_epoch(run: RunFolder, changed: Pipeline, journal: Journal) -> RunFolder:
    """The run with changed settings as its newest epoch; they are not saved yet."""
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
    return replace(run, epochs=(*kept, Epoch(first, changed, FrozenDict(installed_versions()))))


def plugin_epochs_of(run: RunFolder, journal: Journal) -> list[Epoch]:
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
    return pipeline.plugins, pipeline.owners, pipeline.tools


def version_notes(run: RunFolder) -> tuple[str, ...]:
    before, now = run.epochs[-1].versions, installed_versions()
    changed = [
        f"{name} {before.get(name, 'none')} -> {now.get(name, 'none')}"
        for name in sorted({*before, *now})
        if before.get(name) != now.get(name)
    ]
    if not changed:
        return ()
    return (f"other versions than its settings were made with, its trials may differ: {', '.join(changed)}",)
