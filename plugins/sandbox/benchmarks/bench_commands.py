"""Cost of a command in each sandbox over a bare run: python plugins/sandbox/benchmarks/bench_commands.py [IMAGE]."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from statistics import mean

import psutil

from evograft_hookspecs import ForkServer, SandboxCommand, SandboxSession, SandboxUnavailable
from evograft_hookspecs.drivers.sandbox import SandboxDriver
from evograft_sandbox.commands.bwrap import BwrapOptions, BwrapSandbox
from evograft_sandbox.commands.docker import DockerOptions, DockerSandbox
from evograft_sandbox.commands.process import ProcessOptions, ProcessSandbox

ROUNDS = 100
DOCKER_RUNS = 20
FORKED_RUNS, ALONE_RUNS = 30, 6
SECONDS = 0.05
ENGINE = ("dockerd", "containerd", "containerd-shim", "containerd-shim-runc-v2")
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **arguments) {
    unsigned long rounds = strtoul(arguments[1], NULL, 10), x = 1;
    for (unsigned long i = 0; i < rounds; i++) x = x * 6364136223846793005UL + 1442695040888963407UL;
    char line[256];
    while (fgets(line, sizeof line, stdin)) fputs(line, stdout);
    printf("%lu\\n", x);
}
"""
FORK_SERVER = Path(__file__).parents[1] / "tests/commands/forking.py"
IMPORTS = b"""
import numpy, scipy.optimize
print(scipy.optimize.minimize(lambda x: (x - 3.0) @ (x - 3.0), numpy.zeros(2)).x.round(3))
"""
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
CASE = b"".join(b"%d %d\n" % (n, n * n) for n in range(100))


def main() -> None:
    image = sys.argv[1] if len(sys.argv) > 1 else "evograft-test:bookworm"
    drivers = {
        "process": ProcessSandbox(ProcessOptions()),
        "bwrap": BwrapSandbox(BwrapOptions()),
        "docker": DockerSandbox(DockerOptions(image=image)),
    }
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        program = built(Path(folder))
        rounds = calibrated(program)
        command = SandboxCommand(arguments=("./program", rounds), stdin=CASE, inputs={"program": "program"})
        sessions = opened(stack, drivers, program)
        bare, costs = interleaved(program, rounds, sessions, command)
        print(f"bare: {1000 * bare:.1f} ms of CPU a run, {ROUNDS} runs, load {os.getloadavg()[0]:.1f}")
        for name, cost in costs.items():
            print(f"{name}: {1000 * cost:.1f} ms of CPU a command, {cost / bare:.3f} times the bare run")
        if "docker" in sessions:
            cpu, wall = docker_runs(program, rounds, image)
            print(
                f"docker run: at least {1000 * cpu:.0f} ms of CPU a command, {cpu / bare:.1f} times; "
                f"{wall:.2f} s of wall time"
            )
        for name in ("process", "bwrap"):
            with closing(drivers[name].open(python=True)) as session:
                compare_forked(name, session)


def compare_forked(name: str, session: SandboxSession) -> None:
    """A Python that imports NumPy and SciPy: run on its own, and forked from one that has imported them."""
    session.write({"forking.py": FORK_SERVER.read_bytes(), "main.py": IMPORTS})
    alone = SandboxCommand(arguments=(session.python, "main.py"), environment=ONE_THREAD, inputs={"main.py": "main.py"})
    server = ForkServer(
        arguments=(session.python, "forking.py", "numpy", "scipy.optimize"),
        environment=ONE_THREAD,
        inputs={"forking.py": "forking.py"},
    )
    forked = alone.model_copy(update={"fork_server": server})
    (first,), others = cost_each(name, session, forked, 1), cost_each(name, session, forked, FORKED_RUNS)
    run = cost_each(name, session, alone, ALONE_RUNS)
    print(
        f"{name}, NumPy and SciPy: {1000 * mean(run):.0f} ms of CPU a command run, "
        f"{1000 * mean(others):.1f} ms forked, {1000 * first:.0f} ms the first"
    )


def cost_each(name: str, session: SandboxSession, command: SandboxCommand, rounds: int) -> list[float]:
    """CPU of this process, the runner, the fork server and the command."""
    tree, costs = tree_of(name, session), []
    for _ in range(rounds):
        before = time.process_time() + tree()
        result = session.run(command)
        costs.append(time.process_time() + tree() - before)
        assert result.exit_code == 0, result
        assert result.forked == (command.fork_server is not None), result
    return costs


def built(folder: Path) -> Path:
    (folder / "program.c").write_text(PROGRAM)
    subprocess.run(["cc", "-O2", "-static", folder / "program.c", "-o", folder / "program"], check=True)
    folder.chmod(0o755)
    return folder / "program"


def calibrated(program: Path) -> str:
    """How many rounds take SECONDS of CPU."""
    trial = 10_000_000
    cost = min(bare_run(program, str(trial)) for _ in range(10))
    return str(round(trial * SECONDS / cost))


def bare_run(program: Path, rounds: str) -> float:
    before = os.times()
    subprocess.run([program, rounds], input=CASE, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def opened(stack: ExitStack, drivers: dict[str, SandboxDriver], program: Path) -> dict[str, SandboxSession]:
    sessions: dict[str, SandboxSession] = {}
    for name, driver in drivers.items():
        stack.enter_context(closing(driver))
        try:
            sessions[name] = driver.open()
            sessions[name].write({"program": program.read_bytes()})
        except SandboxUnavailable as err:
            print(f"{name}: {err}")
    return sessions


def interleaved(
    program: Path, rounds: str, sessions: dict[str, SandboxSession], command: SandboxCommand
) -> tuple[float, dict[str, float]]:
    """CPU a run, bare and in each session, taken in turns so that the machine's moods meet all alike."""
    trees = {name: tree_of(name, session) for name, session in sessions.items()}
    bare, own = 0.0, dict.fromkeys(sessions, 0.0)
    start = {name: tree() for name, tree in trees.items()}
    for _ in range(ROUNDS):
        bare += bare_run(program, rounds)
        for name, session in sessions.items():
            before = time.process_time()
            result = session.run(command)
            own[name] += time.process_time() - before
            assert result.exit_code == 0, result
    costs = {name: (own[name] + tree() - start[name]) / ROUNDS for name, tree in trees.items()}
    return bare / ROUNDS, costs


def tree_of(name: str, session: SandboxSession) -> Callable[[], float]:
    """What the runner, all it has reaped, and whoever stands between it and us have used."""
    if name == "docker":
        container = session._channel._stream._container
        return lambda: cpu_of_container(container) + sum(cpu(each) for each in engine_processes())
    runner = psutil.Process(session._channel._stream._process.pid)
    return lambda: sum(cpu(each, reaped=True) for each in (runner, *runner.children(recursive=True)))


def cpu_of_container(container) -> float:
    return container.stats(stream=False)["cpu_stats"]["cpu_usage"]["total_usage"] / 1e9


def engine_processes() -> list[psutil.Process]:
    return [each for each in psutil.process_iter(["name"]) if each.info["name"] in ENGINE]


def cpu(process: psutil.Process, *, reaped: bool = False) -> float:
    times = process.cpu_times()
    return times.user + times.system + (times.children_user + times.children_system if reaped else 0)


def docker_runs(program: Path, rounds: str, image: str) -> tuple[float, float]:
    """CPU and wall time of a container a command, without what its short-lived helpers use."""
    docker = shutil.which("docker")
    command = [docker, "run", "--rm", "-i", "--network=none", "-v", f"{program}:/program:ro", image, "/program", rounds]
    engine = {each.pid: cpu(each) for each in engine_processes()}
    before, started = os.times(), time.perf_counter()
    inside = 0.0
    for _ in range(DOCKER_RUNS):
        subprocess.run(command, input=CASE, stdout=subprocess.DEVNULL, check=True)
        inside += SECONDS
    after, wall = os.times(), time.perf_counter() - started
    client = after.children_user + after.children_system - before.children_user - before.children_system
    service = sum(cpu(each) - engine[each.pid] for each in engine_processes() if each.pid in engine)
    return (client + service + inside) / DOCKER_RUNS, wall / DOCKER_RUNS


if __name__ == "__main__":
    main()
