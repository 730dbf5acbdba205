"""The contents of an artifacts folder, as far as they can be read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evograft.api import UserError
from evograft_graph_invariant.records.checkpoint import Checkpoint, Checkpoints, read_checkpoint
from evograft_graph_invariant.records.summary.model import ExperimentSummary, RunRecord
from evograft_graph_invariant.records.summary.reader import read_summary
from evograft_graph_invariant.reporting.events import EventTotals, read_events

SUMMARIES = {1: "phase1_summary.json", 2: "phase2_summary.json"}
EVENTS = "events.jsonl"


@dataclass(frozen=True)
class Artifacts:
    """The records of one or two phases."""

    folder: Path
    summaries: dict[int, ExperimentSummary]
    """By phase."""
    events: EventTotals | None
    checkpoint: Checkpoint | None
    """The newest one."""
    problems: tuple[str, ...]
    """Files that are there and cannot be read."""

    @property
    def phases(self) -> dict[int, ExperimentSummary]:
        """The summaries; of a phase that has none yet what its checkpoint says; at least one phase."""
        found = dict(self.summaries)
        if self.under_way:
            found[self.under_way.phase] = _standing(self.under_way)
        return dict(sorted(found.items())) or {1: ExperimentSummary()}

    @property
    def under_way(self) -> Checkpoint | None:
        """The checkpoint of a phase without a summary."""
        checkpoint = self.checkpoint
        is_known = checkpoint is None or checkpoint.phase in self.summaries or checkpoint.phase not in SUMMARIES
        return None if is_known else checkpoint


def read_artifacts(folder: Path) -> Artifacts:
    """Read a folder.

    Raises:
        UserError: there is no such folder, or nothing of what a report is made of in it.
    """
    if not folder.is_dir():
        raise UserError(f"there is no folder {str(folder)!r}: name the artifacts folder of an experiment")
    problems: list[str] = []
    summaries = _summaries(folder, problems)
    events = _events(folder / EVENTS, problems)
    checkpoint = _checkpoint(folder, problems)
    if not (summaries or events or checkpoint or problems):
        raise UserError(
            f"{str(folder)!r} holds no {', '.join(SUMMARIES.values())}, {EVENTS} or checkpoints: "
            "name the artifacts folder of an experiment"
        )
    return Artifacts(folder, summaries, events, checkpoint, tuple(problems))


def _summaries(folder: Path, problems: list[str]) -> dict[int, ExperimentSummary]:
    found = {}
    for phase, name in SUMMARIES.items():
        if not (folder / name).is_file():
            continue
        try:
            found[phase] = read_summary(folder / name)
        except UserError as err:
            problems.append(str(err))
    return found


def _events(path: Path, problems: list[str]) -> EventTotals | None:
    if not path.is_file():
        return None
    try:
        return read_events(path)
    except OSError as err:
        problems.append(f"cannot read {str(path)!r}: {err.strerror}")
        return None


def _checkpoint(folder: Path, problems: list[str]) -> Checkpoint | None:
    newest = Checkpoints.newest_in(folder)
    try:
        return read_checkpoint(newest) if newest else None
    except UserError as err:
        problems.append(str(err))
        return None


def _standing(checkpoint: Checkpoint) -> ExperimentSummary:
    """Return what a checkpoint already knows of a summary."""
    run = checkpoint.run
    return ExperimentSummary(
        experiment_id=checkpoint.experiment_id,
        phase=checkpoint.phase,
        generations_run=checkpoint.generation,
        islands=checkpoint.islands,
        run=RunRecord(id=run.id, folder=run.folder, seed=checkpoint.rng_state.seed, trials=run.commits),
    )
