"""A session with a question: the model is asked, and the conversation kept, message by message."""

from __future__ import annotations

from dataclasses import dataclass

from evograft.api import (
    BudgetSpent,
    RunFolder,
    RunStopping,
    ServiceError,
    StandaloneContext,
    UserError,
    open_standalone,
)
from evograft_agent.conversations.conversation import Conversation
from evograft_agent.conversations.conversation_store import ConversationStore
from evograft_agent.loop import FINISH_TOOL, Agent, AgentLimits, TaskEnd
from evograft_code_explainer.catalog import load_catalog
from evograft_code_explainer.files.repository import Repository
from evograft_code_explainer.questions.citations import find_citations
from evograft_code_explainer.questions.interruption import run_interruptibly
from evograft_code_explainer.questions.notes import collect_notes
from evograft_code_explainer.questions.pipeline import PLUGIN, read_options
from evograft_code_explainer.questions.progress import QuestionProgress
from evograft_code_explainer.questions.result import QuestionResult, ResultKind
from evograft_code_explainer.questions.task import build_role
from evograft_hookspecs import LlmRefused, LlmRequest, Message


@dataclass(frozen=True)
class ConversationCost:
    """The cost of all calls of a conversation so far."""

    tokens: int
    dollars: float | None


class QuestionSession:
    """Work on the newest question of a conversation.

    Args:
        run: the conversation's folder with its pipeline.
        shelf: where the conversation is kept.
        conversation: ends with a question, or wherever it was cut.
        progress: is told what happens.
    """

    def __init__(
        self, run: RunFolder, shelf: ConversationStore, conversation: Conversation, progress: QuestionProgress
    ) -> None:
        self._run = run
        self._shelf = shelf
        self._progress = progress
        self._options = read_options(run.pipeline)
        self._words = load_catalog(self._options.asking.language)
        self._desk: StandaloneContext | None = None
        self._is_ending = False
        self._spent: ConversationCost | None = None
        self._conversation = conversation

    def work(self) -> QuestionResult:
        """Ask until the task has ended, a limit is reached, or there is no answer.

        Raises:
            UserError: the conversation is worked on elsewhere, or was since it was read.
            ServiceError: it cannot be worked on here; nothing was asked.
        """
        try:
            ended = run_interruptibly(self._work_in_context, self._end)
        except BudgetSpent as err:
            return self._build_result("budget", str(err))
        except (ServiceError, LlmRefused) as err:
            if self._spent is None:
                raise
            return self._build_result("failed", str(err))
        except RunStopping:
            return self._build_result("interrupted", self._words("interrupted"))
        except KeyboardInterrupt:
            self._progress.say(self._words("after_interrupted", id=self._conversation.conversation_id))
            raise
        return self._build_result(ended.reason, self._reason(ended), ended.text)

    def _work_in_context(self) -> TaskEnd:
        with open_standalone(self._run, caller=PLUGIN) as at:
            self._desk = at
            try:
                return self._ask(at)
            finally:
                self._spent = ConversationCost(at.tokens, at.dollars)

    def _end(self) -> None:
        self._is_ending = True
        self._progress.say(self._words("ending"))
        if self._desk is not None:
            self._desk.give_up()

    def _ask(self, at: StandaloneContext) -> TaskEnd:
        agent = self._agent(at)
        self._require_newest()
        self._shelf.save(self._conversation)
        while (ended := agent.find_end(self._conversation)) is None:
            if self._is_ending:
                raise RunStopping("interrupted")
            self._progress.asking(len(self._conversation.answers) + 1)
            answer = agent.ask(self._conversation)
            self._conversation = agent.apply_response(self._conversation, answer)
            self._shelf.save(self._conversation)
            self._progress.heard(self._conversation.messages[-1], at.tokens)
        return ended

    def _require_newest(self) -> None:
        """Check that the conversation is as it was read: another process may have continued it before it was ours."""
        name = self._conversation.conversation_id
        kept = self._shelf.read(name).messages
        if self._conversation.messages[: len(kept)] != kept:
            raise UserError(f"conversation {name!r} went on meanwhile, and nothing was asked: try again")

    def _agent(self, at: StandaloneContext) -> Agent:
        asking = self._options.asking
        offered = {tool.name for tool in at.ctx.tools.offered}
        request = LlmRequest(
            messages=(Message(role="system", content=build_role(self._words, offered)),),
            max_tokens=asking.max_tokens,
            temperature=asking.temperature,
        )
        limits = AgentLimits(asking.steps, asking.malformed, asking.room)
        return Agent(at.ctx, request, finish_tool=FINISH_TOOL, limits=limits, language=self._words.language)

    def _reason(self, ended: TaskEnd) -> str:
        asking = self._options.asking
        if ended.reason == "complete":
            return ""
        if ended.reason == "steps":
            return self._words("stopped_steps", n=asking.steps)
        return self._words("stopped_malformed", n=asking.malformed, text=ended.text)

    def _build_result(self, kind: ResultKind, reason: str, text: str = "") -> QuestionResult:
        is_complete = kind == "complete"
        answers = self._conversation.answers
        spent = self._spent or ConversationCost(0, None)
        return QuestionResult(
            conversation_id=self._conversation.conversation_id,
            outcome=kind,
            reason=reason,
            text=text if is_complete else collect_notes(self._conversation, self._words),
            steps=len(answers),
            malformed=sum(use.is_malformed for answer in answers for use in answer.tool_calls),
            tokens=spent.tokens,
            dollars=spent.dollars,
            citations=find_citations(text, Repository(self._options)) if is_complete else (),
        )
