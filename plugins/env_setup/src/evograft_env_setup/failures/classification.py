"""The class of a failure, from what the command printed."""

from __future__ import annotations

from collections.abc import Iterable

from evograft_env_setup.failures.evidence import CommandEvidence
from evograft_env_setup.failures.failure import CommandFailure
from evograft_env_setup.failures.rules import FailureRule, load_rules

UNKNOWN = FailureRule(id="unknown", kind="unknown", printed_by=(), exit_codes=(0,))


def classify(command: str, exit_code: int, stdout: str, stderr: str) -> CommandFailure:
    """Return why a command failed: the first rule that holds says it.

    If none holds, the lines that call themselves warnings are looked at, too: a tool may say the only decisive thing in
    one of them. What no rule knows then is fixable, with the end of the output for the model: it can read more than we
    can list.

    Args:
        command: as it was given to the shell.
        exit_code: of the shell; a negative one is a signal.
        stdout: what it printed, decoded; any text, of any length.
        stderr: likewise.
    """
    evidence = CommandEvidence(command, exit_code, stdout, stderr)
    rules = load_rules().rules
    found = find_rule(rules, evidence) or find_rule(rules, evidence, warnings=True)
    return judge(*(found or (UNKNOWN, "")), evidence)


def find_rule(
    rules: Iterable[FailureRule], evidence: CommandEvidence, *, warnings: bool = False
) -> tuple[FailureRule, str] | None:
    """Return the first rule that holds, and the line that it knows."""
    lines = ((rule, rule.line(evidence, warnings=warnings)) for rule in rules)
    return next(((rule, line) for rule, line in lines if line is not None), None)


def judge(rule: FailureRule, line: str, evidence: CommandEvidence) -> CommandFailure:
    """Return the failure that a rule has known by a line of the output."""
    kind = load_rules().kinds[rule.kind]
    return CommandFailure(
        error_class=kind.error_class,
        kind=rule.kind,
        rule=rule.id,
        tell=rule.tell or kind.tell,
        excerpt=evidence.excerpt(line),
        probe=rule.probe,
    )
