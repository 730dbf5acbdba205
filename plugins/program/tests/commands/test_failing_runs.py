"""Runs of `evo evolve` that fail or are killed: what is said, and that they go on as if nothing had happened."""

import json
import time

import pytest

from evograft_hookspecs import SandboxUnavailable
from evograft_sandbox.commands.process import ProcessOptions, ProcessSandbox

GATED = """

import os
import time

before, start = evaluate, os.path.join(os.path.dirname(__file__), "program.py")


def evaluate(path):
    while not os.path.exists({gate!r}) and open(path).read() != open(start).read():
        time.sleep(0.01)
    return before(path)
"""


@pytest.fixture(autouse=True, scope="module")
def sandbox():
    try:
        ProcessSandbox(ProcessOptions()).layers()
    except SandboxUnavailable as err:
        pytest.skip(str(err))


def evolve(runs, task, *options):
    return runs.evo("evolve", task / "program.py", task / "evaluate.py", "--llm", "none", *options)


def test_an_evaluators_own_bug_ends_the_run_with_its_place(runs, task):
    evaluator = task / "evaluate.py"
    evaluator.write_text(evaluator.read_text().replace("-(x * x", "-(xx * x"))
    done = evolve(runs, task, "-n", "3")
    assert done.returncode == 3
    said = done.stderr.splitlines()[-1]
    assert said == (
        "Error: the evaluator is at fault: NameError: name 'xx' is not defined (evaluate.py, line 10); correct it and "
        "start another run: this one keeps the copy that it began with"
    )


def test_a_start_program_that_fails_ends_the_run_with_its_reason(runs, task):
    (task / "program.py").write_text("def point():\n    return 1 / 0\n")
    done = evolve(runs, task, "-n", "1")
    assert done.returncode == 3
    said = done.stderr.splitlines()[-1]
    assert "the seed program was rejected, so there is nothing to evolve: ZeroDivisionError" in said
    shown = runs.evo("show", "latest", "--trial", "0").stdout
    assert 'evaluate.py, line 9: x, y = names["point"]()' in shown


def test_a_command_that_is_not_there_ends_the_run(runs, task):
    done = runs.evo("evolve", task / "program.py", "measure-nothing", "--style", "command", "--llm", "none", "-n", "3")
    assert done.returncode == 3
    assert "the evaluator is at fault: 'measure-nothing' cannot be run: " in done.stderr.splitlines()[-1]


def test_a_missing_library_is_named_before_anything_runs(runs, task):
    with (task / "evaluate.py").open("a") as file:
        file.write("\nimport nobody_has_this\n")
    done = evolve(runs, task, "-n", "3")
    assert done.returncode == 4
    assert "evaluate.py imports nobody_has_this: python -m pip install nobody_has_this" in done.stderr
    assert not list((runs.folder / "runs").glob("*"))


def test_a_run_that_was_killed_in_an_evaluation_goes_on_as_if_it_had_not_been(runs, task):
    gate, whole, killed = (runs.folder / name for name in ("gate", "whole", "killed"))
    gate.mkdir()
    with (task / "evaluate.py").open("a") as file:
        file.write(GATED.format(gate=str(gate / "open")))
    options = ("-n", "8", "-j", "1", "--seed", "5", "--set", "window=1", "--read", gate)
    process = runs.start(
        *("-m", "evograft", "evolve", task / "program.py", task / "evaluate.py", "--llm", "none"),
        *("-o", killed, *options),
    )
    while process.poll() is None and not list_evaluating(runs, killed):
        time.sleep(0.02)
    assert process.poll() is None
    runs.kill(process)
    assert [each["number"] for each in runs.trials(killed)] == [0]
    (gate / "open").touch()
    assert runs.evo("resume", killed).returncode == 0
    assert evolve(runs, task, "-o", whole, *options).returncode == 0
    assert outcomes(runs, killed) == outcomes(runs, whole)


def list_evaluating(runs, folder) -> list[int]:
    """The trials that are being evaluated: with the gate closed, only the start program's comes to its end."""
    done = runs.evo("status", folder, "--json")
    running = json.loads(done.stdout)["running"] if done.returncode == 0 else ()
    return [each["trial"] for each in running if each["activity"] == "evaluating" and each["trial"]]


def outcomes(runs, folder):
    return [(each["candidate"]["files"], each["evaluation"]["score"]) for each in runs.trials(folder)]
