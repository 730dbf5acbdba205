"""Services that hooks reach through their context in the run's own process: models, what is logged, history."""

from __future__ import annotations

from evograft.drivers.llm.replay import Recording
from evograft.kernel.preliminary import PreliminaryEvaluations
from evograft.llm.service import ModelService
from evograft.log.journal import Journal
from evograft.log.population import Population
from evograft.plugin.context import CallSite, Scope, unfinished
from evograft.plugin.hooks import Hooks
from evograft_hookspecs import (
    Candidate,
    Evaluation,
    History,
    LlmAnswer,
    LlmRequest,
    SandboxService,
    Tool,
    ToolCall,
    ToolResult,
)


class RunServices:
    """The services for the plugins of one `Hooks`.

    Args:
        recording: of the run that this one repeats, whose results are this one's, too; `None`: it repeats none.
    """

    def __init__(
        self,
        hooks: Hooks,
        models: ModelService,
        journal: Journal,
        population: Population,
        *,
        sandbox: SandboxService,
        preliminary: PreliminaryEvaluations,
        recording: Recording | None = None,
    ) -> None:
        self.sandbox = sandbox
        self._preliminary = preliminary
        self._recording = recording
        self._hooks = hooks
        self._models = models
        self._journal = journal
        self._population = population
        finished = journal.finished_trials()
        self._logged = unfinished(journal.places("tool"), finished)
        self._logged_evaluations = unfinished(journal.places("preliminary"), finished)

    @property
    def has_model(self) -> bool:
        return self._models.available

    def ask(self, place: CallSite, request: LlmRequest, *, occurrence: int) -> LlmAnswer:
        return self._models.ask(place, request, occurrence=occurrence)

    @property
    def tools(self) -> tuple[Tool, ...]:
        return self._hooks.tools

    def call_tool(self, scope: Scope, call: ToolCall) -> ToolResult:
        """Return the tool's result, from the log if it is there.

        A tool with effects is carried out again all the same.
        """
        place = scope.place("tool_call", call.tool)
        key = f"{place}:{call.digest()}"
        seq = self._logged[place.settled_with].get(key)
        if seq is None:
            result = self._call_new(scope, call, key)
            # Read back below: it is the same now as when the run is resumed, keys left out.
            seq = self._logged[place.settled_with][key] = self._journal.results.write_tool_result(key, call, result)
        elif self._hooks.has_effects(call.tool):
            self._hooks.tool_call(scope, call)
        return self._journal.results.tool_result(seq)

    def evaluate(self, scope: Scope, candidate: Candidate) -> Evaluation:
        """Return the evaluation of a candidate that is not finished, from the log if it is there."""
        assert scope.trial is not None, "mutate belongs to a trial"
        place = scope.place("evaluate", self._hooks.owner("evaluate").name)
        key = f"{place}:{candidate.id}"
        seq = self._logged_evaluations[scope.trial].get(key)
        if seq is None:
            evaluation = None if self._recording is None else self._recording.find_evaluation(key)
            evaluation = evaluation or self._preliminary.carry_out(self._hooks, scope, candidate)
            seq = self._logged_evaluations[scope.trial][key] = self._journal.results.write_preliminary(key, evaluation)
        evaluation = self._journal.results.preliminary(seq)
        self._preliminary.note(scope.trial, key, evaluation)
        return evaluation

    def _call_new(self, scope: Scope, call: ToolCall, key: str) -> ToolResult:
        """Return the result of a call that is not in the log: as in the run that is repeated, or carried out."""
        recorded = None if self._recording is None else self._recording.find_tool_result(key)
        if recorded is None or self._hooks.has_effects(call.tool):
            return self._hooks.tool_call(scope, call)
        return recorded

    def finish(self, trial: int) -> tuple[Evaluation, ...]:
        """Return, once, the evaluations that the operator of a trial has asked for: when the trial is logged."""
        return self._preliminary.settle(trial)

    def history(self, view: int) -> History:
        return self._population.history(view)

    def settle(self, trial: int) -> None:
        """Forget where results of a trial are logged: it is committed, and will not ask again."""
        self._logged.pop(trial, None)
        self._logged_evaluations.pop(trial, None)
