"""Evaluators of each style in real sandboxes, where this machine has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evograft_hookspecs import Candidate, Evaluation, FrozenDict, SandboxUnavailable
from evograft_program.evaluation.evaluator import ProgramEvaluator
from evograft_program.options import (
    CandidateOptions,
    EvaluationLimits,
    EvaluatorOptions,
    EvaluatorStyle,
    ProgramOptions,
    TaskOptions,
)
from evograft_sandbox.commands.bwrap import BwrapOptions, BwrapSandbox
from evograft_sandbox.commands.docker import DockerOptions, DockerSandbox
from evograft_sandbox.commands.process import ProcessOptions, ProcessSandbox

START = "def solve():\n    return 1.0\n"
LIMITS = EvaluationLimits(seconds=60, memory_mb=400, processes=24)
DRIVERS = {
    "process": lambda: ProcessSandbox(ProcessOptions(scratch_mb=64)),
    "bwrap": lambda: BwrapSandbox(BwrapOptions(scratch_mb=64)),
    "docker": lambda: DockerSandbox(DockerOptions(scratch_mb=64, image="evograft-test:bookworm")),
}
EVALUATORS = {
    EvaluatorStyle.OPENEVOLVE: """
import importlib.util

def evaluate(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return {"combined_score": program.solve()}
""",
    EvaluatorStyle.SHINKA: """
import argparse
from shinka.core import run_shinka_eval

parser = argparse.ArgumentParser()
parser.add_argument("--program_path")
parser.add_argument("--results_dir")
given = parser.parse_args()
run_shinka_eval(
    given.program_path, given.results_dir, "solve", 1, get_experiment_kwargs=lambda index: {},
    aggregate_metrics_fn=lambda results: {"combined_score": results[0]},
)
""",
    EvaluatorStyle.GEPA: """
def evaluate(candidate):
    names = {"__name__": "program"}
    exec(candidate, names)
    return names["solve"]()
""",
    EvaluatorStyle.FUNCTION: """
def evaluate(solve):
    return solve()
""",
    EvaluatorStyle.COMMAND: """
import json, subprocess, sys

MAIN = "import runpy, sys; print(runpy.run_path(sys.argv[1])['solve']())"
done = subprocess.run([sys.executable, "-c", MAIN, sys.argv[1]], stdout=subprocess.PIPE)
if done.returncode:
    sys.exit(3)
print(json.dumps({"combined_score": float(done.stdout)}))
""",
}
Evaluate = Callable[[str], Evaluation]


@pytest.fixture(scope="module", params=("process", "bwrap", pytest.param("docker", marks=pytest.mark.docker)))
def driver(request) -> Iterator:
    with closing(DRIVERS[request.param]()) as driver:
        try:
            driver.layers()
        except SandboxUnavailable as err:
            pytest.skip(str(err))
        yield driver


@pytest.fixture(scope="module")
def tasks(tmp_path_factory) -> Path:
    """The folder of a run, with a task of each style in it, and things that are nobody's business."""
    run = tmp_path_factory.mktemp("run")
    (run / "secret.txt").write_text("the key is hunter2")
    for style, source in EVALUATORS.items():
        write_task(run / style.value, source)
    return run


def write_task(folder: Path, evaluator: str, start: str = START) -> None:
    folder.mkdir()
    (folder / "evaluate.py").write_text(evaluator)
    (folder / "program.py").write_text(start)


def describe_task(folder: Path, style: EvaluatorStyle, limits: EvaluationLimits = LIMITS) -> ProgramOptions:
    """Return the options that `evo evolve` writes for such a task."""
    is_command = style is EvaluatorStyle.COMMAND
    return ProgramOptions(
        task=TaskOptions(folder=str(folder)),
        candidate=CandidateOptions(program="program.py"),
        evaluator=EvaluatorOptions(
            path="python3 evaluate.py" if is_command else "evaluate.py",
            style=style,
            function="solve" if style is EvaluatorStyle.FUNCTION else "",
        ),
        limits=limits,
    )


def to_candidate(source: str) -> Candidate:
    return Candidate(kind="program", files=FrozenDict({"main": source}), operator="operators.rewrite", trial=1)


@pytest.fixture(scope="module", params=EVALUATORS, ids=lambda style: style.value)
def style(request) -> EvaluatorStyle:
    return request.param


@pytest.fixture(scope="module")
def evaluate(driver, tasks, style) -> Iterator[Evaluate]:
    """Evaluates sources in one session: each finds it as the one before has left it."""
    yield from open_evaluator(driver, describe_task(tasks / style.value, style))


@pytest.fixture(scope="module")
def evaluate_in_2_seconds(driver, tasks, style) -> Iterator[Evaluate]:
    limits = LIMITS.model_copy(update={"seconds": 2.0})
    yield from open_evaluator(driver, describe_task(tasks / style.value, style, limits))


@pytest.fixture(scope="module")
def evaluate_for_1_cpu_second(driver, tasks, style) -> Iterator[Evaluate]:
    limits = LIMITS.model_copy(update={"cpu_seconds": 1.0})
    yield from open_evaluator(driver, describe_task(tasks / style.value, style, limits))


def open_evaluator(driver, options: ProgramOptions) -> Iterator[Evaluate]:
    with closing(ProgramEvaluator(options, driver)) as evaluator:
        yield lambda source: evaluator.evaluate(to_candidate(source), seed=0, kept_bytes=1000)
