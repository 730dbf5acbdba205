"""A batch that was stopped or killed goes on as a whole, and ends as one that was not."""

import fcntl
import json
import os
import shutil
import signal
from pathlib import Path

import psutil
import pytest
from waiting import wait_until

from evograft.errors import UserError
from evograft_batch.folder import find_batch_folder, make_batch_folder, require_same
from evograft_batch.plan.batch_file import parse_batch

SETTINGS = {"trials": 250, "with_": {"durations": "adversarial"}}
WINDOWS = (2, 5, 7)


def begun(batches, **content):
    """A batch that is at work on two of three runs, and the lines that it prints."""
    file = batches.write(matrix={"window": list(WINDOWS)}, parallel=2, **{**SETTINGS, **content})
    process = batches.start(file, "--run-dir", batches.folder)
    lines = iter(process.stderr.readline, "")
    for name in ("window-2", "window-5"):
        assert next(line for line in lines if line == f"started      {name}\n")
    return process, lines


def wait_for_trials(batches, name):
    head = batches.folder / "runs" / name / "log.head"
    wait_until(lambda: head.exists() and head.stat().st_size)


def is_stopping(batches, child):
    """Whether a run of the batch has heard of the stop, or has ended already."""
    try:
        arguments = child.cmdline()
    except psutil.NoSuchProcess:
        return True
    if not arguments:  # it is on its way out
        return True
    name = Path(arguments[arguments.index("--run-dir") + 1]).name
    return "once more to end at once" in (batches.folder / "output" / f"{name}.txt").read_text()


def assert_as_if_undisturbed(batches):
    assert [row["state"] for row in batches.rows()] == ["complete"] * len(WINDOWS)
    for window in WINDOWS:
        assert batches.trials(f"window-{window}") == batches.undisturbed(window=window, trials=SETTINGS["trials"])


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_all_runs_and_the_batch_goes_on_later(batches, number):
    gate = batches.folder.with_name("gate")
    # Any one of them may be a duplicate, which is not evaluated.
    held = {"held_at": list(range(200, 250)), "held_until": str(gate)}
    process, lines = begun(batches, with_=held)
    # The other one may still be starting: it stops all the same.
    wait_for_trials(batches, "window-2")
    below = psutil.Process(process.pid).children()
    os.kill(process.pid, number)
    wait_until(lambda: all(is_stopping(batches, child) for child in below))
    gate.touch()
    rest = list(lines)
    assert process.wait(timeout=60) == 130
    assert "stopping all runs; once more to end them at once\n" in rest
    assert rest[-1] == f"0 of 3 runs are complete; go on with: evo batch --resume {batches.folder}\n"
    assert not any(child.is_running() for child in below)
    assert [row["state"] for row in batches.rows()] == ["interrupted", "interrupted", "waiting"]
    assert len(batches.trials("window-2")) < SETTINGS["trials"]
    done = batches.go_on()
    assert done.returncode == 0, done.stderr
    assert "resumed at trial" in (batches.folder / "output" / "window-2.txt").read_text()
    assert_as_if_undisturbed(batches)


def test_a_second_signal_ends_all_runs_at_once(batches):
    process, lines = begun(batches, with_={"hang_at": [20]})
    for name in ("window-2", "window-5"):
        wait_for_trials(batches, name)
        # Those before the one that hangs have all ended.
        wait_until(lambda name=name: len(batches.trials(name)) >= 20)
    os.kill(process.pid, signal.SIGINT)
    assert next(line for line in lines if line.startswith("stopping all runs"))
    for name in ("window-2", "window-5"):
        output = batches.folder / "output" / f"{name}.txt"
        wait_until(lambda output=output: "once more to end at once" in output.read_text())
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(timeout=60) == 130
    # A run that is given its time says how it ended.
    assert "interrupted: " not in (batches.folder / "output" / "window-2.txt").read_text()
    assert [row["state"] for row in batches.rows()] == ["interrupted", "interrupted", "waiting"]


@pytest.mark.long
def test_a_batch_that_is_killed_leaves_no_process_and_goes_on_later(batches):
    process, _ = begun(batches)
    wait_for_trials(batches, "window-2")
    below = psutil.Process(process.pid).children(recursive=True)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    _, alive = psutil.wait_procs(below, timeout=60)
    assert alive == []
    assert not (batches.folder / "results.csv").exists()
    assert batches.go_on().returncode == 0
    assert_as_if_undisturbed(batches)


@pytest.mark.slow
def test_a_batch_that_is_killed_may_go_on_while_its_runs_are_still_stopping(batches):
    process, _ = begun(batches)
    wait_for_trials(batches, "window-2")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    done = batches.go_on()
    assert done.returncode == 0, done.stderr
    assert_as_if_undisturbed(batches)


@pytest.mark.long
def test_killed_while_it_starts_it_goes_on_from_what_there_is(batches):
    process = batches.start(batches.write(matrix={"window": list(WINDOWS)}, **SETTINGS), "--run-dir", batches.folder)
    wait_until((batches.folder / "batch.lock.yaml").exists)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert batches.go_on("--parallel", "3").returncode == 0
    assert_as_if_undisturbed(batches)


def test_complete_runs_are_kept_failed_ones_tried_again_and_missing_ones_begun(batches, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    dying = {"plugins.lab.with.die_once_at": [9], "plugins.lab.with.notes": str(notes)}
    first = batches.begin(include=[{"window": 1}, dying, {"window": 2}], trials=20)
    assert first.returncode == 4, first.stderr
    kept, failed, missing = batches.rows()
    assert [row["exit_code"] for row in (kept, failed, missing)] == ["0", "137", "0"]
    shutil.rmtree(batches.folder / "runs" / missing["run"])
    done = batches.go_on()
    assert done.returncode == 0, done.stderr
    started = [line.split()[1] for line in done.stderr.splitlines() if line.startswith("started ")]
    assert started == [failed["run"], missing["run"]]
    for row in batches.rows():
        assert (row["state"], row["error"]) == ("complete", "")
        assert batches.trials(row["run"]) == batches.undisturbed(trials=20, window=int(row["window"] or 8))


def test_a_batch_that_is_complete_is_printed_again(batches):
    first = batches.begin(trials=5)
    again = batches.go_on()
    assert again.returncode == 0
    assert again.stdout == first.stdout
    assert "started" not in again.stderr


def test_results_that_are_lost_are_read_from_the_runs_again(batches):
    assert batches.begin(trials=5, seeds=2).returncode == 0
    before = batches.rows()
    for name in ("results.csv", "results.json"):
        (batches.folder / name).write_text("no results")
    assert batches.go_on().returncode == 0
    assert batches.rows() == before


def test_a_file_that_changed_is_refused(batches):
    assert batches.begin(trials=5, matrix={"window": [2]}).returncode == 0
    before = (batches.folder / "results.csv").read_bytes()
    changed = batches.write(trials=5, matrix={"window": [2, 3]})
    done = batches.runs.evo("batch", changed, "--resume", batches.folder)
    assert done.returncode == 2
    assert f"batch.json: matrix changed since {batches.folder} was begun" in done.stderr
    assert (batches.folder / "results.csv").read_bytes() == before


CHANGES = {
    "pipeline": {"pipeline": {"plugins": ["lab"], "window": 4}},
    "set": {"set": {"budget.trials": 6}},
    "problems": {"problems": []},
    "seeds and exclude": {"seeds": 4, "exclude": [{"seed": 1}]},
}


@pytest.mark.parametrize(("named", "change"), CHANGES.items(), ids=CHANGES)
def test_what_changed_is_named(tmp_path, named, change):
    content = {"pipeline": {"plugins": ["lab"]}, "problems": [{"name": "a"}], "seeds": 3, "set": {"window": 8.0}}
    folder = make_batch_folder(parse_batch(content, source="test"), runs=tmp_path)
    begun = find_batch_folder(folder.path.name, runs=tmp_path)
    require_same(parse_batch({**content, "seeds": [0, 1, 2], "parallel": 7}, source="test"), begun, source="b.yaml")
    with pytest.raises(UserError, match=f"b.yaml: {named} changed since"):
        require_same(parse_batch({**content, **change}, source="test"), begun, source="b.yaml")


@pytest.mark.long
def test_a_file_in_which_only_parallel_changed_is_gone_on_with(batches):
    content = {"trials": 5, "matrix": {"window": [2, 3, 4]}}
    assert batches.begin(**content).returncode == 0
    (batches.folder / "results.json").unlink()
    done = batches.runs.evo("batch", batches.write(**content, parallel=3), "--resume", batches.folder)
    assert done.returncode == 0
    assert "3 runs, 3 at a time" in done.stderr


def test_a_folder_with_anything_in_it_is_not_begun_in(batches):
    assert batches.begin(trials=5).returncode == 0
    again = batches.begin(trials=5)
    assert again.returncode == 2
    assert f"go on with: evo batch --resume {batches.folder}" in again.stderr
    other = batches.runs.evo("batch", batches.home / "batch.json", "--run-dir", batches.home)
    assert other.returncode == 2
    assert "is not empty" in other.stderr


@pytest.mark.long
def test_two_processes_never_work_on_one_batch(batches):
    process, lines = begun(batches, trials=1_000_000)
    done = batches.go_on()
    assert done.returncode == 2
    assert f"is being written by process {process.pid}" in done.stderr
    os.kill(process.pid, signal.SIGTERM)
    list(lines)
    assert process.wait(timeout=60) == 130


def test_a_run_that_somebody_else_works_on_waits_and_the_others_go_on(batches):
    content = {"trials": 5, "matrix": {"window": [2, 3]}}
    assert batches.begin(**content).returncode == 0
    (batches.folder / "results.json").unlink()
    with (batches.folder / "runs" / "window-2" / "run.lock").open("r+b") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        process = batches.start("--resume", batches.folder)
        lines = iter(process.stderr.readline, "")
        assert next(line for line in lines if line.startswith("complete     window-3"))
        assert json.loads((batches.folder / "results.json").read_text())["runs"][0]["state"] == "waiting"
    rest = list(lines)
    assert any(line.startswith("complete     window-2") for line in rest)
    assert process.wait(timeout=60) == 0


def test_a_damaged_copy_of_the_file_is_said(batches):
    assert batches.begin(trials=5).returncode == 0
    (batches.folder / "batch.lock.yaml").write_text("pipelin: {}")
    done = batches.go_on()
    assert done.returncode == 2
    assert "batch.lock.yaml: " in done.stderr
