"""`evo worker` says what a machine has, and what it lacks."""

import json
import os


def test_a_machine_that_fits_a_pipeline(runs):
    done = runs.evo("worker", "--check", runs.write(trials=2))
    assert (done.returncode, done.stdout) == (0, "this machine can evaluate for it\n")


def test_what_a_run_was_begun_with_is_compared(runs):
    path = runs.run("run", trials=2)
    lock = path / "pipeline.lock.yaml"
    lock.write_text(lock.read_text().replace("lab: '1.0'", "lab: '0.9'"))
    done = runs.evo("worker", "--check", path, "--json")
    assert (done.returncode, json.loads(done.stdout)) == (
        4,
        {"lacking": ["lab 1.0, the run has 0.9: pip install lab==0.9"]},
    )


def test_a_plugin_that_cannot_be_built_here_is_named(runs):
    done = runs.evo("worker", "--check", runs.write(trials=2, with_={"no_such": 1}))
    assert done.returncode == 4
    assert "plugins.0 (lab).with" in done.stdout


def test_a_machine_without_an_engine_lacks_it_for_a_sandbox_in_containers(runs, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere")
    done = runs.evo("worker", "--check", runs.write(trials=2, sandbox={"driver": "docker", "image": "any"}))
    assert done.returncode == 4
    assert done.stdout.startswith("lacks: no Docker engine answers, an evaluation needs one: start it")
    assert "docker" not in runs.evo("worker", "--resources").stdout


def test_resources_are_what_dask_is_told(runs):
    words = dict(part.split("=") for part in runs.evo("worker", "--resources").stdout.split())
    assert int(words["cores"]) == len(os.sched_getaffinity(0))
    assert json.loads(runs.evo("worker", "--resources", "--json").stdout)["cores"] == int(words["cores"])


def test_bad_input_is_one_line(runs):
    assert "say what to look at" in runs.evo("worker").error
    assert "evo worker --check RUN" in runs.evo("worker", "--check").error
    assert runs.evo("worker", "--check", "no-such-run").returncode == 2
