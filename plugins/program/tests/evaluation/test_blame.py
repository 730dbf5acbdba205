"""Faults of an evaluator are told as its own, with file and line; they end the run, whatever candidates are like."""

from __future__ import annotations

from contextlib import closing

import pytest

from evograft_hookspecs import Candidate, FrozenDict
from evograft_program.evaluation.evaluator import ProgramEvaluator
from evograft_program.evaluation.failures import EvaluatorFailed
from evograft_program.options import (
    CandidateOptions,
    CascadeOptions,
    EvaluationLimits,
    EvaluatorOptions,
    EvaluatorStyle,
    ProgramOptions,
    TaskOptions,
)

START = "SCORE = 1.0\n"
OTHER = "SCORE = 2.0\n"
READ = """
import runpy

def read(path):
    return runpy.run_path(path).get("SCORE")

"""
SCRIPT = """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--program_path")
parser.add_argument("--results_dir")
given = parser.parse_args()
"""
pytestmark = pytest.mark.parametrize("driver", ["process"], indirect=True, scope="module")


@pytest.fixture
def evaluate(driver, tmp_path):
    """Evaluates a program by an evaluator in OpenEvolve's style, unless told otherwise."""

    def evaluate_once(source, *, by, style=EvaluatorStyle.OPENEVOLVE, start=START, path="evaluate.py"):
        task = tmp_path / "task"
        task.mkdir()
        (task / "evaluate.py").write_text(by)
        (task / "program.py").write_text(start)
        (task / "notes").write_text("echo 1\n")
        options = ProgramOptions(
            task=TaskOptions(folder=str(task)),
            candidate=CandidateOptions(program="program.py" if start else ""),
            evaluator=EvaluatorOptions(path=path, style=style),
            cascade=CascadeOptions(enabled=False),
            limits=EvaluationLimits(seconds=60),
        )
        candidate = Candidate(kind="program", files=FrozenDict({"main": source}), operator="operators.rewrite", trial=1)
        with closing(ProgramEvaluator(options, driver)) as evaluator:
            return evaluator.evaluate(candidate, seed=0)

    return evaluate_once


@pytest.mark.parametrize(
    ("evaluator", "words"),
    [
        ("def evaluate(path):\n    return scoer(path)\n", r"NameError: name 'scoer' .* \(evaluate.py, line 2\)"),
        ("def evaluate(path):\n    import nobody\n", r"No module named 'nobody' \(evaluate.py, line 2\)"),
        ("import math\nopen('prices.csv')\n", r"FileNotFoundError: .*prices.csv.* \(evaluate.py, line 2\)"),
        ("def evaluate(path):\n    return 1.0 +\n", r"SyntaxError: .* \(evaluate.py, line 2\)"),
        ("def evaluated(path): pass\n", "AttributeError: .* no attribute 'evaluate'"),
        ("import os\nos._exit(3)\n", "exit code 3, before the evaluator was called"),
        ("import ctypes\nctypes.string_at(0)\n", "signal 11, before the evaluator was called"),
    ],
)
def test_a_fault_of_the_evaluator_is_told_with_its_place(evaluate, evaluator, words):
    with pytest.raises(EvaluatorFailed, match=f"^the evaluator is at fault: .*{words}"):
        evaluate(OTHER, by=evaluator)


def test_a_script_of_shinka_is_blamed_likewise(evaluate):
    with pytest.raises(EvaluatorFailed, match=r"NameError: name 'scoer' is not defined \(evaluate.py, line 8\)"):
        evaluate(OTHER, by=f"{SCRIPT}scoer(given)\n", style=EvaluatorStyle.SHINKA)


def test_a_script_that_swallows_its_errors_rejects_with_what_it_says(evaluate):
    swallowing = (
        f"{SCRIPT}from shinka.core import run_shinka_eval\n"
        "run_shinka_eval(given.program_path, given.results_dir, 'run', 1, aggregate_metrics_fn=lambda each: scoer)\n"
    )
    evaluation = evaluate(OTHER, by=swallowing, style=EvaluatorStyle.SHINKA)
    assert evaluation.status == "rejected"
    assert "run" in evaluation.reason


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("measure-nothing", "'measure-nothing' cannot be run: .*measure-nothing: not found"),
        ("./notes", "'./notes' cannot be run: .*[Pp]ermission denied"),
    ],
)
def test_a_command_that_cannot_be_run_is_the_evaluators_fault(evaluate, command, words):
    with pytest.raises(EvaluatorFailed, match=words):
        evaluate(OTHER, by="", style=EvaluatorStyle.COMMAND, path=command)


def test_the_exit_status_of_a_command_is_the_candidates(evaluate):
    evaluation = evaluate(OTHER, by="", style=EvaluatorStyle.COMMAND, path="echo it is too slow >&2; exit 4; :")
    assert evaluation.reason == "the process ended without an answer, with exit code 4: it is too slow"


UNEVEN = READ + "def evaluate(path):\n    return {'score': undefined if read(path) == 2.0 else 1.0}\n"
IMPORTING = """
import os, sys

def evaluate(path):
    sys.path.insert(0, os.path.dirname(path))
    from program import OTHER
    return {"score": OTHER}
"""


@pytest.mark.parametrize(
    ("evaluator", "words"),
    [(UNEVEN, "name 'undefined' is not defined (evaluate.py, line 8)"), (IMPORTING, "cannot import name 'OTHER'")],
)
def test_a_candidate_that_makes_an_evaluator_fail_is_rejected_if_the_start_program_does_not(evaluate, evaluator, words):
    evaluation = evaluate(OTHER, by=evaluator, start="OTHER = SCORE = 1.0\n")
    assert evaluation.status == "rejected"
    assert evaluation.reason.startswith("the evaluator does not cope with it: ")
    assert words in evaluation.reason


def test_without_a_start_program_the_evaluator_is_blamed(evaluate):
    with pytest.raises(EvaluatorFailed, match=r"NameError.*\(evaluate.py, line 8\)"):
        evaluate(OTHER, by=READ + "def evaluate(path):\n    return {'score': undefined}\n", start="")


def test_an_error_of_a_candidate_names_its_line(evaluate):
    evaluation = evaluate("\n\nSCORE = 1 / 0\n", by=READ + "def evaluate(path):\n    return {'score': read(path)}\n")
    assert evaluation.reason == "ZeroDivisionError: division by zero (program.py, line 3)"
    assert "program.py, line 3: SCORE = 1 / 0" in evaluation.feedback
