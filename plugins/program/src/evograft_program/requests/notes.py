"""Notes on a request: what the user should know before the run begins, one line each."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection
from pathlib import Path

from evograft_program.requests.request import EvolveRequest
from evograft_program.task.copy import SHOWN
from evograft_program.task.files import SKIPPED
from evograft_program.task.layout import TaskFiles

CONFIGURATIONS = ("config.yaml", "config.yml")
"""What files of other engines' settings are called."""


def list_notes(request: EvolveRequest, files: TaskFiles, ignored: Collection[Path]) -> tuple[str, ...]:
    """Return the notes on a request.

    Args:
        request: of the user.
        files: of its task.
        ignored: what git ignores of them.
    """
    return (*_point_to_configuration(request, files), *_list_unset(request), *_name_ignored(ignored))


def _name_ignored(ignored: Collection[Path]) -> tuple[str, ...]:
    """Return a line about what is not copied because git ignores it, but for what nobody would miss."""
    names = sorted(path.name for path in ignored if path.name not in SKIPPED and path.suffix != ".pyc")
    if not names:
        return ()
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return (
        f"git ignores {', '.join(names[:SHOWN])}{more}: evaluations do not get it unless it is named with --read PATH",
    )


def _point_to_configuration(request: EvolveRequest, files: TaskFiles) -> tuple[str, ...]:
    """Return a line about a configuration next to evaluator or program that nobody has named."""
    folders = (files.home, *(() if files.program is None else (files.program.parent,)))
    paths = (folder / name for folder in folders for name in CONFIGURATIONS)
    found = next((path for path in paths if path.is_file()), None)
    if found is None or request.config is not None or files.evaluator is None:
        return ()
    where = "evaluator" if found.parent == files.home else "program"
    return (f"{found.name} next to the {where} is not read: -c {shlex.quote(str(found))} takes its settings over",)


def _list_unset(request: EvolveRequest) -> tuple[str, ...]:
    """Return a line for each variable that evaluations are to get and that there is not."""
    unset = (name for name in request.settings.get("env", ()) if name not in os.environ)
    return tuple(f"--env {name}: there is no such variable, so evaluations do not get it" for name in unset)
