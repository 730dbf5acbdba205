"""One evaluation: reads what is asked for, calls the evaluator, and answers."""

from __future__ import annotations

import base64
import os
import random
import shutil
import sys
from pathlib import Path
from typing import NoReturn

from evograft_program.worker.channel import AnswerChannel
from evograft_program.worker.failure import describe_exception
from evograft_program.worker.programs import PROGRAMS, execute
from evograft_program.worker.request import CANDIDATE, CHANGES, WORKING_FOLDER, EvaluationRequest
from evograft_program.worker.styles import EVALUATIONS, flush

ARCHIVE = sys.path[0]
SHIMS = f"{ARCHIVE}/shims"
"""What stands in for other engines, where they are not installed."""
SEED = "EVOGRAFT_SEED"
"""For evaluators and programs with generators of their own."""


def run() -> NoReturn:
    """Carry out the request on standard input."""
    folder = Path.cwd()
    request = EvaluationRequest.read(_read_standard_input())
    if request.style in PROGRAMS:
        _prepare(request)
        execute(request)
    channel = AnswerChannel(request.token)
    try:
        _prepare(request)
        EVALUATIONS[request.style](request, channel)
        _send_kept(request, channel)
    except BaseException as error:  # noqa: BLE001 - candidates and evaluators raise anything
        flush()
        channel.send("error", **describe_exception(error, ARCHIVE, folder))
    finally:
        # Threads and exit handlers that a candidate has left have no say any more.
        os._exit(0)


def _read_standard_input() -> bytes:
    """Read all of it, and leave nothing to be read by others."""
    with os.fdopen(os.dup(0), "rb") as file:
        data = file.read()
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.close(nothing)
    return data


def _prepare(request: EvaluationRequest) -> None:
    """Set up the working folder, what is imported, and the global random generators."""
    _take_over(Path(CANDIDATE))
    if request.folder:
        _copy_folder(request)
    work = Path(WORKING_FOLDER)
    work.mkdir()
    for path in Path(request.task).iterdir() if request.task else ():
        (work / path.name).symlink_to(path)
    os.chdir(work)
    sys.path[:] = [*request.path, *(entry for entry in sys.path if entry != ARCHIVE), SHIMS]
    os.environ[SEED] = str(request.seed)
    # Evaluators that call `python` mean this one.
    os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    random.seed(request.seed)
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed(request.seed % 2**32)


def _take_over(folder: Path) -> None:
    """Put a folder of this process in the place of one that was laid out for it, in which it could write nothing."""
    if folder.is_dir():
        given = folder.rename(folder.with_name(f"{folder.name}-as-given"))
        folder.mkdir()
        for path in given.iterdir():
            shutil.copyfile(path, folder / path.name)


def _copy_folder(request: EvaluationRequest) -> None:
    """Make a copy of the whole folder, with the files that the candidate changed in their places."""
    shutil.copytree(request.folder, request.program, symlinks=True, dirs_exist_ok=True)
    changes = Path(CHANGES)
    for path in changes.rglob("*"):
        if path.is_file():
            target = Path(request.program) / path.relative_to(changes)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            shutil.copyfile(path, target)


def _send_kept(request: EvaluationRequest, channel: AnswerChannel) -> None:
    if request.kept.is_file() and request.kept.stat().st_size <= request.kept_bytes:
        with request.kept.open("rb") as file:
            channel.send("kept", value=base64.b64encode(file.read(request.kept_bytes)).decode())
