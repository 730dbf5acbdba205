"""Runs whose candidates a model writes: by its server, from the log of another run, and with files of its own."""

import json
import subprocess

import pytest
from fault_server import FaultServer, answer

GUESSES = ("X = 3.0", "X = 1.0\nY = 4.0", "X = 2.0", "X =", "X = 0.5\nY = 0.25", "X = 4.0")


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    with FaultServer() as server:
        yield server


@pytest.fixture
def guessing(server):
    """The options for a model that writes other numbers between the marks, and once what is no program."""
    texts = iter(GUESSES)
    server.usual = lambda _: answer(
        "Other numbers.\n\n```python\n# EVOLVE-BLOCK-START\nX = 3.5\nY = 4.5\n"
        f"{next(texts)}\n# EVOLVE-BLOCK-END\n\n\ndef point():\n    return X, Y\n```\n"
    )
    return ("--llm", "openai:guesser", "--api-base", server.base_url, "--set", "operators={program.tune: 0}")


def test_a_model_improves_a_program_and_its_faults_are_rejected(runs, task, guessing, server):
    done = runs.evo("evolve", task / "program.py", task / "evaluate.py", "-n", "6", "-j", "1", "-o", "out", *guessing)
    assert done.returncode == 0, done.stderr
    trials = runs.trials(runs.folder / "out")
    scores = [each["evaluation"]["score"] for each in trials]
    assert max(score for score in scores if score is not None) > scores[0] == -32.5
    assert "point()" in server.seen[0].prompt
    assert "sk-test" not in runs.texts(runs.folder / "out")


@pytest.mark.parametrize("again", ["run", "evolve"])
def test_a_run_is_repeated_from_its_log_without_its_model(runs, task, guessing, server, again):
    files = ("evolve", task / "program.py", task / "evaluate.py", "-n", "6")
    assert runs.evo(*files, "-o", "first", *guessing).returncode == 0
    server.close()
    replay = ("--llm", f"replay:{runs.folder / 'first'}")
    weights = () if again == "run" else ("--set", "operators={program.tune: 0}")
    repeat = ("run", "--run-dir", "second") if again == "run" else (*files, "-o", "second")
    done = runs.evo(*repeat, *replay, *weights)
    assert done.returncode == 0, done.stderr
    assert runs.trials(runs.folder / "second") == runs.trials(runs.folder / "first")


@pytest.fixture
def repository(runs, server):
    """A program of one file in a repository; its model moves a constant into a second one."""
    root = runs.folder / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "main.py").write_text("SIZE = 4\nprint(SIZE * 2.5)\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "Me")
    git(root, "config", "user.email", "me@example.org")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "start")
    server.usual = answer(
        "The size has a file of its own.\n\n### src/size.py\n```python\nSIZE = 6\n```\n\n"
        "### src/main.py\n```python\nfrom size import SIZE\n\nprint(SIZE * 2.5)\n```\n"
    )
    return root


def git(folder, *words):
    return subprocess.run(["git", *words], cwd=folder, text=True, capture_output=True, check=True).stdout


@pytest.fixture
def extended(runs, repository, server):
    """A run whose best candidate has a file that the start program has not."""
    model = ("--llm", "openai:writer", "--api-base", server.base_url, "--set", "operators={program.tune: 0}")
    more = ("--set", "plugins.operators.with.new_files=true")
    command = ("python3 src/main.py", "--style", "command", "--change", "src/*.py", "--name", "grown")
    done = runs.evo("evolve", repository, *command, "-n", "2", *model, *more)
    assert done.returncode == 0, done.stderr
    best = json.loads(runs.evo("show", "--trial", "best", "--json").stdout)
    assert (best["evaluation"]["score"], set(best["candidate"]["files"])) == (15.0, {"src/main.py", "src/size.py"})
    return repository


def test_a_file_that_a_candidate_adds_is_evaluated_and_applied(runs, extended):
    done = runs.evo("apply", "--yes")
    assert done.returncode == 0, done.stderr
    assert "--- /dev/null\n+++ b/src/size.py\n@@ -0,0 +1 @@\n+SIZE = 6\n" in done.stdout
    assert git(extended, "status", "--short").split() == ["M", "src/main.py", "??", "src/size.py"]
    ran = subprocess.run(["python3", "src/main.py"], cwd=extended, text=True, capture_output=True, check=True)
    assert ran.stdout == "15.0\n"
    assert "in your files already" in runs.evo("apply").stdout


def test_an_added_file_is_in_the_patch_and_on_the_branch(runs, extended):
    patch = runs.evo("apply", "--patch").stdout
    subprocess.run(["git", "apply", "--check", "-"], cwd=extended, input=patch, text=True, check=True)
    assert runs.evo("apply", "--branch", "grown").returncode == 0
    assert git(extended, "show", "grown:src/size.py") == "SIZE = 6\n"
    assert git(extended, "status", "--short") == ""


def test_a_file_of_the_users_in_the_place_of_an_added_one_is_not_written_over(runs, extended):
    (extended / "src" / "size.py").write_text("mine\n")
    refused = runs.evo("apply", "--yes")
    assert refused.returncode == 2
    assert "size.py' was changed since the run began" in refused.stderr
    assert (extended / "src" / "size.py").read_text() == "mine\n"


def test_without_new_files_a_candidate_that_has_one_is_rejected(runs, repository, server):
    model = ("--llm", "openai:writer", "--api-base", server.base_url, "--set", "operators={program.tune: 0}")
    command = ("python3 src/main.py", "--style", "command", "--change", "src/*.py")
    done = runs.evo("evolve", repository, *command, "-n", "2", *model)
    assert done.returncode == 0, done.stderr
    trial = json.loads(runs.evo("show", "--trial", "1", "--json").stdout)
    assert "'src/size.py' is not a file of the program" in trial["evaluation"]["reason"]
