"""Carries out an operator: prompt, model, answer, candidate."""

from __future__ import annotations

from evograft_agent.consult import consult
from evograft_agent.loop import AgentLimits
from evograft_hookspecs import (
    Candidate,
    CandidateRejected,
    Context,
    FrozenDict,
    LlmAnswer,
    LlmRefused,
    LlmRequest,
    Message,
    Proposal,
    Trial,
)
from evograft_operators.models.answer import AnswerRules, read_answer
from evograft_operators.models.answer_text import extract_idea
from evograft_operators.models.language import find_language
from evograft_operators.models.mutation_task import MutationTask, build_task
from evograft_operators.models.prompt import ProgramPrompt, compose_prompt, get_sizes
from evograft_operators.models.proposal_data import find_temperature
from evograft_operators.models.templates import OperatorTemplates
from evograft_operators.models.text import one_line
from evograft_operators.options import OperatorsOptions

NO_ANSWER = "(empty)"
"""The draft that stands for an answer without text: a rejection without a draft has nothing to repair."""


def write_program(
    ctx: Context,
    proposal: Proposal,
    parents: tuple[Trial, ...],
    *,
    options: OperatorsOptions,
    templates: OperatorTemplates,
) -> Candidate:
    """Carry out one of `OPERATIONS`.

    Raises:
        CandidateRejected: nothing could be asked, the model refused, or its answer holds no valid candidate.
    """
    task = build_task(ctx, proposal, parents, best_first=options.programs == "ideas")
    language = find_language(task.problem)
    prompt = compose_prompt(task, templates, ctx.history, language, get_sizes(options))
    answer = ask(ctx, prompt, options, temperature=find_temperature(proposal, options.temperature))
    rules = AnswerRules(language, new_files=options.new_files, syntax=options.syntax == "check")
    try:
        files = read_answer(answer, task.ground, rules)
    except CandidateRejected as err:
        raise CandidateRejected(err.reason, draft=answer.text if answer.text.strip() else NO_ANSWER) from err
    return Candidate(
        kind=task.problem.kind,
        files=FrozenDict(files),
        operator=proposal.operator,
        trial=ctx.trial or 0,
        parents=task.lineage,
        used_advice=prompt.used_advice,
        idea=_find_idea(task, answer) if options.programs == "ideas" else "",
    )


def _find_idea(task: MutationTask, answer: LlmAnswer) -> str:
    """Return the idea of an answer; what mends a program leaves the idea as it was."""
    return (task.failed.idea if task.failed else "") or extract_idea(answer.text)


def ask(ctx: Context, prompt: ProgramPrompt, options: OperatorsOptions, *, temperature: float | None) -> LlmAnswer:
    """Ask the trial's model one question; it may use tools before it answers.

    Raises:
        CandidateRejected: the request was refused, and would be again.
    """
    system = (Message(role="system", content=prompt.system),) if prompt.system.strip() else ()
    messages = (*system, Message(role="user", content=prompt.user))
    request = LlmRequest(messages=messages, max_tokens=options.max_tokens, temperature=temperature)
    language = "ja" if options.language == "ja" else "en"
    try:
        return consult(ctx, request, limits=AgentLimits(steps=options.tool_steps), language=language)
    except LlmRefused as err:
        raise CandidateRejected(f"the model refused the request: {one_line(str(err))}") from err
