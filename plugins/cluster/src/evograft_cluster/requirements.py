"""The needs of a run: the distributions that it was begun with, and resources for each evaluation."""

from __future__ import annotations

import math
import os
import platform
import re
import shutil
import socket
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Self, cast

import yaml
from pydantic import Field

from evograft.plugin.discovery import find_plugin
from evograft.plugin.entry_points import NUMERICAL, installed, installed_versions
from evograft.session.worker import RemoteEvaluator
from evograft_hookspecs.values import FrozenDict, Number, Value

OURS = ("evograft", "evograft-hookspecs", "evograft-cluster")
LEAST_FREE_BYTES = 16_000_000
"""With less room for temporary files an evaluation cannot be trusted to fail for a reason of its own."""

DOCKER = "docker"
"""The resource of a machine whose Docker engine answers, and the driver of sandboxes that needs one."""
_OWN = ("cores", "gpu", "memory_mb")
"""Resources that evaluations have to themselves; of others it only matters that they are there."""
_GPU = re.compile(r"nvidia(\d+)$")

Positive = Annotated[int, Field(strict=True, ge=1)]


class EvaluationResources(Value):
    """Resources that one evaluation has to itself."""

    cores: Positive = 1
    """Cores that it is pinned to, where other evaluations on its machine leave them free."""
    gpu: Annotated[int, Field(strict=True, ge=0)] = 0
    """GPUs that are visible to it (`CUDA_VISIBLE_DEVICES`), and to no other evaluation."""
    memory_mb: Positive | None = None
    """The most that it may need; workers that may use less are refused."""
    other: FrozenDict[str, Number] = FrozenDict()
    """Any other resource that workers are started with, by its name."""

    @classmethod
    def of_names(cls, wanted: Mapping[str, float]) -> Self:
        """Return the resources that are wanted by their names."""
        own = {name: math.ceil(wanted[name]) for name in _OWN if wanted.get(name)}
        others = {name: number for name, number in wanted.items() if name not in _OWN and number}
        return cls.model_validate({**own, "other": others})

    @property
    def by_name(self) -> dict[str, float]:
        """Return how much is wanted of each resource, by the name that workers are started with."""
        own = {"cores": self.cores, "gpu": self.gpu, "memory_mb": self.memory_mb or 0}
        return {**{name: float(number) for name, number in own.items()}, **self.other}


class Requirements(Value):
    """The needs that each worker of a run has to meet."""

    python: str
    """Its version, without the last part."""
    versions: FrozenDict[str, str]
    """By distribution."""
    resources: EvaluationResources = EvaluationResources()
    sandbox_memory_mb: int = 0
    """Memory that the settings of the sandbox let an evaluation use; 0: they do not say."""

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
            python=_python(),
            versions=FrozenDict(versions),
            resources=EvaluationResources.of_names(_largest((resources.by_name, *_resources_of(remote)))),
            sandbox_memory_mb=cast("int", memory),
        )

    def find_lacking(self) -> tuple[str, ...]:
        """Return what this machine lacks, each as a clause for people that says what to do about it."""
        return (*self._find_other_versions(), *_find_full_disk(), *self._find_missing_resources())

    def _find_other_versions(self) -> Iterator[str]:
        here = installed_versions()
        for name, wanted in self.versions.items():
            if here.get(name) != wanted:
                found = here.get(name, "is missing")
                yield f"{name} {found}, the run has {wanted}: pip install {name}=={wanted}"
        if self.python != _python():
            yield f"Python {_python()}, the run has {self.python}: install evograft with that Python"

    def _find_missing_resources(self) -> Iterator[str]:
        wanted, cores, gpus = self.resources, len(os.sched_getaffinity(0)), len(find_gpus())
        elsewhere = "start workers where there are more, or lower executor.resources"
        if wanted.cores > cores:
            yield f"{cores} cores are there, an evaluation needs {wanted.cores}: {elsewhere}"
        if wanted.gpu > gpus:
            yield f"{gpus} GPUs are there, an evaluation needs {wanted.gpu}: {elsewhere}"
        if wanted.other.get(DOCKER) and not is_docker_running():
            yield "no Docker engine answers, an evaluation needs one: start it, or name it in DOCKER_HOST"


def _find_full_disk() -> Iterator[str]:
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    if free < LEAST_FREE_BYTES:
        yield f"the disk of {folder} is full ({free // 1_000_000} MB are left): free some, or set TMPDIR"


def is_docker_running() -> bool:
    """Return whether a Docker engine listens on this machine; one elsewhere that `DOCKER_HOST` names is believed."""
    address = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    if not address.startswith("unix://"):
        return True
    with socket.socket(socket.AF_UNIX) as door, suppress(OSError):
        door.connect(address.removeprefix("unix://"))
        return True
    return False


def find_gpus() -> list[str]:
    """Return the GPUs that a process started here may use, by the names that `CUDA_VISIBLE_DEVICES` takes."""
    if (visible := os.environ.get("CUDA_VISIBLE_DEVICES")) is not None:
        return [name.strip() for name in visible.split(",") if name.strip()]
    with suppress(OSError):
        return sorted(found[1] for path in Path("/dev").iterdir() if (found := _GPU.match(path.name)))
    return []


def _resources_of(remote: RemoteEvaluator) -> Iterable[Mapping[str, float]]:
    """Return what each plugin of a run says that evaluations need, and what the sandbox does."""
    plugins = installed()
    manifests = (find_plugin(name).manifest for name in _plugins_of(remote) if name in plugins)
    sandbox = {DOCKER: 1.0} if remote.sandbox.driver == DOCKER else {}
    return (sandbox, *(manifest.resources for manifest in manifests))


def _largest(wanted: Iterable[Mapping[str, float]]) -> dict[str, float]:
    largest: dict[str, float] = {}
    for each in wanted:
        for name, number in each.items():
            largest[name] = max(number, largest.get(name, 0.0))
    return largest


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
