"""What a call belongs to (a trial, an event, the run itself), and the context a hook gets from it."""

from __future__ import annotations

import hashlib
import itertools
import threading
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from evograft.errors import HookAborted
from evograft_hookspecs import (
    Advice,
    Candidate,
    Context,
    EnvironmentReport,
    EvalContext,
    Evaluation,
    FrozenDict,
    History,
    Limits,
    LlmAnswer,
    LlmRefused,
    LlmRequest,
    Problem,
    Role,
    SandboxService,
    Tool,
    ToolCall,
    ToolResult,
    Trial,
)
from evograft_hookspecs.services.evaluation import NoEvaluation

Unused = defaultdict[int | None, dict[str, int]]
"""Where answers lie in the log, by the trial that settles them and key."""


@dataclass(frozen=True)
class CallSite:
    """Where in a run a hook is called; the same whenever the run comes to it again."""

    trial: int | None
    hook: str
    plugin: str
    path: str
    model: str
    """The model drawn for the trial; empty: none was."""

    def __str__(self) -> str:
        return f"{'-' if self.trial is None else self.trial}/{self.path}"

    @property
    def settled_with(self) -> int | None:
        """Return the trial whose commit ends all asking from here; `None`: on resume it is asked from here again."""
        return settled_with(str(self))


def settled_with(key: str) -> int | None:
    """Return the trial whose commit ends all asking from a key that starts with a place.

    Observers are told of a commit after it, and again on every resume.
    """
    trial, _, path = key.partition("/")
    return None if trial == "-" or path.startswith("observe/") else int(trial)


def unfinished(places: Iterable[tuple[int, str]], finished: Container[int | None]) -> Unused:
    """Index logged rows by the trial that settles them and by key, without those that will not be asked for again."""
    found: Unused = defaultdict(dict)
    for seq, key in places:
        trial = settled_with(key)
        if trial not in finished:
            found[trial][key] = seq
    return found


class Services(Protocol):
    """What hooks reach beyond their arguments."""

    @property
    def has_model(self) -> bool: ...

    @property
    def sandbox(self) -> SandboxService: ...

    @property
    def tools(self) -> tuple[Tool, ...]: ...

    def ask(self, place: CallSite, request: LlmRequest, *, occurrence: int) -> LlmAnswer: ...

    def call_tool(self, scope: Scope, call: ToolCall) -> ToolResult: ...

    def evaluate(self, scope: Scope, candidate: Candidate) -> Evaluation: ...

    def history(self, view: int) -> History:
        """Return the trials of the first `view` commits."""


class WorkerServices:
    """Of a worker process: it evaluates, and has neither models nor tools."""

    has_model = False
    tools: tuple[Tool, ...] = ()

    def __init__(self, sandbox: SandboxService) -> None:
        self.sandbox = sandbox

    def ask(self, place: CallSite, request: LlmRequest, *, occurrence: int) -> LlmAnswer:  # noqa: ARG002
        raise LlmRefused("there are no models in a worker process")

    def call_tool(self, scope: Scope, call: ToolCall) -> ToolResult:  # noqa: ARG002
        return ToolResult(ok=False, content=f"there is no tool {call.tool!r} in a worker process")

    def evaluate(self, scope: Scope, candidate: Candidate) -> Evaluation:  # noqa: ARG002
        raise RuntimeError("a worker process evaluates what it is given, and nothing else")

    def history(self, view: int) -> History:  # noqa: ARG002
        return NoHistory()


class NoHistory:
    """Before the first commit, and where there is no log."""

    def trial(self, number: int) -> Trial:
        raise KeyError(number)

    def latest(self, count: int) -> tuple[Trial, ...]:  # noqa: ARG002
        return ()

    def spent(self, number: int) -> float | None:
        raise KeyError(number)


class _Llm:
    """The models as one call of a hook sees them: equal requests are told apart by their order."""

    def __init__(self, services: Services, place: CallSite) -> None:
        self._services = services
        self._place = place
        self.ended: HookAborted | None = None
        """What the plugin was to let through."""
        self._asked: Counter[str] = Counter()
        self._guard = threading.Lock()

    @property
    def available(self) -> bool:
        return self._services.has_model

    def complete(self, request: LlmRequest) -> LlmAnswer:
        digest = request.digest()
        with self._guard:
            occurrence = self._asked[digest]
            self._asked[digest] += 1
        with self.noting_an_end():
            return self._services.ask(self._place, request, occurrence=occurrence)

    @contextmanager
    def noting_an_end(self) -> Iterator[None]:
        try:
            yield
        except HookAborted as end:
            self.ended = end
            raise


class _Tools:
    """The tools as a hook sees them: a tool's context is that of its caller, each call with generators of its own."""

    def __init__(self, scope: Scope, place: CallSite, llm: _Llm) -> None:
        self._scope = scope
        self._place = place
        self._llm = llm
        self._calls = itertools.count()

    @property
    def offered(self) -> tuple[Tool, ...]:
        return tuple(tool for tool in self._scope.services.tools if not tool.for_candidates)

    @property
    def for_candidates(self) -> tuple[Tool, ...]:
        return tuple(tool for tool in self._scope.services.tools if tool.for_candidates)

    def call(self, call: ToolCall) -> ToolResult:
        scope = replace(self._scope, inside=f"{self._place.path}/", occurrence=next(self._calls))
        with self._llm.noting_an_end():
            return scope.services.call_tool(scope, call)


class _Evaluation:
    """Evaluations as `mutate` sees them, each with generators of its own."""

    def __init__(self, scope: Scope, place: CallSite, llm: _Llm) -> None:
        self._scope = scope
        self._place = place
        self._llm = llm
        self._calls = itertools.count(1)

    def evaluate(self, candidate: Candidate) -> Evaluation:
        scope = replace(self._scope, inside=f"{self._place.path}/", occurrence=next(self._calls))
        with self._llm.noting_an_end():
            return scope.services.evaluate(scope, candidate)


@contextmanager
def sure_to_end(ctx: Context | EvalContext) -> Iterator[None]:
    """End a hook that the run's end has reached, whatever the plugin caught."""
    try:
        yield
    finally:
        llm = None if isinstance(ctx, EvalContext) else ctx.llm
        if isinstance(llm, _Llm) and llm.ended is not None:
            raise llm.ended


@dataclass(frozen=True)
class Scope:
    """Hands out contexts whose generators depend on nothing but the run's seed and the place of the call."""

    run_seed: int
    generation_size: int
    scratch: Path
    services: Services
    role: Role = "kernel"
    problem: Problem | None = None
    environment: FrozenDict[str, EnvironmentReport] = FrozenDict()
    trial: int | None = None
    view: int = 0
    """How many commits the hook may know."""
    model: str = ""
    """The model drawn for the trial."""
    occurrence: int = 0
    """Tells calls of the same hook apart that belong to the same trial, or to none."""
    inside: str = ""
    """The hook that a tool is called from."""
    instructions: tuple[Advice, ...] = ()
    """What people have asked of the trial."""

    def at(self, trial: int | None, *, view: int, occurrence: int = 0, model: str = "") -> Scope:
        """Return the scope of a trial or event."""
        return replace(self, trial=trial, view=view, occurrence=occurrence, model=model)

    def with_facts(self, **facts: Any) -> Scope:
        """Return the scope with what has become known: the environment, the problem, a trial's instructions."""
        return replace(self, **facts)

    def place(self, hook: str, plugin: str) -> CallSite:
        """Return where a plugin's hook is called."""
        return CallSite(self.trial, hook, plugin, f"{self.inside}{hook}/{plugin}/{self.occurrence}", self.model)

    def context(self, hook: str, plugin: str) -> Context:
        """Return the context for a plugin's hook; each has a generator of its own."""
        place = self.place(hook, plugin)
        llm = _Llm(self.services, place)
        return Context(
            trial=self.trial,
            seed=self._seed(place.path),
            scratch=self.scratch,
            generation_size=self.generation_size,
            llm=llm,
            tools=_Tools(self, place, llm),
            history=self.services.history(self.view),
            sandbox=self.services.sandbox,
            evaluation=_Evaluation(self, place, llm) if hook == "mutate" else NoEvaluation(),
            role=self.role,
            problem=self.problem,
            environment=self.environment,
            instructions=self.instructions,
        )

    def eval_context(self, plugin: str, *, limits: Limits, final: bool) -> EvalContext:
        """Return the context of `evaluate`, which may travel to another machine."""
        if self.problem is None or self.trial is None:
            raise AssertionError("an evaluation belongs to a trial of an analyzed problem")
        # Validated values only: `model_construct` spares the hot path a second validation.
        return EvalContext.model_construct(
            role="kernel",
            purpose="final" if final else "search",
            trial=self.trial,
            # The judgement must not repeat the luck of the search.
            seed=self._seed(f"{self.inside}{'final' if final else 'evaluate'}/{plugin}/{self.occurrence}"),
            problem=self.problem,
            environment=self.environment,
            limits=limits,
            scratch=str(self.scratch),
        )

    def seed(self, hook: str, plugin: str) -> int:
        """Return 64 bits keyed by run seed, trial, hook, plugin and occurrence."""
        return self._seed(f"{hook}/{plugin}/{self.occurrence}")

    def _seed(self, path: str) -> int:
        key = f"{self.run_seed}/{self.trial}/{path}"
        return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest())
