"""Whether a run has any way to make another candidate."""

from __future__ import annotations

from pathlib import Path

from evograft.api import Pipeline, UserError
from evograft_program.options import ProgramOptions
from evograft_program.requests.models import NO_MODEL
from evograft_program.requests.plan import EvolutionPlan, program_options
from evograft_program.task.candidates import read_start
from evograft_program.tuning.operators import count_choices
from evograft_program.tuning.untunable import explain_untunable

WITHOUT_OPERATORS = frozenset({"program", "islands"})
"""Plugins that make no candidates beside tuning numbers."""


def attach_plan(plan: EvolutionPlan, folder: Path) -> Pipeline:
    """Attach a plan to a folder, if there is a way to vary its program, or nothing but its evaluation was asked for.

    Raises:
        UserError: there is neither a model nor a number that could be tuned.
    """
    pipeline = plan.attach(folder)
    others = {plugin.name for plugin in pipeline.plugins} - WITHOUT_OPERATORS
    if not others and pipeline.llm.driver == NO_MODEL and pipeline.budget.trials != 1:
        _require_numbers(program_options(pipeline))
    return pipeline


def _require_numbers(options: ProgramOptions) -> None:
    start = read_start(options.task, options.candidate)
    if start and not (options.tuning.enabled and count_choices(start, options)):
        why = explain_untunable(start, options)
        raise UserError(
            f"{options.candidate.program}: no number in it can be tuned{f' ({why})' if why else ''}, and there is no "
            "model: add --llm DRIVER:MODEL, or give its numbers names, such as SIZE = 3"
        )
