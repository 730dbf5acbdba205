"""Evaluators with a Dockerfile and `evaluate.sh`: in their image, and with this machine's programs."""

from __future__ import annotations

import json
import subprocess

import pytest

from evograft_program.requests.container import REPOSITORY, name_image
from evograft_sandbox.docker_engine import is_engine_running

DOCKERFILE = """FROM evograft-test:bookworm
WORKDIR /benchmark
ENV TARGET=1
COPY . .
RUN chmod +x evaluate.sh
ENTRYPOINT ["./evaluate.sh"]
"""
SCRIPT = """#!/usr/bin/env bash
set -euo pipefail
echo "$2" >> /tmp/eval.log
python3 /benchmark/evaluator.py "$1" "$2"
"""
EVALUATOR = """
import os, sys
names = {}
exec(open(sys.argv[1]).read(), {"__file__": sys.argv[1]}, names)
score = -abs(names["X"] - int(os.environ.get("TARGET", 3)))
print("remarks", file=sys.stderr)
print(
    '{"status": "success", "combined_score": %r, "metrics": {"x": %r}, "artifacts": {"in_image": "%s", "mode": "%s"}}'
    % (score if sys.argv[2] == "train" else score - 1000, names["X"], os.path.exists("/benchmark"), sys.argv[2])
)
"""
PROGRAM = "# EVOLVE-BLOCK-START\nX = 3.5\n# EVOLVE-BLOCK-END\n"


@pytest.fixture
def container(tmp_path):
    """A task whose evaluator is a folder of its own."""
    task = tmp_path / "close"
    (task / "evaluator").mkdir(parents=True)
    (task / "initial_program.py").write_text(PROGRAM)
    for name, text in (("Dockerfile", DOCKERFILE), ("evaluate.sh", SCRIPT), ("evaluator.py", EVALUATOR)):
        (task / "evaluator" / name).write_text(text)
    return task


@pytest.fixture
def engine():
    if not is_engine_running():
        pytest.skip("no Docker engine answers")


@pytest.fixture
def image(engine, container):
    """Names the image of the task as it is when the test ends, and removes it."""
    yield lambda: name_image(container / "evaluator")
    subprocess.run(["docker", "rmi", name_image(container / "evaluator")], capture_output=True, check=False)


def evolve(runs, container, *options):
    return runs.evo("evolve", container / "initial_program.py", container / "evaluator", *options)


def evaluation_of(runs, trial=0):
    return json.loads(runs.evo("show", "--trial", str(trial), "--json").stdout)["evaluation"]


@pytest.mark.docker
def test_a_program_is_evolved_in_the_image_of_its_evaluator(runs, container, halving, image, shown):
    done = evolve(runs, container, "-n", "8", "--memory-mb", "512", *halving, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["run"] == "close-1"
    assert result["best"]["evaluation"]["score"] > -2.5
    assert result["final"]["score"] < -999, "the evaluation at the end is told that it is one"
    pipeline = shown(runs.folder / "runs" / "close-1")
    assert pipeline["sandbox"] == {"driver": "docker", "memory_mb": 512}
    assert pipeline["plugins"][0]["with"]["evaluator"]["image"] == image()
    start = evaluation_of(runs)
    assert start["score"] == -2.5
    assert start["metrics"]["x"] == 3.5
    assert {"in_image: True", "mode: train", "remarks"} <= set(start["feedback"].splitlines())


@pytest.mark.docker
def test_an_image_that_was_removed_is_built_again_on_resume(runs, container, halving, image):
    evolve(runs, container, "-n", "2", *halving)
    subprocess.run(["docker", "rmi", image()], capture_output=True, check=True)
    resumed = runs.evo("resume", "latest", "--set", "budget.trials=4", "--json")
    assert json.loads(resumed.stdout)["trials"] == 4


def test_another_evaluator_has_another_image(container):
    before = name_image(container / "evaluator")
    (container / "evaluator" / "evaluate.sh").chmod(0o755)
    executable = name_image(container / "evaluator")
    (container / "evaluator" / "evaluator.py").write_text(f"{EVALUATOR}\n")
    names = {before, executable, name_image(container / "evaluator")}
    assert len(names) == 3
    assert all(name.startswith(f"{REPOSITORY}:") for name in names)


@pytest.mark.docker
@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("evograft-test:bookworm", "evograft.invalid/none", "does not have the image of 'FROM evograft.invalid/none'"),
        ("RUN chmod", "RUN echo error: no space; false && chmod", "failed: error: no space"),
        ("COPY . .", "COPYY . .", "unknown instruction: COPYY"),
    ],
)
def test_an_image_that_cannot_be_built_refuses_the_run_in_one_line(runs, container, halving, engine, old, new, cause):
    path = container / "evaluator" / "Dockerfile"
    path.write_text(path.read_text().replace(old, new))
    done = evolve(runs, container, "-n", "2", *halving)
    assert done.returncode == 4
    assert cause in done.stderr.splitlines()[-1]
    assert "--set sandbox.driver=process" in done.stderr.splitlines()[-1]
    assert not list((runs.folder / "runs").glob("*"))


@pytest.mark.docker
def test_files_of_a_folder_are_put_into_a_copy_of_it(runs, container, halving, image):
    source = container / "source"
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "x.py").write_text("X = 3.5\n")
    (source / "main.py").write_text("exec(open(__file__.replace('main', 'deep/x')).read())\n")
    script = container / "evaluator" / "evaluate.sh"
    script.write_text(SCRIPT.replace('"$1"', '"$1/main.py"'))
    done = runs.evo("evolve", source, container / "evaluator", "--change", "deep/*.py", "-n", "6", *halving)
    assert done.returncode == 0, done.stderr
    assert evaluation_of(runs, 0)["score"] == -2.5


@pytest.mark.docker
def test_a_candidate_has_no_network_and_no_rights_and_little_time(runs, container, halving, image):
    (container / "initial_program.py").write_text(
        "import os\nnetworks = open('/proc/net/dev').read().split()\n"
        "X = 1.0 if os.getuid() and 'lo:' in networks and 'eth0:' not in networks else 8.0\n"
    )
    done = evolve(runs, container, "-n", "1", *halving)
    assert done.returncode == 0, done.stderr
    assert evaluation_of(runs)["score"] == 0.0
    (container / "initial_program.py").write_text("while True: pass\n")
    late = evolve(runs, container, "-n", "1", "--timeout", "1", *halving)
    assert late.returncode == 3
    assert "time-out" in late.stderr


def test_without_an_engine_it_runs_with_this_machines_programs_and_says_so(runs, container, halving, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{runs.folder}/none.sock")
    done = evolve(runs, container, "-n", "8", *halving, "--json")
    assert done.returncode == 0, done.stderr
    assert "note: no Docker engine answers, so evaluate.sh runs with this machine's programs" in done.stderr
    assert json.loads(done.stdout)["final"]["score"] < -999
    start = evaluation_of(runs)
    assert start["score"] == -0.5
    assert {"in_image: False", "mode: train"} <= set(start["feedback"].splitlines())


def test_what_the_user_says_about_the_sandbox_decides(runs, container, halving, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{runs.folder}/none.sock")
    meant = evolve(runs, container, "-n", "1", "--set", "sandbox.driver=process", *halving)
    assert meant.returncode == 0, meant.stderr
    assert "no Docker engine" not in meant.stderr
    refused = evolve(runs, container, "-n", "1", "--set", "sandbox.driver=docker", *halving)
    assert refused.returncode == 4
    assert "no Docker engine answers" in refused.stderr.splitlines()[-1]


def test_a_script_that_fails_is_told_with_its_last_words(runs, container, halving):
    (container / "evaluator" / "evaluate.sh").write_text("#!/bin/sh\necho no such dataset >&2\nexit 3\n")
    done = evolve(runs, container, "-n", "1", "--set", "sandbox.driver=process", *halving)
    assert done.returncode == 3
    assert "exit code 3: no such dataset" in done.stderr.splitlines()[-1]


@pytest.mark.docker
def test_another_evaluator_for_the_end_is_refused(runs, container, halving, engine):
    done = evolve(runs, container, "--final", container / "evaluator", *halving)
    assert done.returncode == 2
    assert "--final: evaluate.sh is told 'test' at the end" in done.stderr
