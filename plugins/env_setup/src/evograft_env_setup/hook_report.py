"""The answer of the hook `setup_env`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from evograft.escapes import told
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.pre_planning import Outlook, look_ahead
from evograft_env_setup.progress import Progress
from evograft_env_setup.report import SetupReport
from evograft_env_setup.reporting.reporter import Reporter
from evograft_env_setup.setting_up import set_up
from evograft_hookspecs import EnvironmentReport
from evograft_hookspecs.ports import LlmService

ONLY_PLANNED = "planned, not built"


def prepare(
    options: EnvSetupOptions, llm: LlmService | None = None, reporters: Iterable[Reporter] = ()
) -> EnvironmentReport:
    """Plans the environment and builds it, unless no place is wanted. A set-up that fails degrades the run, and does not stop it.

    Args:
        options: of the plugin.
        llm: plans and corrects.
        reporters: are told how it goes.

    Returns:
        Its facts are the `plan`, and `hand_over` and `kept` if it was carried out.

    Raises:
        UserError: the repository is no folder, or the environments' file is at fault.
    """
    progress = Progress(reporters)
    outlook = look_ahead(options, progress, llm=llm)
    plan = outlook.extraction.plan
    facts: dict[str, Any] = {"plan": plan.model_dump(mode="json")}
    if options.place == "none":
        return _report(outlook, progress, facts)
    built = set_up(str(Path(options.root).resolve()), plan.selected_environment, options, progress, llm=llm)
    facts |= {
        "hand_over": built.hand_over().model_dump(mode="json"),
        "kept": built.kept,
        "built": built.built.model_dump(mode="json") if built.built else None,
    }
    return _report(outlook, progress, facts, built)


def _report(
    outlook: Outlook, progress: Progress, facts: dict[str, Any], built: SetupReport | None = None
) -> EnvironmentReport:
    chosen = outlook.extraction.plan.selected_environment
    findings = (f"{each.file} {each.what}" for each in outlook.analysis.findings)
    errors = (*progress.standing.warnings, *findings, *(built.errors if built else ()))
    commands = f"{len(chosen.setup_commands)} setup commands, {len(chosen.verification)} verifications"
    done = (
        f"environment {chosen.name}: {chosen.reason}",
        f"{commands}: {built.overall_status if built else ONLY_PLANNED}",
    )
    return EnvironmentReport(
        status="ready" if built and not errors else "degraded",
        done=tuple(map(told, done)),
        errors=tuple(map(told, errors)),
        facts=facts,
    )
