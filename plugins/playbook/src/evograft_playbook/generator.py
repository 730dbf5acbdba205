"""The agent that answers a query with what the playbook knows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

from evograft.escapes import told
from evograft_hookspecs import LlmAnswer, LlmRequest, Message
from evograft_playbook.models import Bullet, Playbook, SearchQuery, SearchResult, Trajectory
from evograft_playbook.prompting import PromptBuilder
from evograft_playbook.store import PlaybookStore

MAX_TOKENS = 8192
"""Of an answer; thinking counts for many models."""

_CUT = {"length": ", cut off at its limit of tokens", "filter": ", with what its provider withholds left out"}


class LLMClient(Protocol):
    """A way to a model: a hook's `ctx.llm` is one."""

    def complete(self, request: LlmRequest) -> LlmAnswer: ...


class Search(Protocol):
    """What finds bullets, such as a HybridSearch."""

    def search(self, query: SearchQuery, playbook: Playbook) -> list[SearchResult]: ...


@dataclass
class _Work:
    """How far a query has come."""

    query: str
    dataset: str
    steps: list[str] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    at: str = "beginning"
    """What is being done, for the message if it fails."""

    def succeeded(self, answer: str) -> Trajectory:
        return self._trajectory(answer, "success", None)

    def failed(self, err: Exception) -> Trajectory:
        reason = " ".join(str(err).split()) or type(err).__name__
        return self._trajectory("", "failure", told(f"{self.at}: {reason}"))

    def _trajectory(self, answer: str, status: Literal["success", "failure"], error: str | None) -> Trajectory:
        return Trajectory(
            query=self.query,
            dataset=self.dataset,
            generated_answer=answer,
            reasoning_steps=self.steps,
            used_bullet_ids=self.used,
            status=status,
            error_message=error,
        )


class GeneratorAgent:
    """Answers queries.

    Args:
        playbook_store: has what was learned.
        hybrid_search: finds what of it fits.
        llm_client: answers.
        prompt_builder: puts both into a prompt.
        top_k: bullets in a prompt at most.
        max_tokens: of an answer.
    """

    def __init__(
        self,
        playbook_store: PlaybookStore,
        hybrid_search: Search,
        llm_client: LLMClient,
        prompt_builder: PromptBuilder,
        *,
        top_k: int = 10,
        max_tokens: int = MAX_TOKENS,
    ) -> None:
        self._store = playbook_store
        self._search = hybrid_search
        self._llm = llm_client
        self._prompts = prompt_builder
        self._top_k = top_k
        self._max_tokens = max_tokens

    def run(self, query: str, dataset: str) -> Trajectory:
        """Answers a query; whatever fails is a Trajectory that says so, and no exception.

        What ends the whole program or run passes: KeyboardInterrupt, SystemExit, and the kernel's `CallEnded`.

        Args:
            query: what is asked.
            dataset: names the template.
        """
        work = _Work(query=_storable(query), dataset=_storable(dataset))
        try:
            bullets = self._found(query, work)
            prompt = self._prompt(query, bullets, dataset, work)
            return work.succeeded(self._asked(prompt, work))
        except Exception as err:  # noqa: BLE001 - the specification's: every failure is a Trajectory
            return work.failed(err)

    def _found(self, query: str, work: _Work) -> list[Bullet]:
        work.at = "loading the playbook"
        playbook = self._store.load()
        work.steps.append(f"loaded the playbook: {_counted(len(playbook.active), 'bullet')}")
        work.at = "searching the playbook"
        # Query first, playbook second.
        results = self._search.search(SearchQuery(query_text=query, top_k=self._top_k), playbook)
        bullets = [result.bullet for result in results]
        work.steps.append(f"searched the playbook: {_counted(len(bullets), 'bullet')} found")
        return bullets

    def _prompt(self, query: str, bullets: list[Bullet], dataset: str, work: _Work) -> str:
        work.at = "building the prompt"
        prompt = self._prompts.build(query, bullets, dataset)
        work.used = [bullet.id for bullet in bullets]
        work.steps.append(f"built the prompt with {', '.join(work.used) or 'no bullets'}")
        return prompt

    def _asked(self, prompt: str, work: _Work) -> str:
        work.at = "asking the model"
        request = LlmRequest(messages=(Message(role="user", content=prompt),), max_tokens=self._max_tokens)
        answer = self._llm.complete(request)
        characters = _counted(len(answer.text), "character")
        work.steps.append(f"{answer.model} answered: {characters}{_CUT.get(answer.finish, '')}")
        return answer.text


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _storable(text: object) -> str:
    """The text, or what stands for it where it is none that a file can hold."""
    return str(text).encode("utf-8", "backslashreplace").decode("utf-8")
