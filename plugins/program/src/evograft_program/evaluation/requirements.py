"""What an evaluator needs, looked for before anything is evaluated."""

from __future__ import annotations

from pathlib import Path

from evograft_hookspecs import EnvironmentReport
from evograft_program.evaluation.evaluator import ProgramEvaluator
from evograft_program.evaluation.interpreter import EvaluationPython
from evograft_program.options import IN_PYTHON, EvaluatorStyle, ProgramOptions
from evograft_program.styles.imports import install_command, missing_modules

WALLS = frozenset({"namespaces", "user", "landlock", "seccomp", "network"})
"""Layers whose lack is worth a word; others are told of drivers that were not chosen."""


def check_requirements(options: ProgramOptions, evaluator: ProgramEvaluator) -> EnvironmentReport:
    """Return whether candidates can be evaluated here, and what is missing.

    Raises:
        SandboxUnavailable: there is no sandbox here.
        UserError: the Python that was given does not work.
    """
    if options.evaluator.style is EvaluatorStyle.STUDY:
        return EnvironmentReport(done=("scores are told by the caller",))
    EvaluationPython(options.evaluator.python).require()
    layers = evaluator.get_layers()
    path = Path(options.task.folder, options.evaluator.path)
    if options.evaluator.style in IN_PYTHON:
        folders = [Path(each) for each in (options.task.folder, *options.evaluator.read)]
        missing = missing_modules(path, python=options.evaluator.python, folders=folders)
        if missing:
            names = ", ".join(each.module for each in missing)
            command = install_command(missing, python=options.evaluator.python)
            return EnvironmentReport(status="failed", errors=(f"{path.name} imports {names}: {command}",))
    final = options.trust.final
    if final and not Path(options.task.folder, final).exists():
        return EnvironmentReport(status="failed", errors=(f"the evaluator of the end, {final!r}, is not in the task",))
    absent = [layer.name for layer in layers if layer.name in WALLS and not layer.active]
    return EnvironmentReport(
        status="degraded" if absent else "ready",
        done=(f"evaluator {path.name}",),
        errors=tuple(f"the sandbox has no {name} here" for name in absent),
    )
