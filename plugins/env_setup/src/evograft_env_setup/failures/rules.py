"""The table of rules: which words of which tool mean what."""

from __future__ import annotations

from functools import cache, cached_property
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict, model_validator

from evograft_env_setup.failures.evidence import CommandEvidence
from evograft_env_setup.failures.expressions import LinearExpression
from evograft_env_setup.failures.failure import ErrorClass


class FailureKind(BaseModel):
    """A kind of failure."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    error_class: ErrorClass
    tell: str
    """For the user, where a rule has no words of its own."""


class FailureRule(BaseModel):
    """Words by which a failure is known. Whatever is given must hold."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    kind: str
    printed_by: tuple[str, ...]
    """The tools that write so."""
    patterns: tuple[str, ...] = ()
    """One of them must be found in the output; none: the exit code alone says it."""
    also: str = ""
    """Must be found as well, anywhere in the output."""
    unless: str = ""
    """Must not be found in the output."""
    warnings: bool = False
    """Whether lines that call themselves warnings count."""
    exit_codes: tuple[int, ...] = ()
    """Empty: any."""
    called: tuple[str, ...] = ()
    """One of these programs must be called in the command; empty: whatever is."""
    tell: str = ""
    """For the user; empty: what is told of the kind."""
    probe: str = ""
    """The question that settles what this output leaves open, a key of the table of probes."""

    @model_validator(mode="after")
    def _says_something(self) -> FailureRule:
        if not (self.patterns or self.exit_codes):
            raise ValueError(f"rule {self.id!r} has neither patterns nor exit codes")
        return self

    @cached_property
    def _expressions(self) -> tuple[LinearExpression, LinearExpression, LinearExpression]:
        either = "|".join(f"(?:{pattern})" for pattern in self.patterns)
        return LinearExpression(either), LinearExpression(self.also), LinearExpression(self.unless)

    def line(self, evidence: CommandEvidence, *, warnings: bool = False) -> str | None:
        """Return the line that the rule knows; `None` if the rule does not hold.

        The line is empty if the exit code alone says it.

        Args:
            evidence: what the command printed.
            warnings: lines that call themselves warnings count whatever the rule says of them.
        """
        patterns, also, unless = self._expressions
        if self.exit_codes and evidence.exit_code not in self.exit_codes:
            return None
        if (self.also and not also.found(evidence.whole)) or (self.unless and unless.found(evidence.whole)):
            return None
        if self.called and evidence.programs.isdisjoint(self.called):
            return None
        if not self.patterns:
            return ""
        return patterns.line(evidence.whole if warnings or self.warnings else evidence.errors)


class RuleTable(BaseModel):
    """All kinds, and all rules in the order in which they are asked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kinds: dict[str, FailureKind]
    rules: tuple[FailureRule, ...]

    @model_validator(mode="after")
    def _fits_together(self) -> RuleTable:
        names = [rule.id for rule in self.rules]
        if double := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"two rules have the name {sorted(double)}")
        if unknown := {rule.kind for rule in self.rules} - self.kinds.keys():
            raise ValueError(f"rules name kinds that are not in the table: {sorted(unknown)}")
        return self


@cache
def load_rules() -> RuleTable:
    """Load the table that comes with the package."""
    text = files("evograft_env_setup.failures").joinpath("rules.yaml").read_text(encoding="utf-8")
    return RuleTable.model_validate(yaml.safe_load(text))
