"""`kill -9` loses no finished evaluation, leaves no process, and changes nothing about the run."""

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest
from python_process import PythonProcess
from waiting import wait_until

from evograft.runs.storage import writer_of

ENDLESS = 1_000_000
TRIALS_PER_KILL = 25
WORKERS = 2


def start(runs, *arguments):
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return PythonProcess("-m", "evograft", *arguments, cwd=runs.folder, start_new_session=True, **quiet)


def kill_at_a_random_moment(process, rng, path):
    """Kills the process with its whole group, whatever it is at: mostly while it works on the run, now and then before."""
    working = rng.random() > 0.2
    while working and writer_of(path) is None and process.poll() is None:
        time.sleep(0.002)
    try:
        process.wait(timeout=rng.uniform(0.0, 1.0))
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):  # it has ended since
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.parametrize("fewest", [5, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_at_random_moments_and_resumed_it_equals_an_undisturbed_run(runs, tmp_path, fewest):
    notes = tmp_path / "notes"
    notes.mkdir()
    executor = {"driver": "threads", "workers": WORKERS}
    pipeline = runs.write(trials=ENDLESS, executor=executor, with_={"durations": "adversarial", "notes": str(notes)})
    killed = tmp_path / "killed"
    rng = random.Random(20)
    kills = 0
    # On a busy machine a kill comes before much has happened: then there are more of them.
    while kills < fewest or len(runs.trials(killed)) < fewest * TRIALS_PER_KILL:
        kills += 1
        begun = (killed / "pipeline.lock.yaml").exists()
        kill_at_a_random_moment(
            start(runs, *(("resume", killed) if begun else ("run", pipeline, "--run-dir", killed))), rng, killed
        )
    total = len(runs.trials(killed)) + 30
    done = runs.evo("resume", killed, "--set", f"budget.trials={total}")
    assert done.returncode == 0, done.stderr
    assert "resumed at trial" in done.stderr
    assert runs.trials(killed) == runs.trials(runs.run("undisturbed", trials=total, executor=executor))
    evaluations = Counter(int(note.name.split("-")[0]) for note in notes.iterdir())
    repeated = sum(count - 1 for count in evaluations.values())
    # At most what was in flight, and once more the best at the end.
    assert repeated <= kills * WORKERS + 1


@pytest.mark.parametrize("file", ["log.sqlite.new", "log.sqlite", "pipeline.lock.yaml.new", "pipeline.lock.yaml"])
def test_a_start_that_is_killed_between_two_files_can_be_begun_or_gone_on_with(runs, tmp_path, file):
    path, pipeline = tmp_path / "run", runs.write(trials=20)
    process = start(runs, "run", pipeline, "--run-dir", path)
    while not (path / file).exists() and process.poll() is None:
        pass
    with contextlib.suppress(ProcessLookupError):  # it was quicker than the eye
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    command = ["resume", path] if (path / "pipeline.lock.yaml").exists() else ["run", pipeline, "--run-dir", path]
    done = runs.evo(*command)
    assert done.returncode == 0, done.stderr
    assert runs.trials(path) == runs.trials(runs.run("whole", trials=20))


def test_killed_in_the_middle_of_a_stop_it_ends_where_it_would_have_ended(runs, tmp_path):
    budget = {"trials": 400, "target_score": -2.0}
    whole = runs.run("whole", budget=budget)
    log = sqlite3.connect(whole / "log.sqlite").execute("SELECT kind, seq FROM rows ORDER BY seq").fetchall()
    stop = next(seq for kind, seq in log if kind == "control")
    for last in range(stop - 3, len(log)):
        cut = tmp_path / f"cut-{last}"
        shutil.copytree(whole, cut)
        forget_rows(cut, after=last)
        runs.resume(cut)
        assert runs.trials(cut) == runs.trials(whole), f"cut behind row {last}"


def forget_rows(path, *, after):
    """Makes a log what it was when its process was killed right after a row."""
    db = sqlite3.connect(path / "log.sqlite")
    db.execute("DELETE FROM rows WHERE seq > ?", (after,))
    db.commit()
    db.close()
    (path / "log.head").unlink()


@pytest.mark.parametrize("driver", ["threads", "processes"])
def test_a_kernel_that_is_killed_alone_leaves_no_process(runs, driver, tmp_path):
    pipeline = runs.write(trials=100_000, executor={"driver": driver, "workers": 2}, with_={"durations": "adversarial"})
    process = start(runs, "run", pipeline, "--run-dir", tmp_path / "run")
    wait_until(
        lambda: (tmp_path / "run" / "log.sqlite").exists() and len(descendants(process)) >= (driver == "processes")
    )
    below = descendants(process)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    _, alive = psutil.wait_procs(below, timeout=120)
    assert alive == []


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_run_and_leaves_it_resumable(runs, number, tmp_path):
    settings = {"trials": 1500, "with_": {"durations": "adversarial"}}
    undisturbed = runs.run("undisturbed", trials=1500)
    path = tmp_path / "stopped"
    process = start(runs, "run", runs.write(**settings), "--run-dir", path)
    wait_until(lambda: (path / "log.head").exists() and (path / "log.head").stat().st_size > 0)
    os.kill(process.pid, number)
    assert process.wait(timeout=60) == 130
    assert len(runs.trials(path)) < 1500
    assert runs.evo("resume", path).returncode == 0
    assert runs.trials(path) == runs.trials(undisturbed)


def descendants(process):
    try:
        return psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def test_the_folder_of_a_run_holds_fewer_than_ten_files_even_while_it_is_killed(runs, tmp_path):
    path = tmp_path / "run"
    process = start(runs, "run", runs.write(trials=100_000, with_={"padding": 5000}), "--run-dir", path)
    wait_until((path / "artifacts.sqlite").exists)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert len(list(Path(path).iterdir())) < 10
