"""What judging costs over a bare run, and how much times vary: python plugins/ahc/benchmarks/bench_judging.py.

`--cases 10` tries in a minute or two whether it works; its figures say little.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from pathlib import Path
from statistics import fmean
from typing import get_args

import psutil

from evograft.config.pipeline import DriverSection
from evograft.session.lazy_sandbox import LazySandbox
from evograft_ahc.judging.clock import Clock
from evograft_ahc.judging.compiler import compile_program
from evograft_ahc.judging.judge import Judge
from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.judging.precompiled_headers import ensure_headers
from evograft_ahc.judging.program import CompiledProgram
from evograft_ahc.judging.settings import JudgeSettings
from evograft_ahc.workspace.folder import Workspace
from evograft_ahc.workspace.init import initialize_workspace
from evograft_hookspecs import SandboxUnavailable

FEW = 20
TURN = 10
ROUNDS = 5
COMPILATIONS = 3
SECONDS = 0.05
DRIVERS = ("process", "bwrap", "docker")
WATCHES = f"""#include <chrono>
#include <iostream>
int main() {{
    std::chrono::duration<double> most({10 * SECONDS});
    double steps = 0;
    unsigned state = 1;
    for (auto begin = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - begin < most; steps++)
        for (int i = 0; i < 1000; i++) state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    std::cerr << "state=" << state << " steps=" << steps << std::endl;
}}
"""
ENGINE = ("dockerd", "containerd", "containerd-shim", "containerd-shim-runc-v2")
CORES = len(os.sched_getaffinity(0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--image", default="evograft-test:bookworm", help="with a C++ compiler, for Docker")
    given = parser.parse_args()
    image = given.image
    with tempfile.TemporaryDirectory() as folder:
        workspace = initialize_workspace("practice001", Path(folder))
        cases = workspace.cases()[: given.cases]
        print(f"{len(cases)} cases, {CORES} cores, load {os.getloadavg()[0]:.1f}")
        with judge_in("process", workspace, image) as judge:
            headers(judge)
            program = calibrated(judge, workspace, cases)
        bare = costs(workspace, image, program, cases)
        one_container_a_case(workspace, image, program, cases, bare)
        spread(workspace, program, cases[:FEW])
        clocks(workspace, cases[:TURN])


@contextmanager
def judge_in(driver: str, workspace: Workspace, image: str = "", *, parallel: int = CORES) -> Iterator[Judge]:
    settings = JudgeSettings(parallel=parallel, image=image if driver == "docker" else None)
    sandbox = LazySandbox(DriverSection(driver=driver), run="bench")
    with closing(sandbox), closing(Judge(workspace, sandbox, settings)) as judge:
        judge.check()
        yield judge


# -- compiling --------------------------------------------------------------------------------------------------------


def headers(judge: Judge) -> None:
    """Processor time of a compilation with and without the header that was compiled beforehand."""
    source = (Path(__file__).parents[1] / "references" / "practice001.cpp").read_text()
    source = f"#include <bits/stdc++.h>\n{source}"
    found, limits = judge._compilers.cpp.found, judge._settings.compile_limits()
    seconds: dict[str, list[float]] = {"without": [], "with": []}
    with judge._workers.borrow() as worker:
        folder = ensure_headers(worker, judge._profile, found.identity)
        run = worker.session.run

        def timed(command):
            result = run(command)
            seconds["with" if str(folder) in command.arguments else "without"].append(result.cpu_seconds)
            return result

        worker.session.run = timed
        for _ in range(COMPILATIONS):
            for each in (None, folder):
                compile_program(worker, profile=judge._profile, found=found, source=source, limits=limits, headers=each)
        worker.session.run = run
    plain, quick = fmean(seconds["without"]), fmean(seconds["with"])
    print(
        f"compiling: {plain:.2f} s of CPU without, {quick:.2f} s with the precompiled header, "
        f"{100 * quick / plain:.0f} %"
    )


def calibrated(judge: Judge, workspace: Workspace, cases: Sequence[str]) -> bytes:
    """The start program with as many steps as take SECONDS."""
    source = workspace.start_program.read_text()
    before = "constexpr int STEPS = 30000;"
    assert before in source
    once = mean_cpu(judge.run(judge.compile(source), cases[:FEW]))
    longer = source.replace(before, "constexpr int STEPS = 300000;")
    tenfold = mean_cpu(judge.run(judge.compile(longer), cases[:FEW]))
    steps = 30_000 + round(270_000 * (SECONDS - once) / (tenfold - once))
    return judge.compile(source.replace(before, f"constexpr int STEPS = {steps};")).content


def mean_cpu(outcomes: Iterator[CaseOutcome]) -> float:
    return fmean(outcome.cpu_seconds for outcome in outcomes)


# -- running ----------------------------------------------------------------------------------------------------------


def costs(workspace: Workspace, image: str, program: bytes, cases: Sequence[str]) -> float:
    """Processor time a case, bare and in each kind of sandbox, in turns so that the machine's moods meet all alike."""
    binary, scorer = workspace.folder / "program", workspace.tools / "bin" / "score"
    binary.write_bytes(program)
    binary.chmod(0o755)
    bare = scored = 0.0
    with ExitStack() as stack:
        judges = opened(stack, workspace, image, program, cases)
        judged = dict.fromkeys(judges, 0.0)
        for start in range(0, len(cases), TURN):
            turn = cases[start : start + TURN]
            for case in turn:
                with workspace.input(case).open() as given, (workspace.folder / "out").open("w") as out:
                    bare += bare_run([binary], stdin=given, stdout=out)
                scored += bare_run([scorer, workspace.input(case), workspace.folder / "out"], capture_output=True)
            for driver, judge in judges.items():
                before, own = of_others(), time.process_time()
                outcomes = list(judge.run(CompiledProgram("measured", program), turn, fresh=True))
                judged[driver] += time.process_time() - own
                judged[driver] += of_others() - before
                assert all(outcome.kind == "score" for outcome in outcomes)
    bare, scored = bare / len(cases), scored / len(cases)
    print(f"bare: {1000 * bare:.1f} ms of CPU a case, the contest's scorer another {1000 * scored:.1f} ms")
    for driver, cost in judged.items():
        each = cost / len(cases)
        print(f"{driver}: {1000 * each:.1f} ms of CPU a case with scoring, {each / bare:.2f} times the bare run")
    return bare


def opened(
    stack: ExitStack, workspace: Workspace, image: str, program: bytes, cases: Sequence[str]
) -> dict[str, Judge]:
    """A judge for each kind of sandbox that works here, its sessions open."""
    judges = {}
    for driver in DRIVERS:
        try:
            judges[driver] = stack.enter_context(judge_in(driver, workspace, image))
        except SandboxUnavailable as err:
            print(f"{driver}: {err}")
            continue
        list(judges[driver].run(CompiledProgram("warm", program), cases[: 2 * CORES], fresh=True))
    return judges


def bare_run(command: list[str | Path], **options) -> float:
    before = children()
    subprocess.run(command, check=True, **options)
    return children() - before


def of_others() -> float:
    """What sessions, the engine, and all that they have run used; containers are the engine's children."""
    engine = [each for each in psutil.process_iter(["name"]) if each.info["name"] in ENGINE]
    own = {child.pid: child for each in (psutil.Process(), *engine) for child in each.children(recursive=True)}
    return sum(cpu(each) for each in {**own, **{each.pid: each for each in engine}}.values())


def cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system + times.children_user + times.children_system


def children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def one_container_a_case(workspace: Workspace, image: str, program: bytes, cases: Sequence[str], bare: float) -> None:
    """The way that was not taken."""
    docker = shutil.which("docker")
    with suppress(subprocess.CalledProcessError):
        if (
            docker is None
            or not subprocess.run([docker, "images", "-q", image], capture_output=True, check=True).stdout
        ):
            return
        place = f"{workspace.folder / 'program'}:/program:ro"
        command = [docker, "run", "--rm", "-i", "--network=none", "-v", place, image, "/program"]
        engine = engine_seconds()
        before, started = children(), time.perf_counter()
        few = cases[:FEW]
        for case in few:
            with workspace.input(case).open() as given:
                subprocess.run(command, stdin=given, capture_output=True, check=True)
        cost = (children() - before + engine_seconds() - engine) / len(few) + bare
        wall = (time.perf_counter() - started) / len(few)
        print(
            f"one docker run a case: at least {1000 * cost:.0f} ms of CPU, {cost / bare:.1f} times; {wall:.2f} s each"
        )


def engine_seconds() -> float:
    """Of the service itself: shims come and go with their containers, so that this is the least that it is."""
    daemons = [each for each in psutil.process_iter(["name"]) if each.info["name"] in ENGINE[:2]]
    return sum(cpu(each) for each in daemons)


# -- times ------------------------------------------------------------------------------------------------------------


def spread(workspace: Workspace, program: bytes, cases: Sequence[str]) -> None:
    """How far re-runs of the same program lie apart, also where there are more cases in flight than cores."""
    task = workspace.task.model_copy(update={"time_limit_seconds": 2 * SECONDS})
    (workspace.folder / "task.json").write_text(task.model_dump_json())
    tight = Workspace(workspace.folder)
    for parallel, rivals in ((CORES, 0), (4 * CORES, 0), (CORES, 4 * CORES)):
        with judge_in("process", tight, parallel=parallel) as judge, busy(rivals) if rivals else nullcontext():
            runs = [list(judge.run(CompiledProgram("spread", program), cases, fresh=True)) for _ in range(ROUNDS)]
        verdicts = sum(len({outcome.kind for outcome in case}) > 1 for case in zip(*runs, strict=True))
        apart = {
            name: [relative_spread([getattr(each, name) for each in case]) for case in zip(*runs, strict=True)]
            for name in ("cpu_seconds", "wall_seconds")
        }
        told = ", ".join(
            f"{name[:4]} {100 * fmean(each):.0f} % (at most {100 * max(each):.0f} %)" for name, each in apart.items()
        )
        print(
            f"{ROUNDS} re-runs, {parallel} cases at a time beside {rivals} busy processes, limit {2 * SECONDS:g} s: "
            f"spread of {told}; {verdicts} of {len(cases)} verdicts changed"
        )


def clocks(workspace: Workspace, cases: Sequence[str]) -> None:
    """How many steps a program that watches the clock makes on a busy machine, by either clock."""
    most = 0.0
    for rivals in (0, 4 * CORES):
        with judge_in("process", workspace) as judge, busy(rivals) if rivals else nullcontext():
            program = judge.compile(WATCHES)
            for clock in reversed(get_args(Clock)):
                outcomes = list(judge.run(program, cases, clock=clock, fresh=True))
                steps = [outcome.values["steps"] for outcome in outcomes]
                most = most or fmean(steps)
                print(
                    f"clock {clock} beside {rivals} busy processes: {100 * fmean(steps) / most:.0f} % of the steps "
                    f"(least {100 * min(steps) / most:.0f} %), {mean_cpu(iter(outcomes)):.3f} s of CPU a case"
                )


def relative_spread(values: Sequence[float]) -> float:
    return (max(values) - min(values)) / fmean(values)


@contextmanager
def busy(count: int) -> Iterator[None]:
    rivals = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for rival in rivals:
            rival.kill()
            rival.wait()


if __name__ == "__main__":
    main()
