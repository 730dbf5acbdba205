"""The files of a request: which the words of a command name, and which a folder with a task holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from evograft.api import UserError
from evograft_program.foreign.settings import ForeignSettings
from evograft_program.requests.request import EvolveRequest
from evograft_program.styles.recognition import CONTAINER_FILES
from evograft_program.task.candidates import find_changeable
from evograft_program.task.git import find_ignored
from evograft_program.task.layout import TaskFiles, TaskLayout, require_path

EVALUATORS = ("evaluate.py", "evaluator.py", "evaluation.py")
PROGRAMS = ("initial", "initial_program", "program")
"""Names of start programs, without their endings."""


def read_task_folder(folder: Path) -> tuple[Path | None, str]:
    """Return the start program and the evaluator of a folder that holds a task.

    Raises:
        UserError: it holds no evaluator, or several start programs.
    """
    if not folder.is_dir():
        raise UserError(f"--task-dir {str(folder)!r} is not a folder")
    is_container = all((folder / name).is_file() for name in CONTAINER_FILES)
    evaluator = folder if is_container else next((folder / e for e in EVALUATORS if (folder / e).is_file()), None)
    if evaluator is None:
        raise UserError(
            f"--task-dir {str(folder)!r} holds no evaluator: it needs one of {', '.join(EVALUATORS)}, or a Dockerfile "
            "with evaluate.sh"
        )
    for name in PROGRAMS:
        programs = sorted(path for path in folder.glob(f"{name}.*") if path.is_file())
        if len(programs) > 1:
            listed = ", ".join(path.name for path in programs)
            raise UserError(f"--task-dir {str(folder)!r} holds {listed}: give the one that is meant, and the evaluator")
        if programs:
            return programs[0], str(evaluator)
    return None, str(evaluator)


def complete_files(request: EvolveRequest, foreign: ForeignSettings) -> EvolveRequest:
    """Return the request with the files that a configuration names, where the user has named none.

    Raises:
        UserError: neither has.
    """
    if request.evaluator:
        return request
    if not foreign.evaluator or request.config is None:
        raise UserError(
            "give PROGRAM and EVALUATOR, or EVALUATOR with --statement FILE, or --task-dir FOLDER; see "
            "evo evolve --help"
        )
    folder = request.config.parent
    program = folder / foreign.program if foreign.program else None
    return replace(request, program=program, evaluator=str(folder / foreign.evaluator))


def find_task_files(request: EvolveRequest) -> tuple[TaskFiles, EvolveRequest]:
    """Return the files of a request, absolute, and the request with patterns that are relative to its program.

    Raises:
        UserError: something is not there, or does not fit.
    """
    program = None if request.program is None else require_path(request.program, "program")
    evaluator = _find_evaluator(request.evaluator)
    if program is not None and request.change:
        program = _find_tree(program, request.change)
    elif program is not None and program.is_dir():
        raise UserError(f"program {str(request.program)!r} is a folder: say what may change in it with --change GLOB")
    home = _find_home(evaluator, program if request.change else None)
    others = {"final": request.final, "examples": request.examples}
    found = {name: require_path(path, f"--{name}") for name, path in others.items() if path is not None}
    return TaskFiles(home, evaluator, program, found), replace(request, program=program)


def find_ignored_files(request: EvolveRequest, files: TaskFiles, layout: TaskLayout) -> frozenset[Path]:
    """Return what git ignores where a folder is the program, but for what the user has named."""
    if not request.change or files.program is None:
        return frozenset()
    named = (files.evaluator, *files.others.values(), *(path.resolve() for path in request.read))
    around = [source for source in layout.sources.values() if source in (files.program, *files.program.parents)]
    return find_ignored(around, but=[path for path in named if path is not None])


def _find_evaluator(text: str) -> Path | None:
    """Return the evaluator's file or folder; `None`: it is a shell line."""
    path = Path(text)
    return require_path(path, "evaluator") if _exists(path) else None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False  # a line that is too long for a name


def _find_home(evaluator: Path | None, tree: Path | None) -> Path:
    """Return the folder that an evaluator needs: its own; a shell line is carried out in the program's, or here."""
    if evaluator is None:
        return tree or Path.cwd()
    return evaluator if evaluator.is_dir() else evaluator.parent


def _find_tree(program: Path, change: tuple[str, ...]) -> Path:
    """Return the folder that patterns are relative to: the program's, or the current one if they match from there.

    Raises:
        UserError: they match nothing, or there is no folder.
    """
    if not program.is_dir():
        raise UserError(f"--change goes with a folder, and {str(program)!r} is a file: leave it out")
    here = Path.cwd()
    try:
        find_changeable(program, change)
    except UserError:
        if here not in program.parents:
            raise
        find_changeable(here, change)
        return here
    return program
