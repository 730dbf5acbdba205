"""The seven verbs as typed methods: each answer is checked, each failure is blamed on a plugin and hook by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar, get_args

from evograft.concurrency.shared_lock import SharedLock
from evograft.config.pipeline import OwnedVerb, Pipeline
from evograft.errors import EvograftError, PluginError, RunStopping, UserError, did_you_mean
from evograft.plugin.context import Scope
from evograft.plugin.hook_calls import HookCalls, blame, expect
from evograft.plugin.loading import ActivePlugin
from evograft_hookspecs import (
    Advice,
    Candidate,
    CandidateRejected,
    EnvironmentReport,
    Evaluation,
    Event,
    Problem,
    Proposal,
    Selection,
    Tool,
    ToolCall,
    ToolResult,
    Trial,
)
from evograft_hookspecs.contexts import EvalTask

T = TypeVar("T")

ATTEMPTS = 3
"""A hook that raises inside a trial is tried again in place with the same inputs and generators."""


class Hooks:
    """The plugins of one run, called through a plugin manager of its own.

    Args:
        plugins: in the order of the pipeline, which is the order of calls.
        owners: who answers a verb that several implement.
        lock: shared by the plugins that are not thread-safe.
        owned: the verbs that somebody has to answer: none where nothing is evolved.
        tools: those that agents may have; `None`: all.

    Raises:
        PluginError: a plugin does not fit the specifications.
        UserError: a verb has no owner or several, or an owner that does not implement it.
    """

    def __init__(
        self,
        plugins: Sequence[ActivePlugin],
        owners: Mapping[Any, str],
        *,
        lock: SharedLock | None = None,
        owned: Sequence[OwnedVerb] = get_args(OwnedVerb),
        tools: Sequence[str] | None = None,
    ) -> None:
        self.plugins = tuple(plugins)
        self._lock = lock or SharedLock()
        self._calls = HookCalls(self.plugins, self._lock)
        self._owners: dict[str, ActivePlugin] = {
            verb: _find_owner(verb, owners.get(verb), self._calls.implementers(verb)) for verb in owned
        }
        self._operators = {
            f"{plugin.name}.{operator.name}": plugin for plugin in plugins for operator in plugin.manifest.operators
        }
        self._repairing = {
            plugin.name: f"{plugin.name}.{operator.name}"
            for plugin in plugins
            for operator in plugin.manifest.operators
            if operator.repairs
        }
        self._reevaluating = frozenset(
            f"{plugin.name}.{operator.name}"
            for plugin in plugins
            for operator in plugin.manifest.operators
            if operator.reevaluates
        )
        self._tools = _offered(_tool_owners(self.plugins), tools)
        self._observers = list(self._calls.implementers("observe"))
        self._evaluating: set[int | None] = set()

    @property
    def operators(self) -> frozenset[str]:
        """Return the ids of all operators on offer."""
        return frozenset(self._operators)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Return all tools that agents may have."""
        offered = (tool for plugin in self.plugins for tool in plugin.manifest.tools)
        return tuple(tool for tool in offered if tool.name in self._tools)

    # -- the verbs ----------------------------------------------------------------------------------------------------

    def setup_env(self, scope: Scope) -> dict[str, EnvironmentReport]:
        reports = {}
        for plugin in self._calls.implementers("setup_env"):
            answer = self._calls.call(plugin, "setup_env", scope.context("setup_env", plugin.name))
            if answer is not None:
                reports[plugin.name] = expect(plugin, "setup_env", answer, EnvironmentReport)
        return reports

    def analyze(self, scope: Scope) -> Problem:
        owner = self._owners["analyze"]
        answer = self._calls.call(owner, "analyze", scope.context("analyze", owner.name))
        return expect(owner, "analyze", answer, Problem)

    def select(self, scope: Scope, committed: tuple[Trial, ...], *, is_committed: Callable[[int], bool]) -> Selection:
        """Choose where the next trial starts from, among trials that are committed."""
        owner = self._owners["select"]

        def attempt() -> Selection:
            answer = self._calls.call(owner, "select", scope.context("select", owner.name), committed=committed)
            selection = expect(owner, "select", answer, Selection, scope.trial)
            for number in (*selection.parents, *(() if selection.incumbent is None else (selection.incumbent,))):
                if not is_committed(number):
                    raise blame(owner, "select", f"chose trial {number}, which is not committed", scope.trial)
            return selection

        return _retried(attempt)

    def propose(self, scope: Scope, selection: Selection) -> tuple[tuple[Proposal, ...], tuple[Advice, ...]]:
        """Return all alternatives and all advice, in the order of the pipeline."""
        implementers = tuple(self._calls.implementers("propose"))
        answers = [answer for plugin in implementers for answer in self._proposed(plugin, scope, selection)]
        ids = [answer.id for answer in answers]
        if len(set(ids)) != len(ids):
            twice = next(id_ for id_ in ids if ids.count(id_) > 1)
            names = ", ".join(plugin.name for plugin in implementers)
            raise PluginError(
                f"hook propose in trial {scope.trial}: two answers ({names}) have the id {twice!r}; ids are unique"
            )
        proposals = tuple(answer for answer in answers if isinstance(answer, Proposal))
        return proposals, tuple(answer for answer in answers if isinstance(answer, Advice))

    def mutate(self, scope: Scope, proposal: Proposal, parents: tuple[Trial, ...]) -> Candidate:
        """Let the owner of the operator make a candidate; a CandidateRejected passes through."""
        owner = self._operators[proposal.operator]

        def attempt() -> Candidate:
            ctx = scope.context("mutate", owner.name)
            answer = self._calls.call(owner, "mutate", ctx, proposal=proposal, parents=parents)
            candidate = expect(owner, "mutate", answer, Candidate, scope.trial)
            return _fitting(owner, candidate, scope, proposal, parents)

        return _retried(attempt)

    def evaluate(self, task: EvalTask) -> Evaluation:
        """Evaluate the candidate; a CandidateRejected becomes a rejected evaluation."""
        owner = self._owners["evaluate"]

        def attempt() -> Evaluation:
            # The generator in a context advances when it is used: each attempt starts from a fresh one.
            ctx = task.ctx.model_copy()
            try:
                answer = self._calls.call(
                    owner,
                    "evaluate",
                    ctx,
                    on_turn=partial(self._evaluating.add, task.ctx.trial),
                    candidate=task.candidate,
                    incumbent=task.incumbent,
                    parents_kept=task.parents_kept,
                )
            except CandidateRejected as rejection:
                return Evaluation.rejected(rejection.reason)
            evaluation = expect(owner, "evaluate", answer, Evaluation, task.ctx.trial)
            return _within(evaluation, most=task.ctx.limits.kept_bytes)

        try:
            return _retried(attempt)
        finally:
            self._evaluating.discard(task.ctx.trial)

    def is_evaluating(self, trial: int) -> bool:
        """Return whether this process evaluates a trial's candidate, and does not just wait for its turn to."""
        return trial in self._evaluating

    def tool_call(self, scope: Scope, call: ToolCall) -> ToolResult:
        owner = self._tools.get(call.tool)
        if owner is None:
            return ToolResult(ok=False, content=f"unknown tool {call.tool!r}; {did_you_mean(call.tool, self._tools)}")
        with self._lock.released():
            answer = self._calls.ask(owner, "tool_call", scope.context("tool_call", owner.name), call=call)
        return expect(owner, "tool_call", answer, ToolResult, scope.trial)

    def has_effects(self, tool: str) -> bool:
        """Return whether a tool changes something outside the run."""
        owner = self._tools.get(tool)
        return owner is not None and any(each.effects for each in owner.manifest.tools if each.name == tool)

    def repair_operator(self, operator: str) -> str | None:
        """Return the operator that repairs what another one's plugin has made, if it has one."""
        return self._repairing.get(self._operators[operator].name) if operator in self._operators else None

    def reevaluates(self, operator: str) -> bool:
        """Return whether an operator's candidates are evaluated although an earlier trial had the same one."""
        return operator in self._reevaluating

    def observe(self, scope: Scope, event: Event) -> list[EvograftError]:
        """Inform every observer; one that raises is left out from here on and its failure returned."""
        failures: list[EvograftError] = []
        for plugin in tuple(self._observers):
            try:
                self._calls.call(plugin, "observe", scope.context("observe", plugin.name), event=event)
            except (PluginError, RunStopping) as err:
                self._observers.remove(plugin)
                failures.append(err)
        return failures

    def require_operator(self, problem: Problem, *, has_model: bool) -> None:
        """Check that some operator can make candidates of a problem.

        Raises:
            UserError: each lacks something, or there is none.
        """
        lacking = {
            name for name, is_there in (("model", has_model), ("grammar", problem.grammar is not None)) if not is_there
        }
        operators = [each for plugin in self.plugins for each in plugin.manifest.operators]
        if any(lacking.isdisjoint(operator.needs) for operator in operators):
            return
        candidates = f"{problem.language} programs" if problem.language else f"of the kind {problem.kind!r}"
        if any("model" in operator.needs for operator in operators) and not has_model:
            raise UserError(
                f"candidates are {candidates} and no model is set: add --llm DRIVER:MODEL (or --llm manual)"
            )
        raise UserError(f"candidates are {candidates}, and no plugin has an operator for them: add one to `plugins`")

    def owner(self, verb: str) -> ActivePlugin:
        """Return the plugin that answers a verb that one plugin answers."""
        return self._owners[verb]

    # -- checking -----------------------------------------------------------------------------------------------------

    def _proposed(self, plugin: ActivePlugin, scope: Scope, selection: Selection) -> list[Proposal | Advice]:
        def attempt() -> list[Proposal | Advice]:
            ctx = scope.context("propose", plugin.name)
            answer = self._calls.call(plugin, "propose", ctx, selection=selection)
            if answer is None:
                return []
            if not isinstance(answer, (list, tuple)):
                raise blame(plugin, "propose", f"returned {type(answer).__name__}, expected a tuple", scope.trial)
            return [_offer(plugin, item, scope.trial) for item in answer]

        offered = _retried(attempt)
        for item in offered:
            if isinstance(item, Proposal) and item.operator not in self._operators:
                hint = did_you_mean(item.operator, self._operators)
                raise blame(plugin, "propose", f"unknown operator {item.operator!r}; {hint}", scope.trial)
        return offered


def hooks_for(pipeline: Pipeline, plugins: Sequence[ActivePlugin], *, lock: SharedLock | None = None) -> Hooks:
    """Build the hooks of a pipeline, with everything checked that can be checked before a call."""
    found = Hooks(plugins, pipeline.owners, lock=lock, tools=pipeline.tools)
    switched_off = {operator for operator, weight in pipeline.operators.items() if weight == 0}
    if found.operators and found.operators <= switched_off:
        raise UserError(
            f"operators: all of {', '.join(sorted(found.operators))} have the weight 0; leave one of them on"
        )
    for operator in pipeline.operators:
        if operator not in found.operators:
            raise UserError(f"operators.{operator}: nobody offers it; {did_you_mean(operator, found.operators)}")
    return found


def _find_owner(verb: str, named: str | None, implementers: Iterable[ActivePlugin]) -> ActivePlugin:
    candidates = {plugin.name: plugin for plugin in implementers}
    if named is not None:
        if named not in candidates:
            raise UserError(f"owners.{verb}: {named!r} does not answer it; {did_you_mean(named, candidates)}")
        return candidates[named]
    if not candidates:
        such = ", such as islands" if verb == "select" else ""
        raise UserError(f"no plugin of the pipeline answers {verb!r}: add one to `plugins`{such}")
    if len(candidates) > 1:
        raise UserError(f"{' and '.join(candidates)} both answer {verb!r}: set owners.{verb} to one of them")
    return next(iter(candidates.values()))


def _tool_owners(plugins: Sequence[ActivePlugin]) -> dict[str, ActivePlugin]:
    owners: dict[str, ActivePlugin] = {}
    for plugin in plugins:
        for tool in plugin.manifest.tools:
            other = owners.setdefault(tool.name, plugin)
            if other is not plugin:
                raise UserError(f"{other} and {plugin} both offer the tool {tool.name!r}: leave one of them out")
    return owners


def _offered(owners: Mapping[str, ActivePlugin], names: Sequence[str] | None) -> dict[str, ActivePlugin]:
    if names is None:
        return dict(owners)
    for name in names:
        if name not in owners:
            raise UserError(f"tools: nobody offers {name!r}; {did_you_mean(name, owners)}")
    return {name: owners[name] for name in names}


def _offer(plugin: ActivePlugin, item: Any, trial: int | None) -> Proposal | Advice:
    if isinstance(item, Advice):
        return expect(plugin, "propose", item, Advice, trial)
    return expect(plugin, "propose", item, Proposal, trial)


def _fitting(
    owner: ActivePlugin, candidate: Candidate, scope: Scope, proposal: Proposal, parents: tuple[Trial, ...]
) -> Candidate:
    kind = scope.problem.kind if scope.problem else candidate.kind
    given = {parent.number for parent in parents}
    wrong = (
        (candidate.trial != scope.trial, f"made a candidate of trial {candidate.trial}"),
        (candidate.kind != kind, f"made a {candidate.kind!r}, the problem's kind is {kind!r}"),
        (
            candidate.operator != proposal.operator,
            f"made a candidate of {candidate.operator!r}, not {proposal.operator!r}",
        ),
        (not set(candidate.parents) <= given, f"named parents {candidate.parents} that it was not given"),
    )
    for is_wrong, what in wrong:
        if is_wrong:
            raise blame(owner, "mutate", what, scope.trial)
    return candidate


def _within(evaluation: Evaluation, *, most: int) -> Evaluation:
    """Return the evaluation without what it would keep if that is too much, which its feedback then says."""
    if evaluation.kept_digest:  # it is the log that gives one
        evaluation = evaluation.model_copy(update={"kept_digest": ""})
    if len(evaluation.kept) <= most:
        return evaluation
    note = f"{len(evaluation.kept)} bytes were to be kept for children, more than the {most} of kept_bytes: none are"
    feedback = f"{evaluation.feedback}\n{note}" if evaluation.feedback else note
    return evaluation.model_copy(update={"kept": b"", "feedback": feedback})


def _retried(attempt: Callable[[], T]) -> T:
    for _ in range(ATTEMPTS - 1):
        try:
            return attempt()
        except PluginError:
            continue
    return attempt()
