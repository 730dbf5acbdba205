"""The planner: makes a plan with a model if there is one, else by the rules from the files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evograft_agent.calls.json_text import get_object
from evograft_env_setup.analysis.analysis import RepositoryAnalysis
from evograft_env_setup.environments import Environments
from evograft_env_setup.planning.plan import PlanExtraction, extract_environment_setup_info, plan_by_rules
from evograft_env_setup.planning.prompts import (
    collect_environment_info,
    environment_selection_prompt,
    planning_system_prompt,
)
from evograft_hookspecs import LlmRefused, LlmRequest, Message
from evograft_hookspecs.services.llm import LlmService

MAX_TOKENS = 8192
"""Of an answer; thinking counts for many models."""


class Planner:
    """A planner of set-ups.

    Args:
        environments: those that can be chosen.
        llm: `None`, or one that has no model: the rules plan.
        task: what is to be done in the repository, in words.
    """

    def __init__(self, environments: Environments, *, llm: LlmService | None = None, task: str = "") -> None:
        self._environments = environments
        self._llm = llm if llm is not None and llm.available else None
        self._task = task

    def plan(self, analysis: RepositoryAnalysis) -> PlanExtraction:
        """Return a plan that can be carried out, whatever the model answers."""
        if self._llm is None:
            return PlanExtraction(plan_by_rules(analysis))
        try:
            given = self._ask(self._llm, analysis)
        except (LlmRefused, ValueError) as err:
            return PlanExtraction(plan_by_rules(analysis), (f"the model gave no plan, the rules do: {err}",))
        return extract_environment_setup_info(given, analysis, self._environments)

    def _ask(self, llm: LlmService, analysis: RepositoryAnalysis) -> Mapping[str, Any]:
        question = environment_selection_prompt(collect_environment_info(analysis), self._environments)
        task = f"# The task\n\n{self._task}\n\n" if self._task else ""
        messages = (
            Message(role="system", content=planning_system_prompt(self._environments)),
            Message(role="user", content=task + question),
        )
        answer = llm.complete(LlmRequest(messages=messages, max_tokens=MAX_TOKENS)).text
        return get_object(answer, ("selected_environment",))
