"""The way from a plan to an environment that works, or to the reasons why there is none."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing

from evograft_env_setup.environments import Environment
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.planning.outlook import load_environments
from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.reporting.progress import SetupProgress
from evograft_env_setup.sandbox import SetupSandbox
from evograft_env_setup.sandbox.command_prefix import with_prefix, with_variables
from evograft_env_setup.sandbox.selection import choose_sandbox, lock_environment
from evograft_env_setup.setup.manager import EnvironmentSetupManager
from evograft_env_setup.setup.report import SetupReport
from evograft_hookspecs.services.llm import LlmService


def set_up(
    project: str,
    plan: SelectedEnvironment,
    options: EnvSetupOptions,
    progress: SetupProgress,
    *,
    llm: LlmService | None = None,
    on_output: Callable[[str], None] | None = None,
    uses: ExitStack | None = None,
) -> SetupReport:
    """Carry a plan out in a place of its own, which is gone afterwards; what was set up is kept if it can be.

    Args:
        project: by which the environment is known again: a path, or the address that it was cloned from.
        plan: for the repository at `options.root`.
        options: of the place.
        progress: is told what happens.
        llm: corrects commands.
        on_output: is told each piece of what they print.
        uses: until it is closed, nobody removes what was set up.

    Raises:
        UserError: the environments' file is at fault.
    """
    environment = load_environments(options)[plan.name]
    sandbox, missing = choose_sandbox(project, environment, options, image=plan.image)
    if missing:
        progress.warn(missing)
    with closing(sandbox):
        manager = EnvironmentSetupManager(
            sandbox,
            options.root,
            progress,
            llm=llm,
            timeout=options.timeout,
            on_output=on_output,
        )
        report = _close_report(manager.execute(plan), environment, sandbox)
        if uses and report.built:
            uses.enter_context(lock_environment(report.built))
    progress.set_active_phase("execution")
    return report


def _close_report(report: SetupReport, environment: Environment, sandbox: SetupSandbox) -> SetupReport:
    """Return the report as it will be once the place is closed."""
    if report.built:
        built = with_variables(with_prefix(report.built, report.plan, environment), sandbox)
        return report.model_copy(update={"is_open": False, "built": built})
    errors = report.errors or ("the environment was set up and verified, and could not be kept",)
    return report.model_copy(update={"is_open": False, "errors": errors})
