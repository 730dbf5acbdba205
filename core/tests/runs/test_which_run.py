"""Which run a command means: one that changes a run guesses none outside of ./runs, and hints name just that run."""

import os

import pytest

from evograft.errors import UserError
from evograft.runs.index import find_run, reference
from evograft.runs.writer_lock import WriterLock


@pytest.fixture
def elsewhere(runs, tmp_path):
    """A folder without runs, whose user has two of the same name elsewhere."""
    for folder in ("one", "two words"):
        runs.run(f"{folder}/runs/lab-1", trials=3)
    here = type(runs)(tmp_path / "here")
    here.folder.mkdir()
    return here


@pytest.mark.parametrize("command", [["stop"], ["resume"], ["answer"], ["tell", "latest", "go"]], ids=" ".join)
def test_what_changes_a_run_guesses_none_outside_of_the_usual_place(elsewhere, command):
    done = elsewhere.evo(*command)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no runs in ./runs: start one with evo run" in done.stderr
    assert not list(elsewhere.folder.parent.glob("*/runs/*/inbox"))


def test_one_of_several_of_a_name_is_not_guessed_and_its_path_is_offered(elsewhere):
    done = elsewhere.evo("tell", "lab-1", "go")
    assert (done.returncode, done.stdout) == (2, "")
    assert "2 runs are called 'lab-1': name one by its path, such as " in done.stderr


def test_hints_name_a_run_elsewhere_by_its_path_ready_for_a_shell(elsewhere):
    path = elsewhere.folder.parent / "two words" / "runs" / "lab-1"
    assert f"evo resume '{path}'\n" in elsewhere.evo("stop", path).stdout
    assert f"evo resume '{path}'\n" in elsewhere.evo("tell", path, "go").stdout


def test_what_reads_a_run_elsewhere_says_which(elsewhere):
    done = elsewhere.evo("show", "--trial", "0")
    assert done.returncode == 0, done.stderr
    assert "runs/lab-1\n" in done.stderr
    assert "lab-1" in elsewhere.evo("status").stdout


def test_a_live_run_comes_before_a_newer_one_that_has_ended(runs, monkeypatch):
    monkeypatch.chdir(runs.folder)
    older, newer = runs.run("runs/lab-1", trials=2), runs.run("runs/lab-2", trials=2)
    os.utime(newer / "log.head", ns=(2**62, 2**62))
    usual = newer.parent
    with WriterLock(older):
        # A process does not see its own lock: another one asks.
        done = runs.evo("tell", "latest", "go")
    assert "lab-1 is busy; it gets this" in done.stdout
    assert find_run("latest", runs=usual) == newer
    assert "run lab-2 is not running" in runs.evo("stop").stdout


def test_stopping_a_run_that_is_not_running_is_done_at_once(runs):
    path = runs.run("run", trials=2)
    done = runs.evo("stop", path)
    assert (done.returncode, done.stdout) == (0, f"run run is not running; resume it with: evo resume {path}\n")


def test_an_unknown_name_lists_the_nearest_runs_only(runs, tmp_path):
    for number in (1, 2, 3):
        (tmp_path / "runs" / f"tsp-{number}").mkdir(parents=True)
        (tmp_path / "runs" / f"tsp-{number}" / "pipeline.lock.yaml").touch()
    with pytest.raises(UserError, match=r"no run 'tps-1'; did you mean 'tsp-1' or '[^']+'\?$"):
        find_run("tps-1", runs=tmp_path / "runs")
    with pytest.raises(UserError, match=r"no run 'zebra'; see what there is with: evo status --all$"):
        find_run("zebra", runs=tmp_path / "runs")
    with pytest.raises(UserError, match="no run 'nnn"):
        find_run("n" * 300, runs=tmp_path / "runs")


def test_a_reference_is_a_name_in_the_usual_place_and_else_a_path(tmp_path):
    assert reference(tmp_path / "runs" / "a b", runs=tmp_path / "runs") == "'a b'"
    assert reference(tmp_path / "c", runs=tmp_path / "runs") == str(tmp_path / "c")


def test_a_reference_is_no_name_that_a_command_would_take_for_another_run(runs, monkeypatch):
    monkeypatch.chdir(runs.folder)
    runs.run("lab-1", trials=2)
    for meant in (runs.run("runs/lab-1", trials=2), runs.run("runs/latest", trials=2)):
        os.utime(meant / "log.head", ns=(0, 0))
        assert find_run(reference(meant, runs=meant.parent), runs=meant.parent) == meant


def test_an_instruction_that_no_model_will_read_is_said_to_be_so(runs):
    done = runs.evo("tell", runs.run("run", trials=2), "go")
    assert done.returncode == 0
    assert "this run asks no model" in done.stderr
