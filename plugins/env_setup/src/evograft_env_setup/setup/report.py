"""The report of a set-up."""

from __future__ import annotations

from typing import Any, Literal

from evograft.text.escapes import sanitize
from evograft.text.masking import mask
from evograft_env_setup.failures import CommandFailure, ErrorClass
from evograft_env_setup.planning.hand_over import HandOver
from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.sandbox import CommandOutcome, SetupSandboxUnavailable
from evograft_env_setup.sandbox.built_environment import BuiltEnvironment
from evograft_env_setup.setup.command_result import CommandRecord
from evograft_env_setup.setup.verifier import VerificationResult
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import Count, Name, Text, Value

Status = Literal["success", "failed"]


class SetupCommandResult(CommandRecord):
    """A setup command that has run, as its last attempt ended."""

    attempts: Count


class SetupResult(Value):
    """The result of the setup commands; those behind the first one that failed did not run."""

    status: Status
    commands: tuple[SetupCommandResult, ...] = ()
    recalled: bool = False
    """Whether none had to run, because an earlier set-up was recalled."""


class SetupFailure(Value):
    """The reason why an execution failed."""

    error_class: ErrorClass
    kind: Name
    waited_in_vain: bool = False
    """Whether it is fixable only because its retries are used up."""
    line: Text
    """In a line for people."""
    message: Text
    """With what was printed."""

    @classmethod
    def of_command(cls, command: str, outcome: CommandOutcome, failure: CommandFailure) -> SetupFailure:
        head = f"{command}\nexit code {outcome.exit_code}\n{failure.tell}"
        return cls(
            error_class=failure.error_class,
            kind=failure.kind,
            waited_in_vain=failure.waited_in_vain,
            line=sanitize(f"{' '.join(command.split())}: exit code {outcome.exit_code}: {failure.tell}"),
            message=mask(f"{head}\n\n{failure.excerpt}"),
        )

    @classmethod
    def of_verification(cls, result: VerificationResult) -> SetupFailure:
        failed = [each for each in result.commands if not each.matches]
        line = f"verification: {' '.join(failed[0].command.split())}: {_describe_deviation(failed[0].exit_code)}"
        parts = [
            f"{each.command}\nexit code {each.exit_code}\n{each.difference}\nstderr:\n{each.stderr}" for each in failed
        ]
        return cls(error_class="fixable", kind="verification", line=sanitize(line), message=mask("\n\n".join(parts)))

    @classmethod
    def of_sandbox(cls, err: SetupSandboxUnavailable) -> SetupFailure:
        return cls(
            error_class="fatal", kind="docker", line=sanitize(" ".join(str(err).split())), message=mask(str(err))
        )


class Execution(Value):
    """One pass over setup and verification commands."""

    setup_result: SetupResult
    verification_result: VerificationResult = VerificationResult(status="skipped")
    failure: SetupFailure | None = None

    def outline(self) -> dict[str, Any]:
        """Return what was run and how it ended.

        Times and what was printed are left out, because facts travel with each task.
        """
        verified = self.verification_result.commands
        return {
            "recalled": self.setup_result.recalled,
            "setup": [{"command": each.command, "exit_code": each.exit_code} for each in self.setup_result.commands],
            "verification": [
                {"command": each.command, "exit_code": each.exit_code, "matches": each.matches} for each in verified
            ],
            "trouble": self.failure.line if self.failure else "",
        }


class SetupReport(Value):
    """The report of a set-up."""

    environment_name: Name
    overall_status: Status
    executions: tuple[Execution, ...]
    """In order, at most four; none if there was no place to run anything."""
    errors: tuple[Text, ...]
    """All that were met, if it failed; those that were overcome are in `executions`."""
    retries: FrozenDict[Name, Count]
    """By kind of failure."""
    regenerations: Count
    plan: SelectedEnvironment
    """As it was carried out in the end: corrected, if commands were."""
    built: BuiltEnvironment | None = None
    """What is kept of it."""
    is_open: bool = True
    """Whether the place in which it was set up is still there."""

    @property
    def kept(self) -> str:
        """Return the name under which what was set up is kept, such as that of an image; empty if it is gone."""
        return self.built.name if self.built else ""

    def to_dict(self) -> dict[str, Any]:
        """Return the four entries of the result."""
        last = self.executions[-1] if self.executions else Execution(setup_result=SetupResult(status="failed"))
        setup = {
            **last.setup_result.model_dump(mode="json"),
            "executions": len(self.executions),
            "retries": dict(self.retries),
            "regenerations": self.regenerations,
        }
        return {
            "overall_status": self.overall_status,
            "setup_result": setup,
            "verification_result": last.verification_result.model_dump(mode="json"),
            "errors": list(self.errors),
        }

    def hand_over(self) -> HandOver:
        """Return what the next phase is told."""
        return HandOver(
            environment_ready=self.overall_status == "success" and (self.is_open or self.built is not None),
            environment_name=self.environment_name,
            setup_status=self.overall_status,
            errors=self.errors,
        )


def _describe_deviation(exit_code: int) -> str:
    return f"exit code {exit_code}" if exit_code else "prints something else than was expected"
