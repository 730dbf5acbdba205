"""Carries out an operator: prompt, model, answer, candidate."""

from __future__ import annotations

from evograft_agent.consult import consult
from evograft_agent.loop import Limits
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
from evograft_operators.models.answer import Rules, read_answer
from evograft_operators.models.heat import heat_of
from evograft_operators.models.language import language_of
from evograft_operators.models.prompt import Prompt, Sizes, compose
from evograft_operators.models.task import take_up
from evograft_operators.models.templates import Templates
from evograft_operators.models.text import one_line
from evograft_operators.options import OperatorsOptions

NO_ANSWER = "(empty)"
"""The draft that stands for an answer without text: a rejection without a draft has nothing to mend."""


def write_program(
    ctx: Context, proposal: Proposal, parents: tuple[Trial, ...], *, options: OperatorsOptions, templates: Templates
) -> Candidate:
    """Carries out one of `OPERATIONS`.

    Raises:
        CandidateRejected: nothing could be asked, the model refused, or its answer holds no valid candidate.
    """
    task = take_up(ctx, proposal, parents)
    language = language_of(task.problem)
    sizes = Sizes(options.prompt_chars, options.history, options.ancestors, options.metrics)
    prompt = compose(task, templates, ctx.history, language, sizes)
    answer = ask(ctx, prompt, options, temperature=heat_of(proposal, options.temperature))
    rules = Rules(language, new_files=options.new_files, syntax=options.syntax == "check")
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
    )


def ask(ctx: Context, prompt: Prompt, options: OperatorsOptions, *, temperature: float | None) -> LlmAnswer:
    """One question to the trial's model, which may use tools before it answers.

    Raises:
        CandidateRejected: the request was refused, and would be again.
    """
    system = (Message(role="system", content=prompt.system),) if prompt.system.strip() else ()
    messages = (*system, Message(role="user", content=prompt.user))
    request = LlmRequest(messages=messages, max_tokens=options.max_tokens, temperature=temperature)
    language = "ja" if options.language == "ja" else "en"
    try:
        return consult(ctx, request, limits=Limits(steps=options.tool_steps), language=language)
    except LlmRefused as err:
        raise CandidateRejected(f"the model refused the request: {one_line(str(err))}") from err
