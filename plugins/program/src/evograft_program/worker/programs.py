"""Evaluators that are programs of their own: this process becomes them, and what they print is the answer."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path
from typing import NoReturn

from evograft_program.worker.request import EvaluationRequest

CONTAINER = "container"
PROGRAMS = ("command", CONTAINER)
SHELL = "/bin/sh"
SCRIPT = "evaluate.sh"
TRAIN, TEST = "train", "test"
"""What the script of a container is told: whether the search goes on, or this is the evaluation at the end."""
TEMPORARY = "/tmp"  # noqa: S108 - it is looked for in scripts, not used
WORKING_FOLDER = re.compile(r"^WORKDIR\s+(\S+)", re.MULTILINE | re.IGNORECASE)


def execute(request: EvaluationRequest) -> NoReturn:
    """Become the evaluator; it is given the candidate's path, unless it works in the candidate's folder."""
    here = Path(request.task, request.evaluator)
    if request.style == CONTAINER:
        script = str(_write_script(here if here.is_dir() else here.parent))
        mode = TEST if request.is_final else TRAIN
        _become_shell('"$0" "$@"', script, request.program, mode, *request.arguments)
    words = [shlex.quote(word) for word in request.arguments]
    if request.folder:
        os.chdir(request.program)
    else:
        words.insert(0, shlex.quote(request.program))
    command = _find_command(here) if request.task and here.is_file() else request.evaluator
    _become_shell(" ".join((command, *words)))


def _find_command(script: Path) -> str:
    """Return what runs a script, also one that is not marked as executable; what is none cannot be run."""
    if os.access(script, os.X_OK):
        return shlex.quote(str(script))
    with script.open("rb") as file:
        first = file.readline().decode(errors="replace").strip()
    if script.suffix == ".py":
        return f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
    return f"{first[2:]} {shlex.quote(str(script))}" if first.startswith("#!") else shlex.quote(str(script))


def _become_shell(*arguments: str) -> NoReturn:
    os.execv(SHELL, [SHELL, "-c", *arguments])  # noqa: S606 - it is the shell


def _write_script(folder: Path) -> Path:
    """Write the script of a container as it is outside: with this folder for the one that its image has.

    Only the script is changed, and only where it names that folder in full, or the temporary one.
    """
    script = Path("..", SCRIPT).resolve()
    text = _replace_folder((folder / SCRIPT).read_text(encoding="utf-8"), TEMPORARY, script.parent)
    for inside in WORKING_FOLDER.findall((folder / "Dockerfile").read_text(encoding="utf-8"))[-1:]:
        text = _replace_folder(text, inside.rstrip("/") or inside, folder)
    script.write_text(text, encoding="utf-8")
    script.chmod(0o755)
    return script


def _replace_folder(text: str, inside: str, outside: Path) -> str:
    return re.sub(rf"(?<![\w./-]){re.escape(inside)}(?=[/\s\"']|$)", lambda _: str(outside), text)
