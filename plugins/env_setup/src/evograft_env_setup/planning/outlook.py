"""The phases before anything is built: the analysis of the repository and the plan."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from evograft.api import UserError, user_folder
from evograft_env_setup.analysis.analysis import RepositoryAnalysis
from evograft_env_setup.analysis.analyzer import EnvironmentAnalyzer
from evograft_env_setup.environments import Environments
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.planning.plan import PlanExtraction
from evograft_env_setup.planning.planner import Planner
from evograft_env_setup.reporting.progress import SetupProgress
from evograft_hookspecs.services.llm import LlmService

OWN_FILE = "environments.yaml"
"""In the user's configuration folder: it holds whatever the project."""


@dataclass(frozen=True)
class PlanningOutlook:
    """The analysis of a repository and the plan for it."""

    analysis: RepositoryAnalysis
    extraction: PlanExtraction


def plan_repository(
    options: EnvSetupOptions, progress: SetupProgress, *, llm: LlmService | None = None
) -> PlanningOutlook:
    """Go through the phases of pre-planning and planning.

    Args:
        options: name the repository.
        progress: is told of both phases.
        llm: plans; without a model the rules do.

    Raises:
        UserError: the repository is not a folder, or the environments' file is at fault.
    """
    root = Path(options.root)
    if not root.is_dir():
        raise UserError(f"root: {options.root!r} is no folder")
    known = load_environments(options)
    progress.set_active_phase("pre_planning")
    analyzer = EnvironmentAnalyzer(root, depth=options.depth, task=options.task, environments=known)
    analysis = analyzer.analyze()
    progress.mark_phase_completed("pre_planning")
    progress.set_active_phase("planning")
    extraction = Planner(known, llm=llm, task=options.task).plan(analysis)
    progress.warn(*extraction.warnings)
    progress.mark_phase_completed("planning")
    return PlanningOutlook(analysis, extraction)


def load_environments(options: EnvSetupOptions) -> Environments:
    """Load the environments that can be chosen.

    They include those of the file that is named, or else of the user's own.

    Raises:
        UserError: the environments' file is at fault.
    """
    own = user_folder("config") / OWN_FILE
    if options.environments:
        return Environments.with_file(Path(options.environments))
    # Unlike `own.exists()`, takes it well when the home is another user's, and closed.
    return Environments.with_file(own) if os.access(own, os.F_OK) else Environments.shipped()
