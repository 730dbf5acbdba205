"""All layers together: prepared once in the worker, tried out there, and raised in each candidate's process."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from evograft_sandbox.functions.clock import prepare_clock
from evograft_sandbox.functions.landlock import prepare_landlock
from evograft_sandbox.functions.layers import LAYERS
from evograft_sandbox.functions.privileges import prepare_privileges
from evograft_sandbox.functions.process_cleanup import prepare_process_cleanup
from evograft_sandbox.functions.rlimits import Rlimits
from evograft_sandbox.functions.seccomp import prepare_seccomp

DESCRIPTORS = 1024
"""One more than the highest descriptor of a worker: a child closes all of them, one by one on old kernels."""
FIRST_CLOSED_FD = 4


class LockdownLayer(Protocol):
    """One protection of a candidate's process."""

    @property
    def name(self) -> str: ...

    @property
    def detail(self) -> str: ...

    def apply(self) -> None:
        """Raise the layer around this process, for good.

        Raises:
            OSError: the kernel refuses.
        """


@dataclass(frozen=True)
class Lockdown:
    """The layers that work here."""

    layers: tuple[LockdownLayer, ...]
    missing: Mapping[str, str]
    """Why the others do not, by name."""

    def apply(self) -> None:
        """Raise all layers, then close every descriptor but 0 to 3, some of which the layers needed."""
        for layer in self.layers:
            layer.apply()
        os.closerange(FIRST_CLOSED_FD, DESCRIPTORS)

    def report(self) -> list[tuple[str, bool, str]]:
        """Name, whether it is active, and what it forbids or why it is missing, for every layer there could be."""
        active = {layer.name: layer.detail for layer in self.layers}
        return [(name, name in active, active.get(name) or self.missing[name]) for name in LAYERS]


def prepare_lockdown(limits: Rlimits, wanted: Collection[str] = LAYERS) -> Lockdown:
    """Find out which of the wanted layers work here, by raising them around a process that does nothing else."""
    makers: dict[str, Callable[[], LockdownLayer]] = {
        "privileges": prepare_privileges,
        "reaper": prepare_process_cleanup,
        "rlimits": lambda: limits,
        "clock": prepare_clock,
        "landlock": prepare_landlock,
        "seccomp": prepare_seccomp,
    }
    layers, missing = [], {}
    for name in LAYERS:
        if name not in wanted:
            missing[name] = "switched off"
            continue
        try:
            layers.append(makers[name]())
        except (OSError, AttributeError) as err:
            missing[name] = f"not available here: {err}"
    refused = _try_out(layers)
    return Lockdown(tuple(layer for layer in layers if layer.name not in refused), {**missing, **refused})


def _try_out(layers: Collection[LockdownLayer]) -> dict[str, str]:
    """Raise the layers around a child; return the reasons of those that the kernel refuses."""
    read_fd, write_fd = os.pipe()
    pid = os.fork()
    if pid == 0:
        _report_refusals(layers, write_fd)
    os.close(write_fd)
    with os.fdopen(read_fd, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(pid, 0)
    if not answer:
        return {layer.name: "not available here: a process that used it died" for layer in layers}
    refused: dict[str, str] = json.loads(answer)
    return refused


def _report_refusals(layers: Collection[LockdownLayer], write_fd: int) -> None:
    try:
        refused = {}
        for layer in layers:
            try:
                layer.apply()
            except OSError as err:
                refused[layer.name] = f"not available here: {err}"
        os.write(write_fd, json.dumps(refused).encode())
    finally:
        os._exit(0)
