"""Evaluators that are containers: in their image where a Docker engine answers, else with this machine's programs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evograft.api import UserError, with_overrides
from evograft_program.options import EvaluatorStyle
from evograft_program.requests.request import EvolveRequest
from evograft_program.styles.recognition import Recognition
from evograft_program.task.files import digest_files, list_files
from evograft_program.task.layout import TaskFiles
from evograft_program.worker.programs import TEMPORARY
from evograft_sandbox.docker_engine import is_engine_running

DOCKER = "docker"
REPOSITORY = "evograft-evaluator"
"""Of images that are built from evaluators."""
WITHOUT_ENGINE = (
    "no Docker engine answers, so evaluate.sh runs with this machine's programs and not in its image; start an engine, "
    "or say that this is meant: --set sandbox.driver=process"
)


@dataclass(frozen=True)
class ContainerPlan:
    """What an evaluator in a container asks of a run."""

    pipeline: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    """What the user should know, one line each."""


def plan_container(request: EvolveRequest, files: TaskFiles, recognition: Recognition) -> ContainerPlan:
    """Return whether an evaluator has its image: as the user's sandbox has it, else where an engine answers.

    Raises:
        UserError: options do not fit.
    """
    if recognition.style is not EvaluatorStyle.CONTAINER or files.evaluator is None:
        return ContainerPlan()
    driver = _find_driver(request.overrides)
    if driver not in ("", DOCKER):
        return ContainerPlan()
    if not driver and not is_engine_running():
        return ContainerPlan(notes=(WITHOUT_ENGINE,))
    if request.final is not None:
        raise UserError("--final: evaluate.sh is told 'test' at the end and has no other evaluator: leave it out")
    if hidden := [path for path in request.read if path.resolve().is_relative_to(TEMPORARY)]:
        raise UserError(f"--read {str(hidden[0])!r}: in a container /tmp is each candidate's own, put it elsewhere")
    folder = files.evaluator if files.evaluator.is_dir() else files.evaluator.parent
    image = name_image(folder, left_out=[path.resolve() for path in request.read])
    memory = request.settings.get("memory_mb")
    sandbox = {"driver": DOCKER, **({"memory_mb": memory} if memory else {})}
    return ContainerPlan({"sandbox": sandbox, "plugins": {"program": {"evaluator": {"image": image}}}})


def _find_driver(overrides: Sequence[str]) -> str:
    """Return the driver that the user has set; empty: none."""
    section = with_overrides({}, [each for each in overrides if each.startswith("sandbox")]).get("sandbox", {})
    return str(section.get("driver", "") if isinstance(section, Mapping) else section)


def name_image(folder: Path, *, left_out: Collection[Path] = ()) -> str:
    """Return the name of the image of a folder: another one for other content, or for other files to be executed."""
    files = list_files(folder, left_out=left_out)
    targets = {place: path if path.is_dir() else path.resolve() for place, path in files.items()}
    programs = [place for place, path in targets.items() if os.access(path, os.X_OK)]
    digest = hashlib.sha256("\0".join((digest_files(targets), *programs)).encode()).hexdigest()
    return f"{REPOSITORY}:{digest[:32]}"
