"""What programs read as the time: that of the clock on the wall, or their own processor time."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal

from evograft_ahc.text.messages import ContestServiceError
from evograft_hookspecs import FrozenDict, SandboxCommand, SandboxUnavailable
from evograft_sandbox.commands.native_cache import load_cpu_clock
from evograft_sandbox.commands.session_pool import PooledSession

Clock = Literal["wall", "cpu"]
ClockSetting = Literal["wall", "cpu", "auto"]
LIBRARY = "cpu-clock"
"""A file of a session."""
FREE_CORES = 0.5
"""Of all cores, at least; with less the machine is busy."""
PROBE = """#include <chrono>
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>
int main() {
    timespec pause = {0, 50'000'000};
    auto begin = std::chrono::steady_clock::now();
    syscall(SYS_nanosleep, &pause, nullptr);
    return std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(25) ? 0 : 3;
}
"""
"""Waits in a way that takes no time by the clock of processor time."""


@dataclass(frozen=True)
class ClockChoice:
    """The clock of a judge."""

    clock: Clock
    problem: str = ""
    """Why there is no clock of processor time here, though one is wanted."""

    @property
    def code(self) -> str:
        """The text of the room's catalog that says so."""
        return "clock.without" if self.problem else f"clock.{self.clock}"


def wants_cpu_clock(setting: ClockSetting, parallel: int) -> bool:
    """Return whether programs are to read their processor time as the time.

    Args:
        setting: `auto`: where they may have less than a core each.
        parallel: how many cases run at a time.
    """
    if setting != "auto":
        return setting == "cpu"
    cores = len(os.sched_getaffinity(0))
    return parallel > 1 or os.getloadavg()[0] > cores * (1 - FREE_CORES)


def find_clock_problem(worker: PooledSession, probe: bytes) -> str:
    """Return why programs of this judge cannot have the clock of processor time; empty: they can.

    Args:
        worker: in whose session it is tried.
        probe: `PROBE`, compiled as programs are.
    """
    try:
        worker.provide(LIBRARY, load_cpu_clock())
    except SandboxUnavailable as err:
        return str(err)
    worker.provide("probe", probe)
    command = SandboxCommand(
        arguments=("./probe",), inputs={"probe": "probe", LIBRARY: LIBRARY}, environment=get_environment("cpu")
    )
    done = worker.session.run(command)
    if done.exit_code == 0:
        return ""
    words = next(iter(done.stderr.decode(errors="replace").splitlines()), "")
    return words or "programs do not take their clock from a library: do they link with -static?"


def get_environment(clock: Clock) -> FrozenDict[str, str]:
    """Return what a program's environment says about its clock."""
    return FrozenDict({"LD_PRELOAD": f"./{LIBRARY}"} if clock == "cpu" else {})


def require_cpu_clock(choice: ClockChoice) -> ClockChoice:
    """Return the choice of somebody who asked for the clock of processor time.

    Raises:
        ContestServiceError: it cannot be had.
    """
    if choice.problem:
        raise ContestServiceError(
            f"judge clock 'cpu': {choice.problem}; take 'wall' or 'auto'",
            ja=f"ジャッジの時計 'cpu' が使えません: {choice.problem}。'wall' か 'auto' にしてください",
        )
    return choice
