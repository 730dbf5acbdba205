"""The context of a hook call: where it runs, and the services it may use there."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from evograft_hookspecs.services.evaluation import EvaluationService, NoEvaluation
from evograft_hookspecs.services.history import History
from evograft_hookspecs.services.llm import LlmService
from evograft_hookspecs.services.sandbox import NoSandbox, SandboxService
from evograft_hookspecs.services.tools import ToolService
from evograft_hookspecs.types import Advice, Candidate, EnvironmentReport, Evaluation, Problem
from evograft_hookspecs.values import Count, FrozenDict, Name, Number, Text, Value

Role = Literal["kernel", "worker"]
"""`kernel`: the run's own process; `worker`: a process, maybe on another machine, that only evaluates."""


class Limits(Value):
    """Guards around one call. They are far above what a sound call needs: inside them, count instead of timing."""

    wall_seconds: Number
    """When it passes, the trial is committed as rejected with the reason `time-out`."""
    kept_bytes: Count = 1_000_000
    """The most that an evaluation may hand on as `Evaluation.kept`; of more, nothing is kept, and `feedback` says
    so."""


class EvalContext(Value):
    """The context of `evaluate`: picklable, since the call may happen on another machine."""

    role: Role = "kernel"
    purpose: Literal["search", "final"] = "search"
    """`final`: the search is over and this is the final evaluation of its best candidate. Only then may data be used
    that no choice may depend on; the answer's `metrics` and `feedback` are what the run reports."""
    trial: Count
    seed: Count
    """The seed of this call's generators: the same for the same run seed and trial, on every machine."""
    problem: Problem
    environment: FrozenDict[Name, EnvironmentReport] = FrozenDict()
    """What each plugin's `setup_env` reported in the kernel's process, by plugin name."""
    limits: Limits
    scratch: Text
    """A folder for temporary files, removed when the run ends."""

    @cached_property
    def rng(self) -> random.Random:
        """The generator of this call, seeded by `seed`. The global generators are never used."""
        return random.Random(self.seed)


class EvalTask(Value):
    """One call of `evaluate`, as it travels to a worker."""

    ctx: EvalContext
    candidate: Candidate
    incumbent: Evaluation | None = None
    parents_kept: tuple[bytes, ...] = ()
    """What the evaluations of the candidate's parents kept, in the order of `candidate.parents`; empty where one kept
    nothing."""


@dataclass(frozen=True)
class Context:
    """The context of every hook but `evaluate`."""

    trial: int | None
    """The trial at hand; `None` outside of trials (`setup_env`, `analyze`, events that belong to none)."""
    seed: int
    """The seed of this call's generators, keyed by run seed, trial, hook, plugin and occurrence."""
    scratch: Path
    """A folder for temporary files, removed when the run ends."""
    generation_size: int
    """How many committed trials after the seeds make a generation."""
    llm: LlmService = field(repr=False)
    tools: ToolService = field(repr=False)
    history: History = field(repr=False)
    role: Role = "kernel"
    problem: Problem | None = None
    """`None` until `analyze` has answered."""
    environment: FrozenDict[str, EnvironmentReport] = FrozenDict()
    sandbox: SandboxService = field(default_factory=NoSandbox, repr=False)
    """For programs that are not trusted. `evaluate` gets none: it uses what `setup_env`, which each worker process
    calls as well, has kept."""
    evaluation: EvaluationService = field(default_factory=NoEvaluation, repr=False)
    """For operators that measure a candidate before they hand it in; in `mutate` only."""
    instructions: tuple[Advice, ...] = ()
    """What people have asked of the trial at hand, the oldest first; each is part of its proposal's advice as well."""

    @cached_property
    def rng(self) -> random.Random:
        """The generator of this call, seeded by `seed`. The global generators are never used."""
        return random.Random(self.seed)
