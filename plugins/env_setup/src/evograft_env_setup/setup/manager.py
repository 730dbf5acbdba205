"""The manager of a set-up: runs its commands, waits, has a model correct what it can, and verifies."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from evograft_env_setup.failures import CommandFailure, amend, classify, probe
from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.reporting.comment import FailureComment
from evograft_env_setup.reporting.progress import SetupProgress
from evograft_env_setup.sandbox import CommandOutcome, SetupSandbox, SetupSandboxUnavailable
from evograft_env_setup.sandbox.built_environment import BuiltEnvironment
from evograft_env_setup.setup.command_result import record_fields
from evograft_env_setup.setup.regenerator import MOST, NoCorrection, Regenerator
from evograft_env_setup.setup.report import (
    Execution,
    SetupCommandResult,
    SetupFailure,
    SetupReport,
    SetupResult,
)
from evograft_env_setup.setup.retries import CommandAttempt, CommandRetries
from evograft_env_setup.setup.verifier import EnvironmentVerifier
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.services.llm import LlmService

TIMEOUT = 1800.0
"""Seconds of a command."""


class EnvironmentSetupManager:
    """A manager that sets one project up, once.

    The sandbox is the caller's, who closes it; what was set up is in it.

    Args:
        sandbox: where commands run; it is started here.
        project: a folder.
        progress: is told what happens.
        llm: corrects commands; `None`, or one that has no model: what could be corrected is given up.
        timeout: seconds that a command may take.
        on_output: is told each piece of what setup commands print.
        sleep: waits for a given number of seconds.
    """

    def __init__(
        self,
        sandbox: SetupSandbox,
        project: str,
        progress: SetupProgress,
        *,
        llm: LlmService | None = None,
        timeout: float = TIMEOUT,
        on_output: Callable[[str], None] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._sandbox = sandbox
        self._project = project
        self._progress = progress
        self._regenerator = Regenerator(llm) if llm is not None and llm.available else None
        self._timeout = timeout
        self._on_output = on_output
        self._retries = CommandRetries(sleep, self._tell_wait)
        self._regenerations = 0
        self._built: BuiltEnvironment | None = None
        self._made: SelectedEnvironment
        """The plan as it stands: corrected, once commands were."""
        self._executions: list[Execution] = []
        self._failures: list[SetupFailure] = []

    def execute(self, environment_setup_info: SelectedEnvironment) -> SetupReport:
        """Carry the plan out, at most four times: as it is, and after each of three corrections.

        Failure is not an exception: it is reported, and what follows continues with a warning.
        """
        self._progress.set_active_phase("environment_setup")
        self._made = environment_setup_info
        failure = self._set_up(environment_setup_info)
        name = environment_setup_info.name
        if failure is None:
            self._progress.mark_phase_completed("environment_setup")
        else:
            self._post_error_comment(name, failure)
        return SetupReport(
            environment_name=name,
            overall_status="failed" if failure else "success",
            executions=tuple(self._executions),
            errors=tuple(each.line for each in self._failures) if failure else (),
            retries=FrozenDict(self._retries.counted),
            regenerations=self._regenerations,
            plan=self._made,
            built=self._built,
        )

    def _set_up(self, planned: SelectedEnvironment) -> SetupFailure | None:
        try:
            failure = self._bring_up()
            return failure if failure or self._is_restored(planned) else self._execute_until_verified(planned)
        except SetupSandboxUnavailable as err:
            return self._note_failure(SetupFailure.of_sandbox(err))

    def _bring_up(self) -> SetupFailure | None:
        """Start the place and copy the project in; no correction of commands helps if that fails."""
        self._progress.say("starting the place where commands run")
        for note in self._sandbox.start():
            self._progress.warn(note)
        self._progress.say("bringing the project there")
        tried = self._retries.persist(lambda _: self._copy_in())
        if tried.failure is None:
            if tried.outcome.stdout:
                self._progress.say(tried.outcome.stdout)
            return None
        return self._note_failure(SetupFailure.of_command("bring the project", tried.outcome, tried.failure))

    def _copy_in(self) -> CommandAttempt:
        outcome = self._sandbox.copy_in(self._project)
        failure = classify("git clone", outcome.exit_code, outcome.stdout, outcome.stderr)
        return CommandAttempt(outcome, failure if outcome.exit_code else None)

    def _is_restored(self, planned: SelectedEnvironment) -> bool:
        """Return whether an earlier set-up of this very project left the place as it should be."""
        kept = self._sandbox.restore(planned)
        if kept is None:
            return False
        self._progress.say("an earlier set-up of this very project is recalled")
        execution = self._verify_environment(kept.plan, SetupResult(status="success", recalled=True))
        if execution.failure is None:
            self._executions.append(execution)
            self._built, self._made = kept.environment, kept.plan
            return True
        self._progress.say(f"{execution.failure.line}; the commands run again")
        return False

    def _execute_until_verified(self, planned: SelectedEnvironment) -> SetupFailure | None:
        while True:
            execution = self._execute_once(self._made)
            self._executions.append(execution)
            failure = execution.failure
            if failure is None:
                self._snapshot(planned)
                return None
            corrected = self._regenerate_setup_commands(self._made, self._note_failure(failure))
            if corrected is None:
                return failure
            self._made = corrected

    def _snapshot(self, planned: SelectedEnvironment) -> None:
        try:
            kept = self._sandbox.snapshot(planned, self._made)
        except SetupSandboxUnavailable as err:
            self._progress.warn(f"the environment is not kept for the next time: {err}")
            return
        if kept:
            self._built = kept.environment
            for note in kept.notes:
                self._progress.say(note)

    def _note_failure(self, failure: SetupFailure) -> SetupFailure:
        self._failures.append(failure)
        self._progress.say(f"{failure.error_class}: {failure.line}")
        return failure

    def _execute_once(self, planned: SelectedEnvironment) -> Execution:
        results = []
        for command in planned.setup_commands:
            self._progress.say(command)
            tried = self._retries.persist(partial(self._attempt, command))
            results.append(SetupCommandResult(**record_fields(command, tried.outcome), attempts=tried.number))
            if tried.failure is not None:
                failure = SetupFailure.of_command(command, tried.outcome, tried.failure)
                return Execution(setup_result=SetupResult(status="failed", commands=tuple(results)), failure=failure)
        return self._verify_environment(planned, SetupResult(status="success", commands=tuple(results)))

    def _attempt(self, command: str, retry: bool) -> CommandAttempt:  # noqa: FBT001 - as `CommandRetries` calls it
        outcome = self._run(amend(command, retry=retry))
        return CommandAttempt(outcome, self._classify_error(command, outcome) if outcome.exit_code else None)

    def _classify_error(self, command: str, outcome: CommandOutcome) -> CommandFailure:
        failure = classify(command, outcome.exit_code, outcome.stdout, outcome.stderr)
        return probe(failure, amend(command, retry=True), self._run)

    def _verify_environment(self, planned: SelectedEnvironment, done: SetupResult) -> Execution:
        self._progress.say("verifying")
        verifier = EnvironmentVerifier(partial(self._run, network=False))
        result = verifier.verify_setup(planned.verification)
        failure = None if result.status == "success" else SetupFailure.of_verification(result)
        return Execution(setup_result=done, verification_result=result, failure=failure)

    def _regenerate_setup_commands(
        self, planned: SelectedEnvironment, failure: SetupFailure
    ) -> SelectedEnvironment | None:
        """Return other commands, or `None`.

        `None` means that nothing is to be corrected, nobody can, or it was tried often enough.
        """
        if failure.error_class != "fixable":
            return None
        if self._regenerator is None:
            self._progress.warn("no model is set that could correct the commands")
            return None
        message = failure.message
        while self._regenerations < MOST:
            self._regenerations += 1
            self._progress.say(f"asking the model for other commands ({self._regenerations} of {MOST})")
            try:
                return self._regenerator.regenerate(planned, message, self._regenerations)
            except NoCorrection as err:
                self._progress.warn(str(err))
                message = f"{failure.message}\n\nYour last answer was of no use: {err}"
        return None

    def _post_error_comment(self, name: str, failure: SetupFailure) -> None:
        comment = FailureComment(
            environment_name=name,
            error_message=failure.message,
            network_retry_count=self._retries.counted["network"],
            llm_regeneration_count=self._regenerations,
            error_classification=_classification(failure),
        )
        self._progress.post(comment.markdown(self._progress.language))

    def _run(self, command: str, *, network: bool = True) -> CommandOutcome:
        return self._sandbox.run(command, timeout=self._timeout, network=network, on_output=self._on_output)

    def _tell_wait(self, failure: CommandFailure, seconds: float) -> None:
        self._progress.say(f"{failure.tell} Waiting {seconds:g} s")


def _classification(failure: SetupFailure) -> str:
    if failure.waited_in_vain:
        return f"retryable ({failure.kind}), retries used up"
    return f"{failure.error_class} ({failure.kind})"
