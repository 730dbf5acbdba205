"""Carries out the operator `agent`: a conversation with tools, at the end of which there is a candidate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from evograft_agent.conversations.conversation import Conversation
from evograft_agent.loop import Agent, AgentLimits, TaskEnd
from evograft_hookspecs import (
    Candidate,
    CandidateRejected,
    Context,
    FrozenDict,
    LlmRefused,
    LlmRequest,
    Message,
    Proposal,
    Trial,
)
from evograft_operators.agent.tools import HAND_IN, CandidateTools
from evograft_operators.agent.workspace import AgentWorkspace
from evograft_operators.models.answer import AnswerRules
from evograft_operators.models.language import find_language
from evograft_operators.models.mutation_task import MutationTask, build_task
from evograft_operators.models.prompt import ProgramPrompt, compose_prompt, get_sizes
from evograft_operators.models.proposal_data import find_temperature
from evograft_operators.models.templates import OperatorTemplates
from evograft_operators.models.text import one_line
from evograft_operators.options import OperatorsOptions


def let_agent_work(
    ctx: Context,
    proposal: Proposal,
    parents: tuple[Trial, ...],
    *,
    options: OperatorsOptions,
    templates: OperatorTemplates,
) -> Candidate:
    """Let a model change a program with tools until it hands it in.

    All that the tools of others say, and every evaluation, is in the log before the model reads it. What the workspace
    says follows from that. So a run that is resumed or replayed has the same conversation.

    Raises:
        CandidateRejected: the model refused, or has neither handed in a program nor evaluated one.
    """
    task = build_task(ctx, proposal, parents, best_first=options.programs == "ideas")
    language = find_language(task.problem)
    prompt = compose_prompt(task, templates, ctx.history, language, get_sizes(options))
    rules = AnswerRules(language, new_files=options.new_files, syntax=options.syntax == "check")
    workspace = AgentWorkspace(task.ground, rules)
    build = partial(_build_candidate, ctx, proposal, task, prompt)
    limits = options.agent
    tools = CandidateTools(
        workspace, build, ctx.evaluation, ctx.tools, most=limits.evaluations, most_calls=limits.calls
    )
    end = _converse(
        replace(ctx, tools=tools), prompt, options, temperature=find_temperature(proposal, options.temperature)
    )
    # A program with a score is worth more than the reason why the work was not ended.
    candidate = tools.handed_in or tools.best
    if candidate is None:
        raise CandidateRejected(_explain(end, options))
    return candidate.model_copy(update={"idea": tools.idea}) if options.programs == "ideas" else candidate


def _converse(ctx: Context, prompt: ProgramPrompt, options: OperatorsOptions, *, temperature: float | None) -> TaskEnd:
    system = (Message(role="system", content=prompt.system),) if prompt.system.strip() else ()
    request = LlmRequest(messages=system, max_tokens=options.max_tokens, temperature=temperature)
    limits = AgentLimits(steps=options.agent.steps, room=options.prompt_chars)
    language = "ja" if options.language == "ja" else "en"
    agent = Agent(ctx, request, finish_tool=HAND_IN, limits=limits, language=language)
    conversation = Conversation(conversation_id="candidate").with_question(prompt.user, at=datetime.now(UTC))
    try:
        while (end := agent.find_end(conversation)) is None:
            conversation = agent.apply_response(conversation, agent.ask(conversation))
    except LlmRefused as err:
        return TaskEnd("malformed", f"the model refused the request: {one_line(str(err))}")
    return end


def _build_candidate(
    ctx: Context, proposal: Proposal, task: MutationTask, prompt: ProgramPrompt, files: Mapping[str, str]
) -> Candidate:
    return Candidate(
        kind=task.problem.kind,
        files=FrozenDict(files),
        operator=proposal.operator,
        trial=ctx.trial or 0,
        parents=task.lineage,
        used_advice=prompt.used_advice,
    )


def _explain(end: TaskEnd, options: OperatorsOptions) -> str:
    if end.reason == "steps":
        return f"the agent has not handed in a program within {options.agent.steps} messages, and evaluated none"
    return f"the agent has not handed in a program: {one_line(end.text)}"
