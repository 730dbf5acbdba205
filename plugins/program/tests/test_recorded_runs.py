"""Runs of evo evolve that a strong model answered: repeated from their logs where it made all candidates, and read."""

import json
import os
from pathlib import Path

import pytest
import yaml

from evograft.runs.index import open_run

RECORDED = Path(__file__).parent / "recorded"
WORDS = RECORDED / "words"
"""The words of prompts that have changed since."""
RUNS = sorted(path.name.removesuffix(".tar.gz") for path in (RECORDED / "runs").glob("*.tar.gz"))
MADE_BY_THE_MODEL = [name for name in RUNS if "best_of_n" in name or name.endswith("evolution-1")]
REPEATED = ("distances-evolution-1",)
"""Of those, the ones without repairs and independent samples, of which prompts have changed."""
REACHED = {"triangles": 1.000818, "distances": 1.000002, "autocorrelation": 0.997}
"""What each run of a task has reached at least."""


@pytest.fixture
def lookup(monkeypatch):
    """Installs the plugin `looked_up` for the processes that this test starts."""
    path = [str(RECORDED), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path).rstrip(os.pathsep))


def write_pipeline(recorded, file):
    """Writes the pipeline of a recorded run with the task's files of this tree; problem and evaluations are looked up."""
    data = open_run(recorded).pipeline.to_data()
    program, *others = data["plugins"]
    program["with"]["task"]["folder"] = str(RECORDED / "tasks" / data["name"])
    for plugin in others:
        if plugin["name"] == "operators":
            plugin.setdefault("with", {})["prompts"] = str(WORDS)
    changed = {
        "plugins": [program, *others, {"name": "looked_up", "with": {"run": str(recorded)}}],
        "owners": {"analyze": "looked_up", "evaluate": "looked_up"},
        "llm": {**data["llm"], "driver": "replay", "run": str(recorded)},
    }
    file.write_text(yaml.safe_dump({**data, **changed}))
    return file


def test_there_are_two_runs_of_each_task_and_strategy():
    tasks, strategies = ("autocorrelation", "distances", "triangles"), ("best_of_n", "evolution", "sequential")
    assert [f"{task}-{strategy}-{seed}" for task in tasks for strategy in strategies for seed in (1, 2)] == RUNS


@pytest.mark.parametrize("name", REPEATED)
def test_a_run_is_repeated_from_its_answers_and_gets_the_same_trials(runs, unpacked, lookup, name):
    recorded = unpacked(RECORDED / "runs" / f"{name}.tar.gz")
    done = runs.evo("run", write_pipeline(recorded, runs.folder / "again.yaml"), "--run-dir", "again")
    assert done.returncode == 0, done.stderr
    assert runs.trials(runs.folder / "again") == runs.trials(recorded)


@pytest.mark.parametrize("name", RUNS)
def test_a_run_says_what_became_of_it(runs, unpacked, name):
    recorded = unpacked(RECORDED / "runs" / f"{name}.tar.gz")
    status = json.loads(runs.evo("status", recorded, "--json").stdout)
    assert (status["state"], status["trials"]) == ("complete", 26)
    assert status["best_score"] >= REACHED[name.partition("-")[0]]
    made = [trial["proposal"]["operator"] for trial in runs.trials(recorded) if trial["proposal"]]
    answered = sum(operator.startswith("operators.") for operator in made)
    assert answered >= 21
    assert (answered == len(made)) is (name in MADE_BY_THE_MODEL)
