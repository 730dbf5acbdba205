"""Sets an environment up: runs its commands, waits for what passes, has a model correct what can be, and verifies."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from evograft_env_setup.failures import Failure, amend, classify, inquire
from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.reporting.comment import FailureComment
from evograft_env_setup.reporting.progress import Progress
from evograft_env_setup.sandbox import CommandOutcome, Workshop, WorkshopUnavailable
from evograft_env_setup.sandbox.built_environment import BuiltEnvironment
from evograft_env_setup.setup.command_result import told_outcome
from evograft_env_setup.setup.regenerator import MOST, NoCorrection, Regenerator
from evograft_env_setup.setup.report import (
    Execution,
    SetupCommandResult,
    SetupReport,
    SetupResult,
    Trouble,
)
from evograft_env_setup.setup.retries import Attempt, Retries
from evograft_env_setup.setup.verifier import EnvironmentVerifier
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.services.llm import LlmService

TIMEOUT = 1800.0
"""Seconds of a command."""


class EnvironmentSetupManager:
    """Sets one project up, once. The workshop is the caller's, who closes it; what was set up is in it.

    Args:
        workshop: where commands run; it is started here.
        project: a folder.
        progress: is told what happens.
        llm: corrects commands; `None`, or one that has no model: what could be corrected is given up.
        timeout: seconds that a command may take.
        on_output: is told each piece of what setup commands print.
        sleep: waits for so many seconds.
    """

    def __init__(
        self,
        workshop: Workshop,
        project: str,
        progress: Progress,
        *,
        llm: LlmService | None = None,
        timeout: float = TIMEOUT,
        on_output: Callable[[str], None] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._workshop = workshop
        self._project = project
        self._progress = progress
        self._regenerator = Regenerator(llm) if llm is not None and llm.available else None
        self._timeout = timeout
        self._on_output = on_output
        self._retries = Retries(sleep, self._tell_wait)
        self._regenerations = 0
        self._built: BuiltEnvironment | None = None
        self._made: SelectedEnvironment
        """The plan as it stands: corrected, once commands were."""
        self._executions: list[Execution] = []
        self._troubles: list[Trouble] = []

    def execute(self, environment_setup_info: SelectedEnvironment) -> SetupReport:
        """Carries the plan out, at most four times: as it is, and after each of three corrections.

        Failure is no exception: it is reported, and whatever follows goes on with a warning.
        """
        self._progress.set_active_phase("environment_setup")
        self._made = environment_setup_info
        trouble = self._work(environment_setup_info)
        name = environment_setup_info.name
        if trouble is None:
            self._progress.mark_phase_completed("environment_setup")
        else:
            self._post_error_comment(name, trouble)
        return SetupReport(
            environment_name=name,
            overall_status="failed" if trouble else "success",
            executions=tuple(self._executions),
            errors=tuple(each.line for each in self._troubles) if trouble else (),
            retries=FrozenDict(self._retries.counted),
            regenerations=self._regenerations,
            plan=self._made,
            built=self._built,
        )

    def _work(self, planned: SelectedEnvironment) -> Trouble | None:
        try:
            trouble = self._bring_up()
            return trouble if trouble or self._is_remembered(planned) else self._repeat(planned)
        except WorkshopUnavailable as err:
            return self._met(Trouble.of_workshop(err))

    def _bring_up(self) -> Trouble | None:
        """The place and the project in it; no correction of commands helps where that fails."""
        self._progress.say("starting the place where commands run")
        for note in self._workshop.start():
            self._progress.warn(note)
        self._progress.say("bringing the project there")
        tried = self._retries.persist(lambda _: self._brought())
        if tried.failure is None:
            if tried.outcome.stdout:
                self._progress.say(tried.outcome.stdout)
            return None
        return self._met(Trouble.of_command("bring the project", tried.outcome, tried.failure))

    def _brought(self) -> Attempt:
        outcome = self._workshop.bring(self._project)
        failure = classify("git clone", outcome.exit_code, outcome.stdout, outcome.stderr)
        return Attempt(outcome, failure if outcome.exit_code else None)

    def _is_remembered(self, planned: SelectedEnvironment) -> bool:
        """Whether an earlier set-up of this very project left the place as it should be."""
        kept = self._workshop.recall(planned)
        if kept is None:
            return False
        self._progress.say("an earlier set-up of this very project is recalled")
        execution = self._verify_environment(kept.plan, SetupResult(status="success", recalled=True))
        if execution.trouble is None:
            self._executions.append(execution)
            self._built, self._made = kept.environment, kept.plan
            return True
        self._progress.say(f"{execution.trouble.line}; the commands run again")
        return False

    def _repeat(self, planned: SelectedEnvironment) -> Trouble | None:
        while True:
            execution = self._execute_once(self._made)
            self._executions.append(execution)
            trouble = execution.trouble
            if trouble is None:
                self._remember(planned)
                return None
            corrected = self._regenerate_setup_commands(self._made, self._met(trouble))
            if corrected is None:
                return trouble
            self._made = corrected

    def _remember(self, planned: SelectedEnvironment) -> None:
        try:
            kept = self._workshop.remember(planned, self._made)
        except WorkshopUnavailable as err:
            self._progress.warn(f"the environment is not kept for the next time: {err}")
            return
        if kept:
            self._built = kept.environment
            for note in kept.notes:
                self._progress.say(note)

    def _met(self, trouble: Trouble) -> Trouble:
        self._troubles.append(trouble)
        self._progress.say(f"{trouble.error_class}: {trouble.line}")
        return trouble

    def _execute_once(self, planned: SelectedEnvironment) -> Execution:
        results = []
        for command in planned.setup_commands:
            self._progress.say(command)
            tried = self._retries.persist(partial(self._attempt, command))
            results.append(SetupCommandResult(**told_outcome(command, tried.outcome), attempts=tried.number))
            if tried.failure is not None:
                trouble = Trouble.of_command(command, tried.outcome, tried.failure)
                return Execution(setup_result=SetupResult(status="failed", commands=tuple(results)), trouble=trouble)
        return self._verify_environment(planned, SetupResult(status="success", commands=tuple(results)))

    def _attempt(self, command: str, retry: bool) -> Attempt:  # noqa: FBT001 - as `Retries` calls it
        outcome = self._run(amend(command, retry=retry))
        return Attempt(outcome, self._classify_error(command, outcome) if outcome.exit_code else None)

    def _classify_error(self, command: str, outcome: CommandOutcome) -> Failure:
        failure = classify(command, outcome.exit_code, outcome.stdout, outcome.stderr)
        return inquire(failure, amend(command, retry=True), self._run)

    def _verify_environment(self, planned: SelectedEnvironment, done: SetupResult) -> Execution:
        self._progress.say("verifying")
        verifier = EnvironmentVerifier(partial(self._run, network=False))
        result = verifier.verify_setup(planned.verification)
        trouble = None if result.status == "success" else Trouble.of_verification(result)
        return Execution(setup_result=done, verification_result=result, trouble=trouble)

    def _regenerate_setup_commands(self, planned: SelectedEnvironment, trouble: Trouble) -> SelectedEnvironment | None:
        """Other commands; `None` where nothing is to be corrected, nobody can, or it was tried often enough."""
        if trouble.error_class != "fixable":
            return None
        if self._regenerator is None:
            self._progress.warn("no model is set that could correct the commands")
            return None
        message = trouble.message
        while self._regenerations < MOST:
            self._regenerations += 1
            self._progress.say(f"asking the model for other commands ({self._regenerations} of {MOST})")
            try:
                return self._regenerator.regenerate(planned, message, self._regenerations)
            except NoCorrection as err:
                self._progress.warn(str(err))
                message = f"{trouble.message}\n\nYour last answer was of no use: {err}"
        return None

    def _post_error_comment(self, name: str, trouble: Trouble) -> None:
        comment = FailureComment(
            environment_name=name,
            error_message=trouble.message,
            network_retry_count=self._retries.counted["network"],
            llm_regeneration_count=self._regenerations,
            error_classification=_classification(trouble),
        )
        self._progress.post(comment.markdown(self._progress.language))

    def _run(self, command: str, *, network: bool = True) -> CommandOutcome:
        return self._workshop.run(command, timeout=self._timeout, network=network, on_output=self._on_output)

    def _tell_wait(self, failure: Failure, seconds: float) -> None:
        self._progress.say(f"{failure.tell} Waiting {seconds:g} s")


def _classification(trouble: Trouble) -> str:
    if trouble.waited_in_vain:
        return f"retryable ({trouble.kind}), retries used up"
    return f"{trouble.error_class} ({trouble.kind})"
