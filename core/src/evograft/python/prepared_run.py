"""Runs that plugins plan for Python, and how the plugin that does is found."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from evograft.config.pipeline import Pipeline
from evograft.errors import UserError
from evograft.plugin.entry_points import installed
from evograft.python.options import EvaluatorSource, EvolveOptions, ProgramSource, StudyOptions
from evograft_hookspecs import Evaluation

GROUP = "evograft.python"


@dataclass(frozen=True)
class PreparedRun:
    """A run that is about to be started, as `start_with_files` takes it."""

    pipeline: Pipeline
    """As far as it is known without the run's folder."""
    attach: Callable[[Path], Pipeline]
    """Fills the empty folder that it is handed with the task's files, and returns the pipeline that names it."""
    notes: tuple[str, ...] = ()
    """What the user should know, one line each."""


class EvolutionPlanner(Protocol):
    """The plugin's half of `evograft.evolve` and `evograft.study` (entry point group `evograft.python`)."""

    def plan_evolution(
        self, program: ProgramSource | None, evaluate: EvaluatorSource, options: EvolveOptions
    ) -> AbstractContextManager[PreparedRun]:
        """Return a run that evaluates by itself; its files are there within the context."""

    def plan_study(self, program: ProgramSource, options: StudyOptions) -> AbstractContextManager[PreparedRun]:
        """Return a run whose candidates the caller evaluates; likewise."""

    def read_answer(self, pipeline: Pipeline, answer: object) -> Evaluation:
        """Return what the caller's answer says about a candidate of a study."""


def load_planner() -> EvolutionPlanner:
    """Return the planner that is installed.

    Raises:
        UserError: none is.
    """
    found = installed(GROUP).get("planner")
    if not found:
        raise UserError(
            "evograft.evolve and evograft.study need a package that is missing: pip install evograft-program"
        )
    planner: EvolutionPlanner = found[0].load()()
    return planner
