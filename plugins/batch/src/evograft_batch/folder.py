"""The folder of a batch: the file it was started with, its runs, and what they have printed."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import yaml

from evograft.config.yaml_file import read_yaml
from evograft.errors import ServiceError, UserError
from evograft.files import write_atomically
from evograft.runs.folder import numbered_folder
from evograft_batch.plan.batch_file import BatchFile, parse_batch
from evograft_batch.plan.matrix import PlannedRun

BATCH_FILE = "batch.lock.yaml"


@dataclass(frozen=True)
class BatchFolder:
    """A batch on disk."""

    path: Path
    batch: BatchFile
    """The file it was started with."""

    @property
    def resume(self) -> str:
        """Return the command that goes on with it."""
        return resume_command(self.path)

    def run(self, name: str) -> Path:
        """Return the folder of a run."""
        return self.path / "runs" / name

    def pipeline(self, name: str) -> Path:
        """Return the file that a run is started with."""
        return self.path / "pipelines" / f"{name}.yaml"

    def output(self, name: str) -> Path:
        """Return the file with what a run has printed, over all its sessions."""
        return self.path / "output" / f"{name}.txt"

    def write_pipelines(self, runs: Sequence[PlannedRun]) -> None:
        """Write the pipeline that each run is started with."""
        try:
            for folder in ("runs", "pipelines", "output"):
                (self.path / folder).mkdir(exist_ok=True)
            for run in runs:
                write_atomically(self.pipeline(run.name), _yaml(run.pipeline.to_data()).encode())
        except OSError as err:
            raise ServiceError(f"cannot write {err.filename!r}: {err.strerror}") from err


def make_batch_folder(batch: BatchFile, *, runs: Path, folder: Path | None = None) -> BatchFolder:
    """Create the folder of a new batch, with a copy of its file.

    It is `<runs>/<name>-<n>` unless another one is named.
    """
    try:
        path = numbered_folder(runs, batch.name) if folder is None else _empty(folder)
        made = BatchFolder(path, batch)
        note = "# Written by evo batch; it is what `evo batch --resume` goes on with.\n"
        write_atomically(path / BATCH_FILE, (note + _yaml(batch.to_data())).encode())
    except OSError as err:
        raise UserError(f"cannot make the batch's folder {err.filename!r}: {err.strerror}") from err
    return made


def resume_command(path: Path) -> str:
    """Return the command that goes on with the batch in a folder."""
    return shlex.join(("evo", "batch", "--resume", str(path)))


def find_batch_folder(word: str, *, runs: Path) -> BatchFolder:
    """Return a batch by the path or the name of its folder."""
    path = next((each for each in (Path(word), runs / word) if (each / BATCH_FILE).is_file()), None)
    if path is None:
        raise UserError(f"{word!r} is no batch: there is no {BATCH_FILE} in it")
    path = path.absolute()
    return BatchFolder(path, parse_batch(read_yaml(path / BATCH_FILE), source=str(path / BATCH_FILE)))


def require_same(batch: BatchFile, begun: BatchFolder, *, source: str) -> None:
    """Refuse a file that would make other runs than those of the folder."""
    names = [field.alias or name for name, field in BatchFile.model_fields.items() if name != "parallel"]
    now, then = batch.to_data(), begun.batch.to_data()
    changed = [name for name in names if now[name] != then[name]]
    if changed:
        raise UserError(
            f"{source}: {' and '.join(changed)} changed since {begun.path} was begun, and only `parallel` may; begin "
            f"another batch with: evo batch {shlex.quote(source)}, or go on as it was begun with: {begun.resume}"
        )


def _empty(folder: Path) -> Path:
    if (folder / BATCH_FILE).exists():
        raise UserError(f"--run-dir {str(folder)!r} holds a batch: go on with: {resume_command(folder)}")
    folder.mkdir(parents=True, exist_ok=True)
    # A file that a killed process was writing is not a reason to refuse.
    if any(not fnmatch(entry.name, f".{BATCH_FILE}.*.new") for entry in folder.iterdir()):
        raise UserError(f"--run-dir {str(folder)!r} is not empty: name another folder")
    return folder.absolute()


def _yaml(data: object) -> str:
    text: str = yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
    return text
