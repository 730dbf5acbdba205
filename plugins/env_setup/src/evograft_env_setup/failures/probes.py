"""Probes: questions to a tool whose output leaves open what happened.

pip ends with the same two lines whether the index has no such name, is down, wants a password or asks to wait: only its
log tells.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from shlex import quote
from typing import Protocol

import yaml
from pydantic import BaseModel, ConfigDict

from evograft_env_setup.failures.classification import find_rule, judge
from evograft_env_setup.failures.evidence import CommandEvidence
from evograft_env_setup.failures.failure import CommandFailure
from evograft_env_setup.failures.rules import FailureRule


class ProbeOutcome(Protocol):
    """The outcome of a probe's command."""

    @property
    def exit_code(self) -> int: ...
    @property
    def stdout(self) -> str: ...
    @property
    def stderr(self) -> str: ...


class Probe(BaseModel):
    """The same command once more, so that it says more, and rules for what it says then."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    environment: dict[str, str]
    passed: FailureRule
    """What the failure was if the command works this time."""
    rules: tuple[FailureRule, ...]

    def command(self, command: str) -> str:
        """Return the command with the probe's variables.

        They reach the tool wherever in the command it is called, and from within scripts.
        """
        settings = " ".join(f"{name}={quote(value)}" for name, value in self.environment.items())
        return f"export {settings}\n{command}"


@cache
def load_probes() -> dict[str, Probe]:
    """Load the table that comes with the package."""
    text = files("evograft_env_setup.failures").joinpath("probes.yaml").read_text(encoding="utf-8")
    return {name: Probe.model_validate(entry) for name, entry in yaml.safe_load(text).items()}


def probe(failure: CommandFailure, command: str, run: Callable[[str], ProbeOutcome]) -> CommandFailure:
    """Ask the question that a failure leaves open, and return what the failure was.

    It is the failure itself if there is no question, or no answer.

    Args:
        failure: as `classify` told it.
        command: the one that failed; it is run once more, as a retry would.
        run: runs a command where the first one ran.
    """
    if not failure.probe:
        return failure
    known = load_probes()[failure.probe]
    outcome = run(known.command(command))
    evidence = CommandEvidence(command, outcome.exit_code, outcome.stdout, outcome.stderr)
    if outcome.exit_code == 0:
        return judge(known.passed, "", evidence)
    found = find_rule(known.rules, evidence)
    if found is None:
        return failure
    # What the tool said first names the package; of its log only one line tells more.
    return judge(*found, evidence).model_copy(update={"excerpt": f"{failure.excerpt}\n{found[1]}"})
