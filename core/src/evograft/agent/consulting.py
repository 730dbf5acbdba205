"""Tools for operators: a model may use them before it answers."""

from __future__ import annotations

from datetime import UTC, datetime

from evograft.agent.conversation import Conversation
from evograft.agent.loop import Agent, Limits
from evograft_hookspecs import Context, LlmAnswer, LlmRequest


def consult(ctx: Context, request: LlmRequest, *, limits: Limits, language: str = "en") -> LlmAnswer:
    """The answer to a request, before which the model may call the tools of the pipeline.

    Args:
        ctx: of the hook that asks; each message and each result is logged like any other answer.
        request: a system prompt, or none, and one question.
        limits: with one step, or where no plugin offers a tool, the request is asked as it is.
        language: of what is said about tools.

    Returns:
        The first message without a call, or the last one that the limits allow.

    Raises:
        LlmRefused: there is no answer to this request.
    """
    if limits.steps == 1 or not ctx.tools.offered:
        return ctx.llm.complete(request)
    *system, question = request.messages
    asking = request.model_copy(update={"messages": tuple(system)})
    agent = Agent(ctx, asking, limits=limits, language=language)
    conversation = Conversation(conversation_id="question").asked(question.content, at=datetime.now(UTC))
    while True:
        answer = agent.ask(conversation)
        conversation = agent.heard(conversation, answer)
        if agent.ended(conversation):
            return answer
