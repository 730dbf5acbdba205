"""Services that hooks reach through their context in the run's own process: models, logged tools, history."""

from __future__ import annotations

import hashlib

from evograft.llm.service import ModelService
from evograft.log.journal import Journal
from evograft.log.population import Population
from evograft.plugin.context import CallSite, Scope, unfinished
from evograft.plugin.hooks import Hooks
from evograft_hookspecs import History, LlmAnswer, LlmRequest, SandboxService, Tool, ToolCall, ToolResult


class RunServices:
    """The services for the plugins of one `Hooks`."""

    def __init__(
        self, hooks: Hooks, models: ModelService, journal: Journal, population: Population, sandbox: SandboxService
    ) -> None:
        self.sandbox = sandbox
        self._hooks = hooks
        self._models = models
        self._journal = journal
        self._population = population
        self._logged = unfinished(journal.places("tool"), journal.finished_trials())

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
        key = f"{place}:{hashlib.sha256(call.model_dump_json().encode()).hexdigest()[:32]}"
        seq = self._logged[place.settled_with].get(key)
        if seq is None:
            result = self._hooks.tool_call(scope, call)
            # Read back below: it is the same now as when the run is resumed, keys left out.
            seq = self._logged[place.settled_with][key] = self._journal.write_tool_result(key, call, result)
        elif self._hooks.has_effects(call.tool):
            self._hooks.tool_call(scope, call)
        return self._journal.tool_result(seq)

    def history(self, view: int) -> History:
        return self._population.history(view)

    def settle(self, trial: int) -> None:
        """Forget where results of a trial are logged: it is committed, and will not ask again."""
        self._logged.pop(trial, None)
