"""Programs that nobody wants: what an evaluator gives to them says what it is worth."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from evograft_program.options import CandidateOptions
from evograft_program.trust.number_replacement import replace_numbers

GARBAGE = "((( this is no program\n"
PYTHON = ".py"
ENDLESS = "while True:\n    pass\n"


@dataclass(frozen=True)
class UnwantedProgram:
    """A program that nobody wants."""

    name: str
    """For tables."""
    subject: str
    """For sentences, such as "An empty program"."""
    files: Mapping[str, str]
    """As those of a candidate."""
    is_broken: bool = True
    """Whether it cannot be worth anything, whatever the task is."""
    replaces_numbers: bool = False
    """Whether it is the start program unless its functions return numbers."""


def list_unwanted(start: Mapping[str, str], candidate: CandidateOptions) -> tuple[UnwantedProgram, ...]:
    """Return programs that nobody wants, with the files of the start program.

    What is made of its functions is made for Python only.
    """
    programs = [
        UnwantedProgram("empty", "An empty program", dict.fromkeys(start, "")),
        UnwantedProgram("syntax error", "A program that is no code", dict.fromkeys(start, GARBAGE)),
    ]
    functions = {path for path, text in start.items() if _suffix(path, candidate) == PYTHON and _has_functions(text)}
    if not functions:
        if all(_suffix(path, candidate) == PYTHON for path in start):
            programs.append(UnwantedProgram("endless loop", "An endless loop", dict.fromkeys(start, ENDLESS)))
        return tuple(programs)

    def change(edit: Callable[[str], str]) -> dict[str, str]:
        return {path: edit(text) if path in functions else text for path, text in start.items()}

    return (
        *programs,
        UnwantedProgram("endless loop", "An endless loop", change(lambda text: _replace_bodies(text, ENDLESS))),
        UnwantedProgram("emptied", "Your program without the bodies of its functions", change(_remove_bodies)),
        UnwantedProgram(
            "NaN",
            "A program that returns NaN for every number",
            change(lambda text: replace_numbers(text, 'float("nan")')),
            replaces_numbers=True,
        ),
        UnwantedProgram(
            "constant",
            "A program that returns 1 for every number",
            change(lambda text: replace_numbers(text, "1.0")),
            is_broken=False,
            replaces_numbers=True,
        ),
    )


def _suffix(path: str, candidate: CandidateOptions) -> str:
    return PurePosixPath(path).suffix if candidate.change else candidate.suffix


def _has_functions(source: str) -> bool:
    try:
        return any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in ast.parse(source).body)
    except (SyntaxError, ValueError):
        return False


def _remove_bodies(source: str) -> str:
    return _replace_bodies(source, "pass\n")


def _replace_bodies(source: str, body: str) -> str:
    """Return a program whose functions all have this body."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = ast.parse(body).body
    return ast.unparse(tree)
