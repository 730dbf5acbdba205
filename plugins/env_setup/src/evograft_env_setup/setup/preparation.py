"""The answer of the hook `setup_env`."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from evograft.api import load_settings
from evograft.cli_kit.console import Display
from evograft.text.escapes import sanitize
from evograft.text.i18n import usual_language
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.planning.outlook import PlanningOutlook, plan_repository
from evograft_env_setup.reporting.places import open_reporter
from evograft_env_setup.reporting.progress import SetupProgress
from evograft_env_setup.reporting.terminal import Terminal
from evograft_env_setup.setup.checkout import GitRevision, open_repository
from evograft_env_setup.setup.environment_setup import set_up
from evograft_env_setup.setup.report import SetupReport
from evograft_hookspecs import EnvironmentReport
from evograft_hookspecs.services.llm import LlmService

ONLY_PLANNED = "planned, not built"


def prepare_and_report(options: EnvSetupOptions, llm: LlmService, uses: ExitStack) -> EnvironmentReport:
    """Prepare as the command does, and report it.

    It is told on standard error and to the places of the options, with the comment on a failure.

    Args:
        options: of the plugin.
        llm: plans and corrects.
        uses: until it is closed, nobody removes what was set up.

    Raises:
        UserError: as `prepare`; or a place to report to is at fault.
        ServiceError: as `prepare`.
    """
    is_silent = options.place == "none" or load_settings().progress == "quiet"
    # Lines alone: what moves belongs to whoever runs the kernel.
    display = Display("quiet" if is_silent else "plain")
    reporters = [Terminal(display), *map(open_reporter, options.report)]
    progress = SetupProgress(reporters, language=options.language or usual_language())
    report = prepare(options, llm, progress, uses)
    if progress.status.comment:
        display.say(progress.status.comment)
    return report


def prepare(
    options: EnvSetupOptions,
    llm: LlmService | None = None,
    progress: SetupProgress | None = None,
    uses: ExitStack | None = None,
) -> EnvironmentReport:
    """Plan the environment and build it, unless no place is wanted.

    A set-up that fails degrades the run, and does not stop it.

    Args:
        options: of the plugin.
        llm: plans and corrects.
        progress: is told how it goes.
        uses: until it is closed, nobody removes what was set up.

    Returns:
        Its facts are the `plan`, as it was carried out in the end, and if it was, `hand_over`, `kept`, `built` and
        `executions`.

    Raises:
        UserError: the repository is neither a folder nor an address, or the environments' file is at fault.
        ServiceError: it can't be cloned.
    """
    progress = progress or SetupProgress()
    with open_repository(options.root, progress, GitRevision.of(options)) as (root, project):
        there = options.model_copy(update={"root": str(root)})
        outlook = plan_repository(there, progress, llm=llm)
        plan = outlook.extraction.plan
        if options.place == "none":
            return _report(outlook, progress, {"plan": plan.model_dump(mode="json")})
        built = set_up(project, plan.selected_environment, there, progress, llm=llm, uses=uses)
    made = plan.model_copy(update={"selected_environment": built.plan})
    facts = {
        "plan": made.model_dump(mode="json"),
        "hand_over": built.hand_over().model_dump(mode="json"),
        "kept": built.kept,
        "built": built.built.model_dump(mode="json") if built.built else None,
        "executions": [each.outline() for each in built.executions],
    }
    return _report(outlook, progress, facts, built)


def _report(
    outlook: PlanningOutlook, progress: SetupProgress, facts: dict[str, Any], built: SetupReport | None = None
) -> EnvironmentReport:
    chosen = outlook.extraction.plan.selected_environment
    findings = (f"{each.file} {each.what}" for each in outlook.analysis.findings)
    errors = (*progress.status.warnings, *findings, *(built.errors if built else ()))
    commands = f"{len(chosen.setup_commands)} setup commands, {len(chosen.verification)} verifications"
    done = (
        f"environment {chosen.name}: {chosen.reason}",
        f"{commands}: {built.overall_status if built else ONLY_PLANNED}",
    )
    return EnvironmentReport(
        status="ready" if built and not errors else "degraded",
        done=tuple(map(sanitize, done)),
        errors=tuple(map(sanitize, errors)),
        facts=facts,
    )
