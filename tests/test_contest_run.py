"""A contest end to end: `evo run --plugin ahc` makes a program better, without a model, the same way whoever works on it."""

import json
import os
import signal
import sqlite3
from contextlib import closing

import psutil
import pytest

from evograft_sandbox.process_owner import ProcessOwner

SMALL = [
    *("--set", "plugins.ahc.with.training_cases=6", "--set", "plugins.ahc.with.held_out_cases=4"),
    # Programs that run by the clock are worth something else each time.
    *("--set", "operators.ahc.pace=0"),
]


def evolve(runs, path, *, trials=8, sets=()):
    words = ["run", "--plugin", "ahc", "--run-dir", path, "--trials", str(trials), "--json", *SMALL]
    done = runs.evo_apart(*words, *(word for each in sets for word in ("--set", each)))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def undisturbed():
    """What other runs are compared with, made by the first test that asks."""
    return {}


def undisturbed_trials(runs, tmp_path, known):
    if not known:
        path = tmp_path / "alone"
        known["result"] = evolve(runs, path, sets=["executor.workers=1"])
        known["trials"] = runs.trials(path)
        known["files"] = {str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()}
    return known


@pytest.mark.long
def test_a_program_becomes_better_also_on_cases_that_nothing_was_chosen_by(runs, tmp_path, undisturbed):
    known = undisturbed_trials(runs, tmp_path, undisturbed)
    metrics = known["result"]["final"]["metrics"]
    assert metrics["gain"] > 0
    assert metrics["cases"] == 4
    assert {"best_solution.cpp", "session.json", "analysis.json", "logs/session.log"} <= known["files"]


@pytest.mark.long
@pytest.mark.parametrize(
    "executor",
    [
        pytest.param(["executor.workers=5"], id="threads"),
        pytest.param(["executor.driver=processes", "executor.workers=2"], id="processes", marks=pytest.mark.slow),
    ],
)
def test_the_same_seed_makes_the_same_programs_with_any_executor(runs, tmp_path, undisturbed, executor):
    known = undisturbed_trials(runs, tmp_path, undisturbed)
    evolve(runs, tmp_path / "together", sets=executor)
    assert runs.trials(tmp_path / "together") == known["trials"]


def test_a_killed_run_leaves_nothing_behind_and_ends_as_if_undisturbed(runs, tmp_path, undisturbed):
    known = undisturbed_trials(runs, tmp_path, undisturbed)
    path = tmp_path / "killed"
    process = runs.start("-m", "evograft", "run", "--plugin", "ahc", "--run-dir", path, "--trials", "8", *SMALL)
    next(line for line in process.stderr if line.startswith("trial "))
    below = psutil.Process(process.pid).children(recursive=True)
    os.kill(process.pid, signal.SIGKILL)
    runs.kill(process)
    _, alive = psutil.wait_procs(below, timeout=60)
    assert alive == []
    done = runs.evo_apart("resume", path)
    assert done.returncode == 0, done.stderr
    assert runs.trials(path) == known["trials"]


def kept_cases(workspace):
    """What the cache of cases holds: outcomes by their keys, and the places of outputs in the order in which they came.

    A case that is run again leaves another time in its outcome, and moves its output to the end.
    """
    file = workspace / ".cache" / "judging.sqlite"
    if not file.exists():
        return {}
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as cache:
        if cache.execute("SELECT count(*) FROM sqlite_master WHERE name IN ('outputs', 'outcomes')").fetchone() != (2,):
            return {}
        cache.execute("BEGIN")  # both are read as they are at one moment
        places = dict(cache.execute("SELECT key, number FROM outputs").fetchall())
        outcomes = cache.execute("SELECT key, outcome FROM outcomes").fetchall()
        return {key: (outcome, places[key]) for key, outcome in outcomes}


def is_between(kept, of):
    return len(kept) > of and len(kept) % of != 0


def kill_between_cases(process, workspace, *, of):
    """Kills a run while a candidate has some of its cases behind it and others before it; returns what was kept then."""
    while process.poll() is None:
        # It is stopped only when it looks right: who is stopped at each look does not get on.
        if not is_between(kept_cases(workspace), of):
            continue
        os.kill(process.pid, signal.SIGSTOP)
        kept = kept_cases(workspace)
        if is_between(kept, of):
            os.kill(process.pid, signal.SIGKILL)
            return kept
        os.kill(process.pid, signal.SIGCONT)
    raise AssertionError(f"it ended by itself: {process.stderr.read()}")


def containers_of(pid):
    """The containers that belong to a process, also if it is dead."""
    docker = pytest.importorskip("docker", reason="install docker of Python")
    with closing(docker.from_env()) as engine:
        found = engine.containers.list(all=True, filters={"label": "evograft.owner"}, ignore_removed=True)
        return [each for each in found if ProcessOwner.from_label(each.labels["evograft.owner"]).pid == pid]


@pytest.mark.parametrize(
    "sandbox",
    [
        pytest.param(["sandbox.driver=process"], id="process", marks=pytest.mark.slow),
        pytest.param(
            ["sandbox.driver=auto", "plugins.ahc.with.judge.image=evograft-test:bookworm"],
            id="docker",
            marks=pytest.mark.docker,
        ),
    ],
)
def test_a_run_killed_between_two_cases_runs_none_of_the_finished_ones_again(runs, tmp_path, sandbox):
    assert runs.evo_apart("ahc", "init", "practice001").returncode == 0
    workspace, path = tmp_path / "workspace" / "practice001", tmp_path / "killed"
    # One case at a time, so that the number of finished ones says how far a candidate has got.
    alone = ["executor.workers=1", "plugins.ahc.with.judge.parallel=1", "plugins.ahc.with.racing=null"]
    sets = [f"plugins.ahc.with.workspace={workspace}", *alone, *sandbox]
    words = ["--run-dir", path, "--trials", "4", *SMALL, *(word for each in sets for word in ("--set", each))]
    process = runs.start("-m", "evograft", "run", "--plugin", "ahc", *words)
    # Progress is told now and then: on a quick machine the run is over before the first trial is.
    while not kept_cases(workspace):
        assert process.poll() is None, process.stderr.read()
    if "sandbox.driver=auto" in sandbox:
        assert containers_of(process.pid) != []
    before = kill_between_cases(process, workspace, of=6)
    runs.kill(process)
    done = runs.evo_apart("resume", path)
    assert done.returncode == 0, done.stderr
    after = kept_cases(workspace)
    assert {key: after[key] for key in before} == before
    # Four candidates on six cases, the best and the start program on four others.
    assert len(after) == 4 * 6 + 2 * 4
    # Beside those before the kill and after it there was only the case that was cut short.
    assert max(place for _, place in after.values()) <= len(after) + 1
    if "sandbox.driver=auto" in sandbox:
        assert containers_of(process.pid) == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (["plugins.ahc.with.contest=ahc030"], "evo ahc init ahc030"),
        (["plugins.ahc.with.workspace=/nowhere"], "cannot read '/nowhere/task.json'"),
        (["plugins.ahc.with.start=[missing.cpp]"], "missing.cpp"),
        (["plugins.ahc.with.judge.profile=gcc15"], "202510"),
        (["plugins.ahc.with.training_cases=0"], "training_cases"),
    ],
)
def test_what_cannot_begin_says_what_to_do_in_one_line(runs, sets, said):
    done = runs.evo_apart("run", "--plugin", "ahc", *(word for each in sets for word in ("--set", each)))
    assert done.returncode == 2, done.stderr
    *_, last = done.stderr.splitlines()
    assert said in last
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (["sandbox.driver=docker"], "no Docker engine answers"),
        (["plugins.ahc.with.judge.image=mine:1"], "judge.image names 'mine:1'"),
    ],
)
def test_where_programs_cannot_be_judged_it_is_said_and_no_run_is_kept(runs, monkeypatch, sets, said):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere.sock")
    done = runs.evo_apart("run", "--plugin", "ahc", *(word for each in sets for word in ("--set", each)))
    assert done.returncode == 4, done.stderr
    *_, last = done.stderr.splitlines()
    assert said in last
    assert not list(runs.folder.glob("runs/*"))


def test_without_a_start_program_and_a_model_there_is_nothing_to_begin_with(runs, tmp_path):
    assert runs.evo_apart("ahc", "init", "practice001").returncode == 0
    workspace = tmp_path / "workspace" / "practice001"
    (workspace / "start.cpp").unlink()
    done = runs.evo_apart("run", "--plugin", "ahc", "--set", f"plugins.ahc.with.workspace={workspace}")
    assert done.returncode == 2
    assert "no model to write one: put any program there" in done.stderr
