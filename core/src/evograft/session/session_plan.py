"""The plan of a session: what its kernel runs, by the folder of the run, its log and the changes that are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import yaml

from evograft.config.pipeline import Novelty, Pipeline
from evograft.errors import LogDamaged
from evograft.kernel.plan import RunPlan
from evograft.log.journal import Journal
from evograft.log.records import Header
from evograft.plugin.loading import is_missing
from evograft.plugin.toolkits import how_to_install
from evograft.runs.environment_reports import keep_reports
from evograft.runs.lock_file import Epoch, RunFolder, export_command
from evograft.session.resolved_run import ResolvedRun
from evograft.session.settings_changes import (
    add_epoch,
    describe_changed_versions,
    find_differing_settings,
    plugin_epochs_of,
)
from evograft.session.start import header_of
from evograft.session.worker import RemoteEvaluator
from evograft.text.masking import Keys


def plan_session(
    run: RunFolder, resolved: ResolvedRun, overrides: Sequence[str], journal: Journal, *, scratch: Path, keys: Keys
) -> tuple[RunPlan, list[Epoch]]:
    """Return what the kernel is to run, and the epochs whose plugins serve it.

    Args:
        run: its folder.
        resolved: the settings of the session, with drivers and plugins.
        overrides: the settings that are changed, each `KEY=VALUE`.
        journal: the log of the run.
        scratch: a folder for temporary files.
        keys: what must not be seen.

    Raises:
        LogDamaged: the log is not that of the run.
    """
    header = _check_header(run, journal)
    notes = (
        *resolved.store.warnings,
        *describe_changed_versions(run),
        *_describe_window(resolved.pipeline),
        *_describe_missing_comparer(resolved.pipeline),
    )
    changed = find_differing_settings(run.pipeline, resolved.pipeline)
    run = add_epoch(run, resolved.pipeline, journal)
    plugin_epochs = plugin_epochs_of(run, journal)
    remote = tuple((epoch.first_trial, yaml.safe_dump(epoch.pipeline.to_data())) for epoch in plugin_epochs)
    plan = RunPlan(
        run=run.name,
        folder=str(run.path),
        pipeline=run.pipeline,
        windows=tuple(pair for epoch in run.epochs for pair in epoch.pipeline.get_windows(epoch.first_trial)),
        weights=tuple((epoch.first_trial, epoch.pipeline.operators) for epoch in run.epochs),
        remote=RemoteEvaluator(remote, str(scratch), run.pipeline.sandbox, run.id),
        follows=header.follows,
        changes="\n".join(overrides) if changed else "",
        changed=changed,
        keep_settings=run.save if changed else lambda: None,
        keep_reports=partial(keep_reports, run.path, keys=keys),
        notes=notes,
        keys=keys,
    )
    return plan, plugin_epochs


def _check_header(run: RunFolder, journal: Journal) -> Header:
    header = next(journal.records(), None)
    if not isinstance(header, Header) or (header.id, header.seed) != (run.id, header_of(run).seed):
        raise LogDamaged(
            f"the log in {run.path} is not of the run that its lock file names: put the right files together, or save "
            f"the log with: {export_command(run.path)}"
        )
    return header


def _describe_window(pipeline: Pipeline) -> tuple[str, ...]:
    """Return a remark if most trials of a short run see nothing of the others."""
    trials, window = pipeline.budget.trials, pipeline.in_flight
    if not pipeline.has_live_model or window == 1 or trials is None or not 1 < trials <= 2 * window:
        return ()
    note = f"{trials} trials, {window} in flight at a time: most begin before others have a result (see --set window=1)"
    return (note,)


def _describe_missing_comparer(pipeline: Pipeline) -> tuple[str, ...]:
    """Return a remark if programs are not compared because the package that reads them is missing."""
    comparer = Novelty().comparer
    if pipeline.novelty.comparer is not None or comparer is None or not is_missing("novelty", comparer):
        return ()
    return (f"only equal files count as duplicates: {how_to_install('evograft.novelty', comparer.driver)}",)
