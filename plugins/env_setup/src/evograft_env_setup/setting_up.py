"""From a plan to an environment that works, or to the reasons why there is none."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from evograft_env_setup.manager import EnvironmentSetupManager
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.plan import SelectedEnvironment
from evograft_env_setup.pre_planning import known_environments
from evograft_env_setup.progress import Progress
from evograft_env_setup.report import SetupReport
from evograft_env_setup.workshop.place import open_workshop
from evograft_hookspecs.ports import LlmService


def set_up(
    project: str,
    plan: SelectedEnvironment,
    options: EnvSetupOptions,
    progress: Progress,
    *,
    llm: LlmService | None = None,
    on_output: Callable[[str], None] | None = None,
) -> SetupReport:
    """Carries a plan out in a place of its own, which is gone afterwards; what was set up is kept where it can be.

    Args:
        project: by which the environment is known again: a path, or the address that it was cloned from.
        plan: for the repository at `options.root`.
        options: of the place.
        progress: is told what happens.
        llm: corrects commands.
        on_output: is told each piece of what they print.

    Raises:
        UserError: the environments' file is at fault.
    """
    workshop, missing = open_workshop(project, known_environments(options)[plan.name], options, image=plan.image)
    if missing:
        progress.warn(missing)
    with closing(workshop):
        manager = EnvironmentSetupManager(
            workshop,
            options.root,
            progress,
            llm=llm,
            timeout=options.timeout,
            on_output=on_output,
        )
        report = manager.execute(plan)
    progress.set_active_phase("execution")
    return report
