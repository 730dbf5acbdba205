"""Evaluators of each style, as people write them, and what is said of those that nothing tells about."""

import os

import pytest

from evograft.api import UserError
from evograft_program.options import EvaluatorStyle
from evograft_program.styles.functions import find_candidate_function
from evograft_program.styles.recognition import recognise

SHINKA = """
import argparse
def main(program_path, results_dir): ...
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program_path")
    parser.add_argument("--results_dir")
"""
CASES = {
    "a path": ("def evaluate(program_path): ...", "openevolve", "evaluate", "it defines evaluate(program_path)"),
    "a path with more": (
        "def evaluate(program_path: str, verbose=False): ...",
        "openevolve",
        "evaluate",
        "it defines evaluate(program_path)",
    ),
    "a file": ("def evaluate(solution_file): ...", "openevolve", "evaluate", "it defines evaluate(solution_file)"),
    "annotated": ("def evaluate(x: pathlib.Path): ...", "openevolve", "evaluate", "it defines evaluate(x)"),
    "asynchronous": ("async def evaluate(path): ...", "openevolve", "evaluate", "it defines evaluate(path)"),
    "stages": (
        "def evaluate_stage1(p): ...\ndef evaluate_stage2(p): ...",
        "openevolve",
        "evaluate",
        "it defines evaluate_stage1(p)",
    ),
    "imported": (
        "from somewhere import evaluate",
        "openevolve",
        "evaluate",
        "it imports evaluate from somewhere",
    ),
    "in a try": (
        "try:\n    import fast\nexcept ImportError:\n    def evaluate(path): ...",
        "openevolve",
        "evaluate",
        "it defines evaluate(path)",
    ),
    "both options": (SHINKA, "shinka", "", "a script with --program_path and --results_dir"),
    "both options and a function": (
        "def evaluate(program_path): ...\n" + SHINKA,
        "shinka",
        "",
        "a script with --program_path and --results_dir",
    ),
    "a candidate": ("def evaluate(candidate): ...", "gepa", "evaluate", "it defines evaluate(candidate)"),
    "a candidate and an example": (
        "def fitness(candidate, example): ...",
        "gepa",
        "fitness",
        "it defines fitness(candidate, example)",
    ),
    "a candidate and helpers": (
        "def _split(candidate): ...\ndef rate(candidate): ...",
        "gepa",
        "rate",
        "it defines rate(candidate)",
    ),
    "a batch": ("def batch_evaluator(pairs): ...", "gepa", "batch_evaluator", "it defines batch_evaluator(pairs)"),
    "an evaluator": ("def evaluator(candidate): ...", "gepa", "evaluator", "it defines evaluator(candidate)"),
    "a function by name": ("def evaluate(fn): ...", "function", "evaluate", "it defines evaluate(fn)"),
    "a function that is called": (
        "def evaluate(sort):\n    return sort([2, 1]) == [1, 2]",
        "function",
        "evaluate",
        "it defines evaluate(sort)",
    ),
    "a function by annotation": (
        "def evaluate(x: Callable[[int], int]): ...",
        "function",
        "evaluate",
        "it defines evaluate(x)",
    ),
    "a script with arguments": (
        "import sys\nprint(len(sys.argv[1]))",
        "command",
        "",
        "a script without a function evaluate",
    ),
    "a script with a guard": (
        "def main(): ...\nif __name__ == '__main__':\n    main()",
        "command",
        "",
        "a script without a function evaluate",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_python_file_tells_its_style(case, tmp_path):
    source, style, function, reason = CASES[case]
    path = tmp_path / "evaluate.py"
    path.write_text(source)
    found = recognise(path)
    assert (found.style, found.function, found.reason) == (style, function, reason)


def test_the_first_line_names_the_style_and_the_reason(tmp_path):
    path = tmp_path / "evaluate.py"
    path.write_text("def evaluate(program_path): ...")
    assert str(recognise(path)) == "OpenEvolve's style: it defines evaluate(program_path)"


def test_nothing_of_an_evaluator_is_executed(tmp_path):
    path = tmp_path / "evaluate.py"
    path.write_text("import not_there\n1 / 0\ndef evaluate(program_path): ...")
    assert recognise(path).style == EvaluatorStyle.OPENEVOLVE


def test_a_start_program_next_to_it_tells_what_a_parameter_does_not(tmp_path):
    path = tmp_path / "evaluator.py"
    path.write_text("def evaluate(code): return check(code)")
    with pytest.raises(UserError, match=r"defines evaluate\(code\), which may be a path \(--style openevolve\)"):
        recognise(path)
    (tmp_path / "initial_program.rs").touch()
    assert recognise(path).reason == "it defines evaluate(code), and initial_program.rs is next to it"


def test_an_imported_function_is_looked_up_in_the_folder_above(tmp_path):
    (tmp_path / "task").mkdir()
    (tmp_path / "shared.py").write_text("def evaluate(candidate): ...")
    path = tmp_path / "task" / "evaluate.py"
    path.write_text("import sys\nsys.path.insert(0, '..')\nfrom shared import evaluate")
    found = recognise(path)
    assert (found.style, found.parameter) == (EvaluatorStyle.GEPA, "candidate")


def test_a_folder_with_both_files_is_a_container(tmp_path):
    (tmp_path / "Dockerfile").touch()
    with pytest.raises(UserError, match=r"a folder without evaluate.sh, so no container; give the evaluator's file"):
        recognise(tmp_path)
    (tmp_path / "evaluate.sh").touch()
    assert recognise(tmp_path).style == EvaluatorStyle.CONTAINER


def test_a_folder_that_is_no_container_names_the_evaluator_in_it(tmp_path):
    (tmp_path / "evaluator.py").touch()
    with pytest.raises(
        UserError, match=r"without Dockerfile and without evaluate.sh, so no container; give .*evaluator.py"
    ):
        recognise(tmp_path)


def test_a_script_of_another_language_is_a_command(tmp_path):
    path = tmp_path / "bench"
    path.write_text("#!/usr/bin/env ruby\n")
    assert recognise(path).reason == "a script for /usr/bin/env ruby"


def test_a_program_is_a_command_once_it_can_be_executed(tmp_path):
    path = tmp_path / "bench"
    path.write_bytes(b"\x7fELF")
    with pytest.raises(UserError, match=r"neither Python \(.py\) nor executable; make it executable \(chmod \+x\)"):
        recognise(path)
    path.chmod(0o755)
    assert recognise(path).style == EvaluatorStyle.COMMAND


@pytest.mark.parametrize("line", ["sh -c 'echo 1'", "A=1 sh bench", "cd x && make", "sh"])
def test_a_line_whose_program_can_be_found_is_a_shell_line(line):
    assert recognise(line).style == EvaluatorStyle.COMMAND


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("evaluat.py", "there is no such file, and no program 'evaluat.py' either; --style command"),
        ("nobody-has-this --fast", "no program 'nobody-has-this' either"),
        ("sh 'open", "is no shell line"),
        ("", "the evaluator is empty"),
        ("A=1", "the evaluator is empty"),
    ],
)
def test_a_line_whose_program_is_not_there_is_refused(line, message):
    with pytest.raises(UserError, match=message):
        recognise(line)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def score(a, b=1): ...\ndef other(): ...", r"it defines score\(a\), other\(\)\).*or give --style"),
        ("def a(candidate): ...\ndef b(candidate): ...", r"it defines a\(candidate\), b\(candidate\)\)"),
        ("X = 1", r"it defines no function\)"),
        ("def evaluate(:", "line 1: not Python .* or give --style"),
        ("def evaluate(): ...", r"it defines evaluate\(\), which may be"),
        ("\0", "not Python"),
    ],
)
def test_a_python_file_that_tells_nothing_is_refused_with_what_it_has(source, message, tmp_path):
    path = tmp_path / "evaluate.py"
    path.write_text(source)
    with pytest.raises(UserError, match=message):
        recognise(path)


def test_a_path_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UserError, match="no such file"):
        recognise(tmp_path / "evaluate.py")


def test_a_given_style_holds_and_its_function_is_found(tmp_path):
    path = tmp_path / "evaluate.py"
    path.write_text("def evaluate(code): ...")
    found = recognise(path, style=EvaluatorStyle.GEPA)
    assert (found.style, found.function, found.reason) == (EvaluatorStyle.GEPA, "evaluate", "by --style gepa")
    assert recognise("nobody-has-this", style=EvaluatorStyle.COMMAND).style == EvaluatorStyle.COMMAND


def test_a_given_style_with_a_function_needs_a_file(tmp_path):
    with pytest.raises(UserError, match="--style function needs a Python file"):
        recognise(os.fspath(tmp_path / "no.py"), style=EvaluatorStyle.FUNCTION)


@pytest.mark.parametrize(
    ("source", "parameter", "expected"),
    [
        ("def solve(): ...\ndef _help(): ...", "fn", "solve"),
        ("def sort(): ...\ndef other(): ...", "sort", "sort"),
        ("def sort(): ...\ndef other(): ...", "fn", ""),
        ("X = 1", "fn", ""),
        ("def broken(", "fn", ""),
    ],
)
def test_the_function_of_a_program_is_its_only_one_or_the_one_of_that_name(source, parameter, expected):
    assert find_candidate_function(source, parameter=parameter) == expected
