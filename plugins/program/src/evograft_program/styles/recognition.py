"""The style of an evaluator: recognised by its syntax tree and by the names of files, without importing it."""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from evograft.api import UserError
from evograft.text.escapes import one_line
from evograft_program.options import EvaluatorStyle
from evograft_program.styles import functions
from evograft_program.styles.source import read_module

TITLES = {
    EvaluatorStyle.OPENEVOLVE: "OpenEvolve's style",
    EvaluatorStyle.SHINKA: "ShinkaEvolve's style",
    EvaluatorStyle.GEPA: "GEPA's style",
    EvaluatorStyle.CONTAINER: "a container",
    EvaluatorStyle.FUNCTION: "a function",
    EvaluatorStyle.COMMAND: "a command",
}
CONTAINER_FILES = ("Dockerfile", "evaluate.sh")
SHINKA_OPTIONS = ("--program_path", "--results_dir")
SHELL_WORDS = frozenset({"cd", "if", "for", "while", "set", "export", "source", ".", "exec", "(", "{", "!"})


@dataclass(frozen=True)
class Recognition:
    """The style of an evaluator, and why."""

    style: EvaluatorStyle
    function: str = ""
    """The function of the evaluator that is called; empty: none is."""
    reason: str = ""
    """In words, such as "it defines evaluate(program_path)"."""
    parameter: str = ""
    """The name of the function's first parameter, as far as it is known."""

    def __str__(self) -> str:
        return f"{TITLES[self.style]}: {self.reason}"


def recognise(evaluator: Path | str, *, style: EvaluatorStyle | None = None) -> Recognition:
    """Return the style of an evaluator, a file, a folder or a shell line.

    Args:
        evaluator: a text that names no file is a shell line.
        style: given by the user; only the function is then looked for.

    Raises:
        UserError: nothing says what the evaluator takes. The message names what was found, and the styles to choose
            from.
    """
    path = Path(evaluator)
    if style is not None:
        return _given(path, style)
    if isinstance(evaluator, str) and not os.path.exists(evaluator):  # noqa: PTH110 - a long line is no error
        return _shell_line(evaluator)
    if path.is_dir():
        return _folder(path)
    if not path.is_file():
        raise UserError(f"{path}: no such file; give an evaluator's file, a folder with a Dockerfile, or a shell line")
    return _python_file(path) if path.suffix == ".py" else _executable(path)


def _given(path: Path, style: EvaluatorStyle) -> Recognition:
    reason = f"by --style {style}"
    if style not in (EvaluatorStyle.OPENEVOLVE, EvaluatorStyle.GEPA, EvaluatorStyle.FUNCTION):
        return Recognition(style, reason=reason)
    if not path.is_file():
        raise UserError(f"{path}: no such file; --style {style} needs a Python file with a function")
    function = functions.find_evaluator(read_module(path))
    if function is None:
        return Recognition(style, "evaluate", reason)
    return Recognition(style, function.name, reason, function.parameter)


def _shell_line(line: str) -> Recognition:
    """Recognise a line whose program can be found; a path with a typing error has none."""
    try:
        words = [word for word in shlex.split(line) if not _is_assignment(word)]
    except ValueError as err:
        raise UserError(f"{one_line(line)!r} is no shell line: {err}") from err
    if not words:
        raise UserError("the evaluator is empty; give a file, a folder with a Dockerfile, or a shell line")
    if words[0] not in SHELL_WORDS and shutil.which(words[0]) is None:
        raise UserError(
            f"{one_line(line)!r}: there is no such file, and no program {one_line(words[0])!r} either; "
            "--style command takes it as a shell line all the same"
        )
    return Recognition(EvaluatorStyle.COMMAND, reason=f"a shell line that runs {one_line(words[0])}")


def _is_assignment(word: str) -> bool:
    name, sign, _ = word.partition("=")
    return bool(sign) and name.isidentifier()


def _folder(folder: Path) -> Recognition:
    missing = [name for name in CONTAINER_FILES if not (folder / name).is_file()]
    if not missing:
        return Recognition(EvaluatorStyle.CONTAINER, reason="a folder with Dockerfile and evaluate.sh")
    candidates = [name for name in ("evaluate.py", "evaluator.py") if (folder / name).is_file()]
    advice = f"give {folder / candidates[0]}" if candidates else "give the evaluator's file"
    raise UserError(f"{folder} is a folder without {' and without '.join(missing)}, so no container; {advice}")


def _executable(path: Path) -> Recognition:
    with path.open("rb") as file:
        first = file.readline(200)
    if first.startswith(b"#!"):
        return Recognition(
            EvaluatorStyle.COMMAND, reason=f"a script for {one_line(first[2:].decode(errors='replace'))}"
        )
    if os.access(path, os.X_OK):
        return Recognition(EvaluatorStyle.COMMAND, reason="a program that can be executed")
    raise UserError(
        f"{path} is neither Python (.py) nor executable; make it executable (chmod +x), "
        "or give a shell line that runs it"
    )


def _python_file(path: Path) -> Recognition:
    module = read_module(path)
    if all(option in module.texts for option in SHINKA_OPTIONS):
        return Recognition(EvaluatorStyle.SHINKA, reason="a script with --program_path and --results_dir")
    function = functions.find_evaluator(module)
    if function is not None:
        return _by_function(path, function)
    if module.is_script:
        return Recognition(EvaluatorStyle.COMMAND, reason="a script without a function evaluate")
    found = ", ".join(function.signature for function in module.functions) or "no function"
    raise UserError(
        f"{path} is not a script, and has no function evaluate, nor one of a candidate (it defines {one_line(found)}); "
        "call it evaluate(program_path), or give --style"
    )


def _by_function(path: Path, function: functions.EvaluatorFunction) -> Recognition:
    if function.style is not None:
        return Recognition(function.style, function.name, function.reason, function.parameter)
    start = next(iter(sorted(path.parent.glob("initial_program.*"))), None)
    if start is not None:
        reason = f"{function.reason}, and {start.name} is next to it"
        return Recognition(EvaluatorStyle.OPENEVOLVE, function.name, reason, function.parameter)
    raise UserError(
        f"{path}: {function.reason}, which may be a path (--style openevolve), the program's text (--style gepa) "
        "or a function of the program (--style function); give one of them"
    )
