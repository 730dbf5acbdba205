"""`evo apply`: the best program of a run in the user's files, as a patch, or on a branch."""

import json
import subprocess

import pytest


def evolve(runs, task, halving, *more):
    done = runs.evo("evolve", task / "program.py", task / "evaluate.py", "-n", "20", *halving, *more)
    assert done.returncode == 0, done.stderr
    return done


def git(folder, *words):
    identity = ("-c", "user.name=Me", "-c", "user.email=me@example.org")
    done = subprocess.run(["git", *identity, *words], cwd=folder, text=True, capture_output=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def evolved(runs, task, halving):
    evolve(runs, task, halving)
    return task


def test_the_difference_is_shown_and_written_when_the_user_agrees(runs, evolved):
    (evolved / "program.py").chmod(0o755)
    start = (evolved / "program.py").read_text()
    done = runs.evo("apply", input="y\n")
    assert done.returncode == 0
    assert "-X = 3.5\n+X = " in done.stdout
    assert (evolved / "program.py").read_text() != start
    assert (evolved / "program.py").stat().st_mode & 0o777 == 0o755
    assert "in your files already" in runs.evo("apply").stdout


def test_nothing_is_written_when_the_user_does_not_agree(runs, evolved):
    start = (evolved / "program.py").read_text()
    assert runs.evo("apply", input="n\n").returncode == 0
    refused = runs.evo("apply", input="")
    assert (refused.returncode, refused.stderr.splitlines()[-1]) == (
        2,
        "Error: nobody is there to be asked: add --yes, or --patch to see the difference only",
    )
    assert (evolved / "program.py").read_text() == start


def test_json_says_what_would_be_done_and_with_yes_what_was_done(runs, evolved):
    said = json.loads(runs.evo("apply", "--json").stdout)
    assert said["applied"] is False
    assert said["score"] > said["start_score"] == -32.5
    assert said["files"] == [{"path": str(evolved / "program.py"), "added": 1, "removed": 1}]
    assert json.loads(runs.evo("apply", "--json", "--yes").stdout)["applied"] is True


def test_a_program_that_was_changed_meanwhile_is_kept_unless_it_is_forced(runs, evolved):
    with (evolved / "program.py").open("a") as file:
        file.write("# mine\n")
    refused = runs.evo("apply", "--yes")
    assert refused.returncode == 2
    assert "program.py' was changed since the run began" in refused.stderr
    assert "# mine" in (evolved / "program.py").read_text()
    assert runs.evo("apply", "--yes", "--force").returncode == 0
    assert "# mine" not in (evolved / "program.py").read_text()


def test_a_patch_applies_to_the_start_program(runs, evolved):
    (evolved / "program.py").write_text((evolved / "program.py").read_text().removesuffix("\n"))
    patch = runs.evo("apply", "--patch")
    assert patch.returncode == 0
    (evolved / "program.py").write_text((evolved / "program.py").read_text() + "\n")
    subprocess.run(["git", "apply", "-"], cwd=evolved, input=patch.stdout, text=True, check=True)
    assert json.loads(runs.evo("apply", "--json").stdout)["applied"] is False
    assert "in your files already" in runs.evo("apply").stdout


def test_json_of_a_patch_holds_it_and_nothing_is_written(runs, evolved):
    start = (evolved / "program.py").read_text()
    patch = runs.evo("apply", "--patch").stdout
    without = json.loads(runs.evo("apply", "--json").stdout)
    assert without["patch"] is None
    assert json.loads(runs.evo("apply", "--patch", "--json", "--yes").stdout) == {**without, "patch": patch}
    assert (evolved / "program.py").read_text() == start


def test_a_patch_and_a_branch_are_refused_together(runs, evolved):
    refused = runs.evo("apply", "--patch", "--branch", "faster")
    assert (refused.returncode, refused.stdout, refused.stderr) == (
        2,
        "",
        "Error: --patch and --branch do not go together: leave one of them out\n",
    )


def test_a_branch_gets_a_commit_and_the_files_stay(runs, task, halving):
    git(task, "init", "-q", "-b", "main")
    git(task, "config", "user.name", "Me")
    git(task, "config", "user.email", "me@example.org")
    git(task, "add", ".")
    git(task, "commit", "-qm", "start")
    evolve(runs, task, halving)
    start = (task / "program.py").read_text()
    done = runs.evo("apply", "--branch", "faster")
    assert done.returncode == 0, done.stderr
    assert (task / "program.py").read_text() == start
    assert git(task, "status", "--porcelain") == ""
    assert git(task, "diff", "--name-only", "main", "faster") == "program.py"
    assert "score" in git(task, "log", "-1", "--format=%s", "faster")
    again = runs.evo("apply", "--branch", "faster")
    assert again.returncode == 2
    assert "there is a branch 'faster' already: give --branch another name" in again.stderr


def test_a_branch_needs_a_repository(runs, evolved):
    refused = runs.evo("apply", "--branch", "faster")
    assert refused.returncode == 2
    assert "is not in a git repository: leave out --branch" in refused.stderr


def test_a_run_whose_best_is_the_start_program_changes_nothing(runs, task, halving):
    done = runs.evo("evolve", task / "program.py", task / "evaluate.py", "-n", "1", *halving)
    assert done.returncode == 0, done.stderr
    assert "the start program is the best so far" in runs.evo("apply").stdout


def test_a_run_of_something_else_is_refused(runs):
    runs.run("other", trials=4)
    refused = runs.evo("apply", "other")
    assert refused.returncode == 2
    assert "was not started by evo evolve" in refused.stderr


def test_a_program_can_be_written_elsewhere(runs, evolved):
    assert runs.evo("apply", "--to", "best.py", "--yes", "--trial", "0").returncode == 0
    assert (runs.folder / "best.py").read_text() == (evolved / "program.py").read_text()


def test_elsewhere_no_run_is_guessed(runs, evolved, tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    before = (evolved / "program.py").read_text()
    monkeypatch.setattr(runs, "folder", elsewhere)
    refused = runs.evo("apply", "--yes")
    assert refused.returncode == 2
    assert "no runs in ./runs" in refused.stderr
    assert (evolved / "program.py").read_text() == before


@pytest.mark.parametrize(
    ("trial", "why"), [("99", "no such trial in this run"), ("1", "no score in trial 1 in this run")]
)
def test_a_trial_that_is_not_there_or_has_no_score_is_told_apart(runs, task, halving, trial, why):
    evaluator = task / "evaluate.py"
    evaluator.write_text(evaluator.read_text().replace("x, y = ", "assert names['X'] == 3.5\n    x, y = "))
    assert runs.evo("evolve", task / "program.py", evaluator, "-n", "2", *halving).returncode == 0
    refused = runs.evo("apply", "--trial", trial, "--yes")
    assert refused.returncode == 2
    assert f"Error: {why}: see evo status" in refused.stderr
