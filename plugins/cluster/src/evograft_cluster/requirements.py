"""What a run needs of a worker: the distributions it was begun with, cores and GPUs."""

from __future__ import annotations

import os
import platform
import re
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, cast

import yaml
from pydantic import Field

from evograft.plugin.entry_points import NUMERICAL, installed, installed_versions
from evograft.session.worker import RemoteEvaluator
from evograft_hookspecs.values import FrozenDict, Number, Value

OURS = ("evograft", "evograft-hookspecs", "evograft-cluster")
LEAST_FREE_BYTES = 16_000_000
"""With less room for temporary files an evaluation cannot be trusted to fail for a reason of its own."""

_GPU = re.compile(r"nvidia(\d+)$")

Positive = Annotated[int, Field(strict=True, ge=1)]


class EvaluationResources(Value):
    """What one evaluation has to itself."""

    cores: Positive = 1
    """It is pinned to so many cores of its worker, where the evaluations there leave them free."""
    gpu: Annotated[int, Field(strict=True, ge=0)] = 0
    """So many GPUs are visible to it (`CUDA_VISIBLE_DEVICES`), and to no other evaluation."""
    memory_mb: Positive | None = None
    """What it may need at most; workers that may use less are refused."""
    other: FrozenDict[str, Number] = FrozenDict()
    """Any other resource that workers are started with, such as `docker: 1`."""


class Requirements(Value):
    """What a worker has to have."""

    python: str
    """Its version, without the last part."""
    versions: FrozenDict[str, str]
    """By distribution."""
    resources: EvaluationResources = EvaluationResources()
    sandbox_memory_mb: int = 0
    """What the sandbox lets an evaluation use, where its settings say so; 0: they do not."""

    @property
    def memory_mb(self) -> int:
        """Return what an evaluation may need at most; 0: nothing is known."""
        return max(self.resources.memory_mb or 0, self.sandbox_memory_mb)

    @classmethod
    def of(cls, remote: RemoteEvaluator, resources: EvaluationResources) -> Requirements:
        """Return what the plugins of a run need, as they are installed here."""
        names, here = (*OURS, *sorted(_distributions_of(remote)), *NUMERICAL), installed_versions()
        versions = {name: here[name] for name in names if name in here}
        memory = remote.sandbox.options.get("memory_mb", 0)
        return cls(
            python=_python(), versions=FrozenDict(versions), resources=resources, sandbox_memory_mb=cast("int", memory)
        )

    def find_lacking(self) -> tuple[str, ...]:
        """Return what this machine lacks, each as a clause for people."""
        here = installed_versions()
        lacking = [
            f"{name} {here.get(name, 'is missing')}, the run has {wanted}"
            for name, wanted in self.versions.items()
            if here.get(name) != wanted
        ]
        if self.python != _python():
            lacking.append(f"Python {_python()}, the run has {self.python}")
        free = shutil.disk_usage(tempfile.gettempdir()).free
        if free < LEAST_FREE_BYTES:
            lacking.append(f"the disk of {tempfile.gettempdir()} is full ({free // 1_000_000} MB are left)")
        cores = len(os.sched_getaffinity(0))
        if self.resources.cores > cores:
            lacking.append(f"{cores} cores are there, an evaluation needs {self.resources.cores}")
        if self.resources.gpu and self.resources.gpu > (gpus := len(find_gpus())):
            lacking.append(f"{gpus} GPUs are there, an evaluation needs {self.resources.gpu}")
        return tuple(lacking)


def find_gpus() -> list[str]:
    """Return the GPUs that a process started here may use, by the names that `CUDA_VISIBLE_DEVICES` takes."""
    if (visible := os.environ.get("CUDA_VISIBLE_DEVICES")) is not None:
        return [name.strip() for name in visible.split(",") if name.strip()]
    with suppress(OSError):
        return sorted(found[1] for path in Path("/dev").iterdir() if (found := _GPU.match(path.name)))
    return []


def _distributions_of(remote: RemoteEvaluator) -> set[str]:
    """Return the distributions of the plugins that a run evaluates with; a plugin of none has no version."""
    plugins = installed()
    entries = [plugins[name][0] for name in _plugins_of(remote) if name in plugins]
    return {entry.dist.name.lower() for entry in entries if entry.dist}


def _plugins_of(remote: RemoteEvaluator) -> set[str]:
    sections = [section for _, text in remote.pipelines for section in yaml.safe_load(text)["plugins"]]
    return {section["name"] if isinstance(section, Mapping) else section for section in sections}


def _python() -> str:
    return ".".join(platform.python_version_tuple()[:2])
