"""The lock file of a run: what it is composed of, from which trial on."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from evograft.config.loading import pipeline_from
from evograft.config.pipeline import Pipeline
from evograft.config.yaml_file import parse_yaml
from evograft.errors import LogDamaged, UserError
from evograft.runs.attached import ATTACHED, relocate
from evograft.runs.storage import keep_document, open_storage, section_of
from evograft.text.masking import Keys
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.drivers.shared_store import SharedPlace

LOCK_FILE = "pipeline.lock.yaml"


@dataclass(frozen=True)
class Epoch:
    """The settings that hold from a trial on."""

    first_trial: int
    pipeline: Pipeline
    versions: FrozenDict[str, str] = FrozenDict()
    """Of what was installed then."""


@dataclass(frozen=True)
class RunFolder:
    """A run on disk. Its lock file says what it is composed of; its log says what happened."""

    path: Path
    id: str
    epochs: tuple[Epoch, ...]
    made: tuple[Path, ...] = ()
    """The folders that were made for it, the innermost first; nothing is known of those of a run that was there."""

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def pipeline(self) -> Pipeline:
        """Return the settings of the newest epoch."""
        return self.epochs[-1].pipeline

    def save(self) -> None:
        """Write the lock file: a reader sees the old one or the new one, never half of it."""
        epochs = [
            {"first_trial": each.first_trial, "versions": dict(each.versions), "pipeline": each.pipeline.to_data()}
            for each in self.epochs
        ]
        data = {"run": self.name, "id": self.id, "epochs": epochs}
        attached = self.path / ATTACHED
        if relocate(epochs, attached, Path()) != epochs:
            data["attached"] = str(attached)
        text = "# Written by evo. Change settings with: evo resume RUN --set KEY=VALUE\n" + yaml.safe_dump(
            data, sort_keys=False, allow_unicode=True
        )
        keep_document(self.path, LOCK_FILE, text.encode())


def read_lock_file(path: Path) -> RunFolder:
    """Read what the folder of a run, or of a conversation, is composed of.

    Raises:
        LogDamaged: it cannot be read; the log beside it may still be.
    """
    with open_storage(path) as storage:
        content = storage.read_document(LOCK_FILE)
    if content is None:
        raise LogDamaged(f"{path / LOCK_FILE} is missing; save the log with: {export_command(path)}")
    return parse_lock_file(path, content)


def parse_lock_file(path: Path, content: bytes) -> RunFolder:
    """Return what the text of a lock file says of the run in a folder.

    Raises:
        LogDamaged: it cannot be read.
    """
    try:
        data = parse_yaml(content.decode(), source=str(path / LOCK_FILE))
        # Another machine may have written it, with its own path of the files that the run was started with.
        attached = path / ATTACHED
        located = relocate(data["epochs"], Path(data["attached"]), attached) if "attached" in data else data["epochs"]
        epochs = tuple(_here(path, _epoch(each, source=str(path / LOCK_FILE))) for each in located)
        run = RunFolder(path, str(data["id"]), epochs)
    except (UserError, KeyError, TypeError, ValueError) as err:
        raise LogDamaged(f"{path / LOCK_FILE} is damaged ({err}); save the log with: {export_command(path)}") from err
    if not epochs:
        raise LogDamaged(f"{path / LOCK_FILE} is damaged (no epochs); save the log with: {export_command(path)}")
    return run


def export_command(path: Path) -> str:
    """Return the command that saves what is readable of a run's log."""
    return f"evo export {shlex.quote(str(path))}"


def _here(path: Path, epoch: Epoch) -> Epoch:
    """Return an epoch with the store as this machine reaches it, which another one may have to call otherwise."""
    place = SharedPlace.find(path)
    if place is None:
        return epoch
    return replace(epoch, pipeline=epoch.pipeline.model_copy(update={"store": section_of(place)}))


def _epoch(data: dict[str, Any], *, source: str) -> Epoch:
    pipeline = pipeline_from(data["pipeline"], source=source)
    return Epoch(int(data["first_trial"]), pipeline, FrozenDict(data["versions"]))


def refuse_keys(pipeline: Pipeline) -> None:
    """Raise UserError if a key is in the settings: they are written down."""
    settings = pipeline.to_data()
    variable = Keys.of(settings).found_in(yaml.safe_dump(settings, allow_unicode=True, width=math.inf))
    if variable is not None:
        raise UserError(f"the settings hold the key that stands in the environment as {variable}: leave it out of them")
