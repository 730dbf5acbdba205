"""Tools for operators: a model may use them before it answers."""

from __future__ import annotations

from datetime import UTC, datetime

from evograft_agent.conversations.conversation import Conversation, ConversationMessage
from evograft_agent.loop import FINISH_TOOL, Agent, AgentLimits
from evograft_hookspecs import Context, LlmAnswer, LlmRequest


def consult(ctx: Context, request: LlmRequest, *, limits: AgentLimits, language: str = "en") -> LlmAnswer:
    """Return the answer to a request, before which the model may call the tools of the pipeline.

    Args:
        ctx: of the hook that asks; each message and each result is logged like any other answer.
        request: a system prompt, or none, and one question.
        limits: with one step, or where no plugin offers a tool, the request is asked as it is.
        language: of what is said about tools.

    Returns:
        The first message without a call, the summary of a task that the model has ended, or the last message that the
        limits allow.

    Raises:
        LlmRefused: there is no answer to this request.
    """
    if limits.steps == 1 or not ctx.tools.offered:
        return ctx.llm.complete(request)
    *system, question = request.messages
    asking = request.model_copy(update={"messages": tuple(system)})
    agent = Agent(ctx, asking, limits=limits, language=language)
    conversation = Conversation(conversation_id="question").with_question(question.content, at=datetime.now(UTC))
    while True:
        answer = agent.ask(conversation)
        conversation = agent.apply_response(conversation, answer)
        summary = _find_summary(conversation.messages[-1])
        if summary is not None:
            return answer.model_copy(update={"text": summary})
        if agent.find_end(conversation):
            return answer


def _find_summary(message: ConversationMessage) -> str | None:
    """Return what a task was ended with.

    Nobody asks for that here, but a model that is offered the tool may do so.
    """
    uses = message.tool_calls
    return uses[0].result if len(uses) == 1 and uses[0].tool == FINISH_TOOL and not uses[0].error else None
