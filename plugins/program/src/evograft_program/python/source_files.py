"""Files of what Python gives as texts and functions."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from evograft.api import EvaluatorSource, ProgramSource, UserError
from evograft_program.python.function_source import collect_source

EVALUATOR = "evaluate"


def place_program(program: ProgramSource, folder: Path, suffix: str) -> Path:
    """Return the path of a program; a text is written into a folder."""
    if not is_text(program):
        return Path(program)
    return _write(str(program), folder / "program" / f"program{suffix}")


def place_evaluator(evaluate: EvaluatorSource, folder: Path) -> str:
    """Return the path of an evaluator, or a shell line; a text and a function are written into a folder.

    Raises:
        UserError: the function cannot be sent by its source.
    """
    if isinstance(evaluate, os.PathLike | str) and not is_text(evaluate):
        return os.fspath(evaluate)
    if isinstance(evaluate, str):
        return str(_write(evaluate, folder / "evaluation" / f"{EVALUATOR}.py"))
    if not callable(evaluate):
        raise UserError(f"evaluate={evaluate!r}: give a path, a shell line, the text of a module, or a function")
    function: Callable[..., object] = evaluate
    name = getattr(function, "__name__", EVALUATOR)
    return str(_write(collect_source(function, as_name=EVALUATOR), folder / name / f"{EVALUATOR}.py"))


def is_text(value: ProgramSource) -> bool:
    """Return whether a value is a source itself, and not the path of one."""
    return isinstance(value, str) and "\n" in value


def _write(text: str, path: Path) -> Path:
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    return path
