"""The problem that a task poses: its statement, its seed program, and what its score measures."""

from __future__ import annotations

import ast
from pathlib import Path

from evograft_hookspecs import FrozenDict, Problem
from evograft_program.options import (
    IN_PYTHON,
    EvaluationLimits,
    EvaluatorOptions,
    EvaluatorStyle,
    ProgramOptions,
    TaskOptions,
)
from evograft_program.task.candidates import file_name, read_start
from evograft_program.task.languages import language_of

KIND = "program"
MOST_CHARS = 20_000
"""Of a statement that nobody has written as one."""
READMES = ("README.md", "README.rst", "README.txt", "README")
EVALUATORS_OF_FOLDERS = ("evaluate.py", "evaluate.sh")


def pose_problem(options: ProgramOptions) -> Problem:
    """Return the problem of a task.

    Raises:
        UserError: the start program cannot be read.
    """
    start = read_start(options.task, options.candidate)
    return Problem(
        name=options.task.name or Path(options.task.folder).name,
        statement="\n\n".join([options.task.statement or find_statement(options), *_describe_evaluation(options)]),
        kind=KIND,
        language=options.candidate.language or language_of(_names(options, start)),
        objective=describe_objective(options),
        seeds=() if start is None else (FrozenDict(start),),
    )


def _names(options: ProgramOptions, start: dict[str, str] | None) -> list[str]:
    return list(start) if start is not None and options.candidate.change else [file_name(options.candidate)]


def describe_objective(options: ProgramOptions) -> str:
    """Return what the score measures, for people."""
    rules, evaluator = options.rules, options.evaluator
    is_line = evaluator.style is EvaluatorStyle.COMMAND and not (Path(options.task.folder) / evaluator.path).exists()
    score = (
        rules.metric or f"the score of {evaluator.path if is_line else Path(evaluator.path).name or 'the evaluator'}"
    )
    return f"minus {score}" if rules.minimise else score


def find_statement(options: ProgramOptions) -> str:
    """Return the task in words as far as its files say it: the evaluator's docstrings and the README next to it."""
    place = find_evaluator(options.task, options.evaluator)
    folder = Path(options.task.folder) if place is None else place.parent
    said = [*_docstrings(place, options.evaluator.function), *_readme(folder)]
    opening = "Improve the program: an evaluator gives it a score, and a higher score is better."
    return "\n\n".join([opening, *said])[:MOST_CHARS]


def _describe_evaluation(options: ProgramOptions) -> list[str]:
    """Return what a program may use, where somebody has said so, and who reads what it prints."""
    style = options.evaluator.style
    if style is EvaluatorStyle.STUDY:
        return []
    # What the others print to standard output is the answer.
    prints = "prints" if style in IN_PYTHON else "prints to standard error"
    most = _list_limits(options.limits, staged=style is EvaluatorStyle.OPENEVOLVE)
    allowed = f"An evaluation may take at most {', '.join(most)}. " if most else ""
    return [f"{allowed}A few lines that a program {prints} are shown, with its score, to whoever improves it."]


def _list_limits(limits: EvaluationLimits, *, staged: bool) -> list[str]:
    """Return the limits that were set, in words."""
    words = {
        "seconds": "{:.10g} seconds" + (" a stage" if staged else ""),
        "cpu_seconds": "{:.10g} seconds of CPU time",
        "memory_mb": "{} MB of memory",
    }
    given = {name: getattr(limits, name) for name in words if name in limits.model_fields_set}
    return [words[name].format(value) for name, value in given.items() if value is not None]


def find_evaluator(task: TaskOptions, evaluator: EvaluatorOptions) -> Path | None:
    """Return the file of an evaluator in the copy of its task; `None`: it is a shell line."""
    path = Path(task.folder) / evaluator.path
    if path.is_dir():
        return next((path / name for name in EVALUATORS_OF_FOLDERS if (path / name).is_file()), None)
    return path if path.is_file() else None


def _docstrings(path: Path | None, function: str) -> list[str]:
    """Return what a Python evaluator says of itself and of its function."""
    if path is None or path.suffix != ".py":
        return []
    try:
        module = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return []  # what runs the evaluator says it better
    names = {function or "evaluate"}
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef) and node.name in names]
    return [text for text in (ast.get_docstring(module), *map(ast.get_docstring, functions)) if text]


def _readme(folder: Path) -> list[str]:
    paths = (folder / name for name in READMES)
    return [path.read_text(encoding="utf-8", errors="replace") for path in paths if path.is_file()][:1]
