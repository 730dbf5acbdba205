"""Questions to a tool whose output leaves open what happened.

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

from evograft_env_setup.failures.classify import find_rule, judged
from evograft_env_setup.failures.evidence import Evidence
from evograft_env_setup.failures.failure import Failure
from evograft_env_setup.failures.rules import Rule


class Outcome(Protocol):
    """What a command came to."""

    @property
    def exit_code(self) -> int: ...
    @property
    def stdout(self) -> str: ...
    @property
    def stderr(self) -> str: ...


class Inquiry(BaseModel):
    """The same command once more, so that it says more, and rules for what it says then."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    environment: dict[str, str]
    passed: Rule
    """What the failure was if the command works this time."""
    rules: tuple[Rule, ...]

    def command(self, command: str) -> str:
        """Variables reach the tool wherever in the command it is called, and from within scripts."""
        settings = " ".join(f"{name}={quote(value)}" for name, value in self.environment.items())
        return f"export {settings}\n{command}"


@cache
def load_inquiries() -> dict[str, Inquiry]:
    """The table that comes with the package."""
    text = files("evograft_env_setup.failures").joinpath("inquiries.yaml").read_text(encoding="utf-8")
    return {name: Inquiry.model_validate(entry) for name, entry in yaml.safe_load(text).items()}


def inquire(failure: Failure, command: str, run: Callable[[str], Outcome]) -> Failure:
    """What the failure was, after the question that it leaves open; itself if there is none, or no answer.

    Args:
        failure: as `classify` told it.
        command: the one that failed; it is run once more, as a retry would.
        run: runs a command where the first one ran.
    """
    if not failure.inquiry:
        return failure
    inquiry = load_inquiries()[failure.inquiry]
    outcome = run(inquiry.command(command))
    evidence = Evidence(command, outcome.exit_code, outcome.stdout, outcome.stderr)
    if outcome.exit_code == 0:
        return judged(inquiry.passed, "", evidence)
    found = find_rule(inquiry.rules, evidence)
    if found is None:
        return failure
    # What the tool said first names the package; of its log only one line tells more.
    return judged(*found, evidence).model_copy(update={"excerpt": f"{failure.excerpt}\n{found[1]}"})
