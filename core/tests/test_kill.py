"""`kill -9` loses no finished evaluation, leaves no process, and changes nothing about the run."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

TRIALS = 4000
KILLS = 20
WORKERS = 2


def start(runs, *arguments):
    command = [sys.executable, "-m", "evograft", *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=runs.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )


def kill_at_a_random_moment(process, rng):
    """Kills the process with its whole group, unless it ends before that moment."""
    try:
        process.wait(timeout=rng.uniform(0.2, 1.6))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


def test_killed_at_20_random_moments_and_resumed_it_equals_an_undisturbed_run(runs, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    settings = {"trials": TRIALS, "executor": {"driver": "threads", "workers": WORKERS}}
    undisturbed = runs.run("undisturbed", **settings)
    pipeline = runs.write(**settings, with_={"durations": "adversarial", "notes": str(notes)})
    killed = tmp_path / "killed"
    rng = random.Random(20)
    kills = kill_at_a_random_moment(start(runs, "run", pipeline, "--run-dir", killed), rng)
    while not (killed / "log.sqlite").exists():  # killed before there was a run
        subprocess.run(["rm", "-rf", killed], check=True)
        kills += kill_at_a_random_moment(start(runs, "run", pipeline, "--run-dir", killed), rng)
    while kills < KILLS:
        assert kill_at_a_random_moment(start(runs, "resume", killed), rng), "it ended before it was killed 20 times"
        kills += 1
    done = runs.evo("resume", killed)
    assert done.returncode == 0, done.stderr
    assert "going on from trial" in done.stderr
    assert runs.trials(killed) == runs.trials(undisturbed)
    evaluations = Counter(int(note.name.split("-")[0]) for note in notes.iterdir())
    repeated = sum(count - 1 for count in evaluations.values())
    assert repeated <= KILLS * WORKERS, "more than what was in flight was evaluated again"


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
    _, alive = psutil.wait_procs(below, timeout=20)
    assert alive == []


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


def wait_until(condition, *, seconds=60.0):
    """Polls for something that another process does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came about"
        time.sleep(0.02)


def test_the_folder_of_a_run_holds_fewer_than_ten_files_even_while_it_is_killed(runs, tmp_path):
    path = tmp_path / "run"
    process = start(runs, "run", runs.write(trials=100_000, with_={"padding": 5000}), "--run-dir", path)
    wait_until((path / "artifacts.sqlite").exists)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert len(list(Path(path).iterdir())) < 10
