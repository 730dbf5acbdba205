"""What a call belongs to (a trial, an event, the run itself), and the context a hook gets from it."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evograft_hookspecs import (
    Context,
    EnvironmentReport,
    EvalContext,
    FrozenDict,
    Limits,
    Problem,
    Role,
    ToolCall,
    ToolResult,
)
from evograft_hookspecs.ports import LlmService


class _Tools:
    """The tools as a hook sees them: a tool's context is that of its caller, each call with generators of its own."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._calls = itertools.count()

    def call(self, call: ToolCall) -> ToolResult:
        scope = self._scope.at(self._scope.trial, occurrence=next(self._calls))
        return scope.call_tool(scope, call)


@dataclass(frozen=True)
class Scope:
    """Hands out contexts whose generators depend on nothing but the run's seed and the place of the call."""

    run_seed: int
    generation_size: int
    scratch: Path
    llm: LlmService
    call_tool: Callable[[Scope, ToolCall], ToolResult]
    role: Role = "kernel"
    problem: Problem | None = None
    environment: FrozenDict[str, EnvironmentReport] = FrozenDict()
    trial: int | None = None
    occurrence: int = 0
    """Tells calls of the same hook apart that belong to the same trial, or to none."""

    def at(self, trial: int | None, *, occurrence: int = 0) -> Scope:
        """The scope of a trial."""
        return replace(self, trial=trial, occurrence=occurrence)

    def knowing(self, **facts: Any) -> Scope:
        """The scope with the environment or the problem filled in, as soon as they are known."""
        return replace(self, **facts)

    def context(self, hook: str, plugin: str) -> Context:
        """The context for a plugin's hook; each has a generator of its own."""
        return Context(
            trial=self.trial,
            seed=self.seed(hook, plugin),
            scratch=self.scratch,
            generation_size=self.generation_size,
            llm=self.llm,
            tools=_Tools(self),
            role=self.role,
            problem=self.problem,
            environment=self.environment,
        )

    def eval_context(self, plugin: str, *, limits: Limits, final: bool) -> EvalContext:
        """The context of `evaluate`, which may travel to another machine."""
        if self.problem is None or self.trial is None:
            raise AssertionError("an evaluation belongs to a trial of an analyzed problem")
        # Validated values only: `model_construct` spares the hot path a second validation.
        return EvalContext.model_construct(
            role="kernel",
            purpose="final" if final else "search",
            trial=self.trial,
            # The judgement must not repeat the luck of the search.
            seed=self.seed("final" if final else "evaluate", plugin),
            problem=self.problem,
            environment=self.environment,
            limits=limits,
            scratch=str(self.scratch),
        )

    def seed(self, hook: str, plugin: str) -> int:
        """64 bits keyed by run seed, trial, hook, plugin and occurrence."""
        key = f"{self.run_seed}/{self.trial}/{hook}/{plugin}/{self.occurrence}"
        return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest())
