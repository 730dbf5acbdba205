"""Settings that are changed between the sessions of a run.

Here it says which may be changed, from which trial on a change holds, and which plugins that means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from evograft.config.loading import resolve_pipeline
from evograft.config.pipeline import OwnedVerb, Pipeline
from evograft.errors import UserError
from evograft.log.journal import Journal
from evograft.plugin.entry_points import installed_versions
from evograft.plugin.hooks import Hooks, hooks_for
from evograft.plugin.loading import active_plugins, without_foreign_options
from evograft.runs.lock_file import Epoch, RunFolder, refuse_keys
from evograft.session.resolved_run import ResolvedRun
from evograft_hookspecs import FrozenDict

AT_ONCE = frozenset({"llm", "executor", "sandbox", "budget", "deadlines", "repairs"})
"""Settings that may change between sessions and apply from the first uncommitted trial."""
BY_WINDOW = frozenset({"window", "operators", "plugins", "tools"})
"""Settings that may change and apply behind the trials that may be in flight."""


def find_differing_settings(old: Pipeline, new: Pipeline) -> tuple[str, ...]:
    """Return the names of the top-level settings that differ."""
    return tuple(name for name in Pipeline.model_fields if getattr(old, name) != getattr(new, name))


def resolve_changes(pipeline: Pipeline, overrides: Sequence[str]) -> ResolvedRun:
    """Resolve the settings of a run, some of them changed; a change that would make another run of it is refused."""
    if not overrides:
        return ResolvedRun.build(pipeline)
    data = with_chosen_drivers(pipeline.to_data(), overrides)
    changed = resolve_pipeline(data, overrides, source="the run's lock file")
    refuse_keys(changed)
    resolved = ResolvedRun.build_checked(changed).with_prices()
    _require_same_run(pipeline, resolved.pipeline)
    _require_same_owners(_hooks_of(pipeline), resolved.fit_plugins())
    return resolved


def with_chosen_drivers(data: Mapping[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """Return pipeline data without the options of a driver in whose place another one is set.

    Args:
        data: before the overrides.
        overrides: each `KEY=VALUE`.
    """
    chosen = dict(data)
    for kind in ("executor", "sandbox"):
        names = [
            text for key, _, text in (each.partition("=") for each in overrides) if key.strip() == f"{kind}.driver"
        ]
        section = chosen.get(kind)
        if names and isinstance(section, Mapping):
            chosen[kind] = without_foreign_options(kind, section, names[-1].strip())
    return chosen


def _require_same_run(pipeline: Pipeline, changed: Pipeline) -> None:
    for key in Pipeline.model_fields:
        if getattr(changed, key) != getattr(pipeline, key) and key not in AT_ONCE | BY_WINDOW:
            able = ", ".join(sorted(AT_ONCE | BY_WINDOW))
            raise UserError(f"--set {key}: fixed for the life of a run; start another run, or change one of {able}")


def _require_same_owners(old: Hooks, new: Hooks) -> None:
    for verb in get_args(OwnedVerb):
        before, now = old.owner(verb).name, new.owner(verb).name
        if before != now:
            raise UserError(
                f"--set plugins: {verb} would be answered by {now!r} instead of {before!r}, and owners are fixed "
                "for the life of a run; start another run"
            )


def _hooks_of(pipeline: Pipeline) -> Hooks:
    return hooks_for(pipeline, active_plugins(pipeline))


def add_epoch(run: RunFolder, changed: Pipeline, journal: Journal) -> RunFolder:
    """Return the run with changed settings as its newest epoch; they are not saved yet."""
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
    """Return the epochs that begin with other plugins, except those whose trials are all done."""
    begins = [
        epoch
        for before, epoch in zip((None, *run.epochs), run.epochs, strict=False)
        if before is None or _plugin_settings(before.pipeline) != _plugin_settings(epoch.pipeline)
    ]
    finished = journal.finished_trials()
    ends = [*(epoch.first_trial for epoch in begins[1:]), None]
    return [
        epoch
        for epoch, end in zip(begins, ends, strict=True)
        if end is None or not finished.issuperset(range(epoch.first_trial, end))
    ]


def _plugin_settings(pipeline: Pipeline) -> tuple[object, ...]:
    """Return the settings by which two sets of plugins differ."""
    return pipeline.plugins, pipeline.owners, pipeline.tools


def describe_changed_versions(run: RunFolder) -> tuple[str, ...]:
    before, now = run.epochs[-1].versions, installed_versions()
    changed = [
        f"{name} {before.get(name, 'none')} -> {now.get(name, 'none')}"
        for name in sorted({*before, *now})
        if before.get(name) != now.get(name)
    ]
    if not changed:
        return ()
    return (f"other versions than its settings were made with, its trials may differ: {', '.join(changed)}",)
