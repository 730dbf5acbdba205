"""`checkpoints/<experiment_id>/gen_<N>.json`: an experiment after a generation, and the run that resumes it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from pydantic import ValidationError

from evograft.api import UserError, explain_validation, write_atomically
from evograft_graph_invariant.records.summary.model import IslandRecord, RecordPart
from evograft_hookspecs.values import Count, FrozenDict, Json, Name, Text

NAME = re.compile(r"gen_(\d+)\.json")


class RngState(RecordPart):
    """Every generator is keyed by the run's seed and the trial, so these two are the whole state."""

    seed: Count
    trial: Count
    """The next one."""


class RunPlace(RecordPart):
    """The run whose log is the truth."""

    id: Name
    folder: Text
    """As it was when this was written."""
    commits: Count
    """The number of its trials that this stands for."""


class Checkpoint(RecordPart):
    """An export for people and programs; a resumed experiment continues from the log."""

    experiment_id: Text
    phase: Count = 1
    generation: Count
    early_stop_counter: Count
    """Generations in a row in which no island improved."""
    rng_state: RngState
    islands: tuple[IslandRecord, ...] = ()
    """The knowledge bases: candidates and scores."""
    fallbacks: FrozenDict[Text, Json] = FrozenDict()
    """The number of uses of each fallback so far."""
    run: RunPlace


class Checkpoints:
    """The folder of an experiment's checkpoints: the newest are kept."""

    def __init__(self, artifacts: Path, experiment_id: str, *, keep: int) -> None:
        self.folder = artifacts / "checkpoints" / experiment_id
        self._keep = keep

    @staticmethod
    def newest_in(artifacts: Path) -> Path | None:
        """Find the newest checkpoint of an artifacts folder, whichever its experiment."""
        found = [pair for folder in (artifacts / "checkpoints").glob("*/") for pair in _numbered(folder)]
        return max(found)[1] if found else None

    def write(self, checkpoint: Checkpoint) -> None:
        path = self.folder / f"gen_{checkpoint.generation}.json"
        write_atomically(path, checkpoint.model_dump_json(indent=1).encode())
        for _, old in sorted(_numbered(self.folder))[: -self._keep]:
            old.unlink(missing_ok=True)


def _numbered(folder: Path) -> list[tuple[int, Path]]:
    return [(int(match[1]), path) for path in folder.iterdir() if (match := NAME.fullmatch(path.name))]


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        UserError: there is none, or it is no checkpoint.
    """
    try:
        return Checkpoint.model_validate(json.loads(path.read_bytes()))
    except OSError as err:
        raise UserError(f"cannot read {str(path)!r}: {err.strerror}") from err
    except ValidationError as err:
        raise UserError(f"{path} is no checkpoint: {explain_validation(err, Checkpoint)}") from err
    except (ValueError, RecursionError) as err:
        raise UserError(f"{path} is no checkpoint, which is JSON: {err}") from err
