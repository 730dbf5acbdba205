"""Verification: a command is right if it exits with 0 and prints exactly what was expected."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from evograft.text.masking import mask
from evograft_env_setup.environments import VerificationCommand
from evograft_env_setup.sandbox import CommandOutcome
from evograft_env_setup.setup.command_result import CommandRecord, record_fields
from evograft_env_setup.setup.difference import describe_differences
from evograft_env_setup.text.quoting import bound
from evograft_hookspecs.values import Text, Value


class VerifiedCommand(CommandRecord):
    """A verification command that has run."""

    expected_output: Text
    matches: bool
    """Whether the exit code is 0 and the output is the expected one."""
    difference: Text = ""
    """Between the expected output and the printed one, character by character; empty if there is none."""


class VerificationResult(Value):
    """The result of verification."""

    status: Literal["success", "failed", "skipped"]
    commands: tuple[VerifiedCommand, ...] = ()


class EnvironmentVerifier:
    """A verifier that runs commands.

    Args:
        run: runs a command where the environment is.
    """

    def __init__(self, run: Callable[[str], CommandOutcome]) -> None:
        self._run = run

    def verify_setup(self, commands: Iterable[VerificationCommand]) -> VerificationResult:
        """Run all commands, whatever the first ones come to: the repair wants to know them all."""
        verified = tuple(self._verify(each) for each in commands)
        passed = bool(verified) and all(each.matches for each in verified)
        return VerificationResult(status="success" if passed else "failed", commands=verified)

    def _verify(self, asked: VerificationCommand) -> VerifiedCommand:
        outcome = self._run(asked.command)
        printed = normalize_output(outcome.stdout, asked.expected_output)
        return VerifiedCommand(
            **record_fields(asked.command, outcome),
            expected_output=asked.expected_output,
            matches=outcome.exit_code == 0 and printed == asked.expected_output,
            # Of masked texts: from the first difference on, half a key would not be recognised.
            difference=describe_differences(mask(asked.expected_output), mask(bound(printed))),
        )


def normalize_output(stdout: str, expected: str) -> str:
    """Return the part of the output that is compared.

    It lacks one newline at its end, which most commands add, if none is expected.
    """
    if expected.endswith("\n"):
        return stdout
    ending = "\r\n" if stdout.endswith("\r\n") else "\n"
    return stdout.removesuffix(ending)
