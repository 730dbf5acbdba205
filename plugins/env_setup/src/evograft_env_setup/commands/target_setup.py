"""A set-up for a command, and as people read it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from evograft.api import load_settings
from evograft.cli_kit.console import Display
from evograft.text.i18n import usual_language
from evograft_env_setup.commands.plan_view import open_plan, selected_environment
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.reporting.phases import PhaseStatus
from evograft_env_setup.reporting.places import open_reporter
from evograft_env_setup.reporting.progress import SetupProgress
from evograft_env_setup.reporting.terminal import Terminal
from evograft_env_setup.setup.checkout import GitRevision, open_repository
from evograft_env_setup.setup.environment_setup import set_up
from evograft_env_setup.setup.report import SetupReport
from evograft_env_setup.text.printable import escape_unprintable


@dataclass(frozen=True)
class SetupRequest:
    """A request to set something up."""

    options: EnvSetupOptions
    llm: str | None
    overrides: tuple[str, ...]


@dataclass(frozen=True)
class SetupOutcome:
    """The outcome of a set-up."""

    plan: SelectedEnvironment
    report: SetupReport
    status: PhaseStatus
    """Where it ended: what the user was warned of, and the comment on what has failed."""

    @property
    def is_ready(self) -> bool:
        return self.report.hand_over().environment_ready

    def to_json(self) -> dict[str, Any]:
        """Return the plan, the result's four entries, what the next phase is told, what is left, and what was run."""
        return {
            "plan": self.plan.model_dump(mode="json"),
            "result": self.report.to_dict(),
            "hand_over": self.report.hand_over().model_dump(mode="json"),
            "kept": self.report.kept,
            "built": self.report.built.model_dump(mode="json") if self.report.built else None,
            "executions": [each.model_dump(mode="json") for each in self.report.executions],
            "warnings": list(self.status.warnings),
        }


def set_up_target(asked: SetupRequest, *, quiet: bool) -> SetupOutcome:
    """Go through the phases up to the set-up, and report to the terminal and to the other reporters.

    Raises:
        UserError: the target, a place to report to, or a setting is at fault.
        ServiceError: the repository can't be cloned.
    """
    with Display("quiet" if quiet else load_settings().progress) as display:
        terminal = Terminal(display)
        given = asked.options
        reporters = [terminal, *map(open_reporter, given.report)]
        progress = SetupProgress(reporters, language=given.language or usual_language())
        with open_repository(given.root, progress, GitRevision.of(given)) as (root, project):
            options = given.model_copy(update={"root": str(root)})
            progress.set_active_phase("pre_planning")
            with open_plan(
                options, llm=asked.llm, overrides=asked.overrides, on_analyzed=partial(_begin_planning, progress)
            ) as (outlook, llm):
                progress.warn(*outlook.errors)
                progress.mark_phase_completed("planning")
                plan = selected_environment(outlook)
                report = set_up(project, plan, options, progress, llm=llm, on_output=terminal.output)
    return SetupOutcome(report.plan, report, progress.status)


def _begin_planning(progress: SetupProgress) -> None:
    progress.mark_phase_completed("pre_planning")
    progress.set_active_phase("planning")


def format_setup(done: SetupOutcome) -> str:
    """Plain lines: what was done, whether it works, and why not."""
    last = done.report.executions[-1] if done.report.executions else None
    setup = last.setup_result.commands if last else ()
    verified = last.verification_result.commands if last else ()
    lines = [
        f"environment: {done.plan.name}: {done.report.overall_status}",
        *(f"  {each.command}  # exit code {each.exit_code}, {each.seconds:.1f} s" for each in setup),
        *(f"  {each.command}  # {'as expected' if each.matches else 'not as expected'}" for each in verified),
        *done.report.errors,
        *([f"kept as {done.report.kept}"] if done.report.kept else []),
        *(["", *done.status.comment.splitlines()] if done.status.comment else []),
    ]
    return "\n".join(map(escape_unprintable, lines))
