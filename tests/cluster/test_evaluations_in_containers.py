"""Evaluations in containers of a real Docker engine, on workers that have found it by themselves."""

import pytest

from evograft_sandbox.docker_engine import is_engine_running

pytestmark = pytest.mark.docker
TRIALS = 8
IMAGE = "evograft-test:bookworm"
PROGRAM = "# EVOLVE-BLOCK-START\nX = 3.5\n# EVOLVE-BLOCK-END\n"
EVALUATOR = """
import os
def evaluate(program_path):
    names = {}
    exec(open(program_path).read(), names)
    return {"combined_score": -abs(names["X"] - 1), "is_contained": float(os.path.exists("/.dockerenv"))}
"""


@pytest.fixture
def evolve(bed):
    """`evolve(folder, *settings)`: a run whose evaluations are in containers."""
    if not is_engine_running():
        pytest.skip("no Docker engine answers")
    program, evaluator = bed.folder / "program.py", bed.folder / "evaluate.py"
    program.write_text(PROGRAM)
    evaluator.write_text(EVALUATOR)
    contained = ("--set", f"sandbox={{driver: docker, image: {IMAGE}}}")

    def evolve(folder, *settings):
        return bed.evo("evolve", program, evaluator, "-n", str(TRIALS), "--run-dir", folder, *contained, *settings)

    return evolve


def test_a_worker_with_an_engine_evaluates_in_containers_what_one_machine_would(bed, evolve, runs):
    bed.dask.start_scheduler()
    bed.start_workers("one")
    bed.start_workers("bare", DOCKER_HOST="unix:///nowhere")
    bed.dask.wait_for_workers(2)
    there = evolve(bed.path, "--set", "executor.driver=dask", "--set", f"executor.address={bed.dask.address}")
    assert there.wait() == 0, bed.output.read_text()
    assert {trial["evaluation"]["metrics"]["is_contained"] for trial in bed.trials()} == {1.0}
    here = bed.folder / "here"
    assert evolve(here).wait() == 0, bed.output.read_text()
    assert runs.trials(here) == bed.trials()
