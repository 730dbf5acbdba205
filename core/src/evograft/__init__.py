"""LLM-driven program evolution.

`evolve` improves a program by an evaluator, `study` improves one whose scores you tell it, `resume` continues a run and
`open` looks at one. What they need is imported when they are called.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing's own would take longer to import than all else here
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any, Unpack

    from evograft.cli_kit.console import Style
    from evograft.python.options import EvaluatorSource, EvolveOptions, ProgramSource, StudyOptions
    from evograft.python.run import Run
    from evograft.python.study import Study

__all__ = ["evolve", "open", "resume", "study"]


def evolve(program: ProgramSource | None, evaluate: EvaluatorSource, **options: Unpack[EvolveOptions]) -> Run:
    """Improve a program by an evaluator, as `evo evolve` does, and return the run when it has stopped.

    Args:
        program: a path, or the text of the start program; `None`: a model writes it from the statement.
        evaluate: a path, a shell line, the text of a Python module, or a function.
        options: as those of `evo evolve`: `llm`, `trials`, `seconds`, `minimise`, `statement`, `folder`, …

    Raises:
        UserError: what is asked for is not there, or does not fit.
        PluginError: the evaluator accepts no start program, or a plugin is at fault.
        ServiceError: something outside cannot be used.
    """
    from evograft.python.evolution import evolve_program

    return evolve_program(program, evaluate, options)


def study(
    program: ProgramSource | None = None, *, resume: str | Path | None = None, **options: Unpack[StudyOptions]
) -> Study:
    """Begin a study: it proposes programs with `ask`, and you say with `tell` how good they are.

    Args:
        program: a path, or the text of the start program.
        resume: the run of an earlier study that goes on, in place of a program.
        options: `llm`, `minimise`, `window`, `statement`, `folder`, …

    Raises:
        UserError: what is asked for is not there, or does not fit.
        ServiceError: something outside cannot be used.
    """
    from evograft.python.evolution import open_study

    return open_study(program, resume, options)


def resume(
    run: str | Path, *, settings: Mapping[str, Any] | None = None, background: bool = False, progress: Style = "auto"
) -> Run:
    """Continue a run from where its log ends, of whichever plugin it is, and return it when it has stopped.

    Args:
        run: its path, name or id, or `latest`.
        settings: that are changed, by keys such as `budget.trials`.
        background: whether a process of its own works on the run, which outlives this one.
        progress: how it is shown.
    """
    from evograft.python.work import resume_run

    return resume_run(run, settings or {}, background=background, progress=progress)


def open(run: str | Path) -> Run:  # noqa: A001 - reads as evograft.open(...), as in other libraries
    """Return a view of a run, finished or live, of whichever plugin it is.

    Args:
        run: its path, name or id, or `latest`.
    """
    from evograft.python.work import open_view

    return open_view(run)
