"""The agent that answers a query with what the playbook knows."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Literal, Protocol

from evograft.text.escapes import sanitize
from evograft.text.i18n import Catalog, usual_language
from evograft_hookspecs import LlmAnswer, LlmRequest, Message
from evograft_playbook.prompts import PlaybookPrompt, PromptBuilder
from evograft_playbook.store import PlaybookStore
from evograft_playbook.types import Bullet, Playbook, SearchQuery, SearchResult, Trajectory

MAX_TOKENS = 8192
"""Of an answer; thinking counts for many models."""

LONGEST_ERROR = 2000
"""Characters of an error's message that are kept; of a longer one the beginning and the end, where the reason
stands."""

# Errors are in the Trajectory, so the log is silent until somebody listens to it.
log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())


class Generator(Protocol):
    """An agent that answers queries: a GeneratorAgent, or one of the user's own in its place."""

    def run(self, query: str, dataset: str) -> Trajectory:
        """Return the answer, or the reason why there is none."""


class LLMClient(Protocol):
    """A way to a model: a hook's `ctx.llm` is one, and `evograft_playbook.language_model.open_model` opens one."""

    def complete(self, request: LlmRequest) -> LlmAnswer: ...


class BulletSearch(Protocol):
    """A search that finds bullets, such as a HybridSearch."""

    def search(self, query: SearchQuery, playbook: Playbook) -> list[SearchResult]: ...


@dataclass
class _Work:
    """The progress of a query."""

    query: str
    dataset: str
    words: Catalog
    steps: list[str] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    at: str = "at_beginning"
    """What is being done, as a key of the words, for the message if it fails."""

    def done(self, key: str, **values: object) -> None:
        """Note a step."""
        self.steps.append(self.words(key, **values))

    def bullets(self, number: int) -> str:
        return self.words("some_bullets", n=f"{number:,}")

    def succeeded(self, answer: str) -> Trajectory:
        return self._trajectory(answer, "success", None)

    def failed(self, err: Exception) -> Trajectory:
        message = f"{self.words(self.at)}: {_describe(err)}"
        log.error("%s", message, exc_info=err)
        return self._trajectory("", "failure", message)

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
        language: of the steps and errors, `en` or `ja`; `None`: that of the user's locale.
    """

    def __init__(
        self,
        playbook_store: PlaybookStore,
        hybrid_search: BulletSearch,
        llm_client: LLMClient,
        prompt_builder: PromptBuilder,
        *,
        top_k: int = 10,
        max_tokens: int = MAX_TOKENS,
        language: str | None = None,
    ) -> None:
        self._store = playbook_store
        self._search = hybrid_search
        self._llm = llm_client
        self._prompts = prompt_builder
        self._top_k = top_k
        self._max_tokens = max_tokens
        self._words = Catalog(language or usual_language(), __package__ or "")

    def run(self, query: str, dataset: str) -> Trajectory:
        """Answer a query; whatever fails is logged and becomes a Trajectory that says so, not an exception.

        What ends the whole program or run passes: KeyboardInterrupt, SystemExit, and the kernel's `HookAborted`.

        Args:
            query: what is asked.
            dataset: names the template.
        """
        work = _Work(query=_make_storable(query), dataset=_make_storable(dataset), words=self._words)
        try:
            bullets = self._find_bullets(query, work)
            prompt = self._prompt(query, bullets, dataset, work)
            return work.succeeded(self._ask(prompt, work))
        except Exception as err:  # noqa: BLE001 - the specification's: every failure is a Trajectory
            return work.failed(err)

    def _find_bullets(self, query: str, work: _Work) -> list[Bullet]:
        work.at = "at_loading"
        playbook = self._store.load()
        work.done("step_loaded", bullets=work.bullets(len(playbook.active)))
        work.at = "at_searching"
        # Query first, playbook second.
        results = self._search.search(SearchQuery(query_text=query, top_k=self._top_k), playbook)
        bullets = [result.bullet for result in results]
        work.done("step_searched", bullets=work.bullets(len(bullets)))
        return bullets

    def _prompt(self, query: str, bullets: list[Bullet], dataset: str, work: _Work) -> str:
        work.at = "at_building"
        prompt = self._prompts.build(query, bullets, dataset)
        work.used = [bullet.id for bullet in bullets]
        ids = ", ".join(work.used) or work.words("no_bullets_used")
        if isinstance(prompt, PlaybookPrompt):
            work.done("step_built_from", ids=ids, template=_make_storable(prompt.template))
        else:
            work.done("step_built", ids=ids)
        return prompt

    def _ask(self, prompt: str, work: _Work) -> str:
        work.at = "at_asking"
        request = LlmRequest(messages=(Message(role="user", content=prompt),), max_tokens=self._max_tokens)
        answer = self._llm.complete(request)
        characters = work.words("some_characters", n=f"{len(answer.text):,}")
        cut = work.words(f"cut_{answer.finish}") if answer.finish in ("length", "filter") else ""
        work.done("step_answered", model=_make_storable(answer.model), characters=characters, cut=cut)
        # A client of one's own may pass on what no file can hold.
        return _make_storable(answer.text)


def _describe(err: Exception) -> str:
    """Return an error's type and what it says, with no key in it and nothing that steers a terminal."""
    reason = " ".join(str(err).split())
    name = type(err).__name__
    text = sanitize(f"{name}: {reason}" if reason else name, 100 * LONGEST_ERROR)
    if len(text) <= LONGEST_ERROR:
        return text
    half = LONGEST_ERROR // 2 - 2
    return f"{text[:half]} … {text[-half:]}"


def _make_storable(text: object) -> str:
    """Return the text, or an escaped form of it if no file can hold it."""
    return str(text).encode("utf-8", "backslashreplace").decode("utf-8")
