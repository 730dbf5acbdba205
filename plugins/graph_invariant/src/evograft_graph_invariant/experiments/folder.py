"""The folder of an experiment."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from evograft.api import LOCK_FILE, RunFolder, UserError, open_run
from evograft_graph_invariant.experiments.experiment import Experiment
from evograft_graph_invariant.experiments.pipeline import Phase, experiment_id_of
from evograft_graph_invariant.records.checkpoint import Checkpoint, Checkpoints
from evograft_graph_invariant.records.recorder import EVENTS, get_summary_name

RUN = "run"


@dataclass(frozen=True)
class ExperimentFolder:
    """The artifacts folder of an experiment: its records, and its run in a folder of its own."""

    artifacts: Path
    experiment_id: str

    @classmethod
    def of(cls, config: Experiment, phase: Phase) -> ExperimentFolder:
        experiment_id = experiment_id_of(config, phase)
        return cls(Path(config.artifacts or Path("artifacts") / experiment_id).absolute(), experiment_id)

    @property
    def run(self) -> Path:
        return self.artifacts / RUN

    def require_unused(self) -> None:
        """Refuse a folder that holds another experiment: its records would be overwritten.

        Raises:
            UserError: it does, and this is how to go on with it.
        """
        try:
            is_run = (self.run / LOCK_FILE).exists()
        except OSError as err:
            raise UserError(f"cannot use {str(self.artifacts)!r}: {err.strerror}; see `artifacts`") from err
        if is_run:
            newest = Checkpoints.newest_in(self.artifacts)
            way = f"--resume {newest}" if newest else f"evo resume {shlex.quote(str(self.run))}"
            raise UserError(
                f"{self.artifacts} holds an experiment already: go on with it: {way}; or name another folder as "
                "`artifacts`"
            )
        names = (EVENTS, get_summary_name(1), get_summary_name(2))
        if taken := next((name for name in names if (self.artifacts / name).exists()), None):
            raise UserError(f"{self.artifacts} holds records already ({taken}): name another folder as `artifacts`")


def find_checkpoint_run(checkpoint: Checkpoint, file: Path) -> RunFolder:
    """Find the run that a checkpoint names: next to it, wherever the folder was moved or copied, or where it was then.

    Raises:
        UserError: it is gone.
    """
    beside = file.absolute().parents[2] / RUN if len(file.absolute().parents) > 2 else None  # noqa: PLR2004
    places = [*([beside] if beside else []), Path(checkpoint.run.folder)]
    for place in places:
        if _holds_run(place) and (run := open_run(place)).id == checkpoint.run.id:
            return run
    raise UserError(
        f"{file}: the run {checkpoint.run.id} that it goes on from is in none of {', '.join(map(str, places))}; "
        "its log "
        "holds the trials, and a checkpoint alone does not"
    )


def _holds_run(place: Path) -> bool:
    try:
        return (place / LOCK_FILE).is_file()
    except OSError:  # such as a name that is too long
        return False
