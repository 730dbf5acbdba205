"""The reflector: names what helped or harmed, and what is to be learned from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from evograft_hookspecs import LlmRefused, LlmRequest, Message
from evograft_playbook.generator import LLMClient
from evograft_playbook.learning.curator import SECTIONS
from evograft_playbook.learning.deltas import CountUses
from evograft_playbook.learning.findings import Reflection, read_advice, read_findings
from evograft_playbook.learning.run_summary import LessonSummary
from evograft_playbook.types import Bullet

MAX_TOKENS = 4096
"""Of an answer; thinking counts for many models."""
LONGEST = 6000
"""Characters of each text in a prompt."""

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True)
class AnswerFeedback:
    """Feedback of somebody about an answer."""

    bullets: tuple[Bullet, ...]
    """That were in its prompt."""
    helpful: bool | None = None
    """`None`: the text says it."""
    text: str = ""
    query: str = ""
    """Empty, like the answer: only bullets are known."""
    answer: str = ""
    sections: frozenset[str] = frozenset()
    """Of the playbook: a lesson may be put into one of one's own that none of the bullets is of."""


class Reflector:
    """The reflector, which asks a model where there is one.

    Args:
        llm: `None`: there is none, and rules have to do.
        language: of the prompts, `en` or `ja`.
        max_tokens: of an answer.
    """

    def __init__(self, llm: LLMClient | None, *, language: str = "en", max_tokens: int = MAX_TOKENS) -> None:
        self._llm = llm
        self._language = language
        self._max_tokens = max_tokens

    def on_feedback(self, feedback: AnswerFeedback) -> Reflection:
        """Draw lessons from feedback.

        Without a model every bullet that was used gets a count by the sign of the feedback.
        """
        if self._llm is None:
            return _by_sign(feedback)
        values = {
            "query": _cut(feedback.query),
            "answer": _cut(feedback.answer),
            "verdict": {True: "helpful", False: "harmful", None: "-"}[feedback.helpful],
            "feedback": _cut(feedback.text),
            "bullets": _list_bullets(feedback.bullets),
        }
        return self._ask(self._llm, "feedback", values, feedback.bullets, counts=True, sections=feedback.sections)

    def on_run(self, summary: LessonSummary, bullets: Iterable[Bullet]) -> Reflection:
        """Draw the lessons of a run, in words; which bullets helped in it was measured.

        Args:
            summary: of the run.
            bullets: that it was shown.
        """
        if self._llm is None:
            return Reflection(skipped=("there is no model: lessons are drawn by rules alone",))
        shown = tuple(bullets)
        values = {name: _cut(text) for name, text in summary.describe().items()} | {"bullets": _list_bullets(shown)}
        return self._ask(self._llm, "run", values, shown, counts=False)

    def on_trials(
        self, summary: LessonSummary, recent: Mapping[str, str], *, lessons: Iterable[str]
    ) -> tuple[str, ...]:
        """Return what is to be learned from the newest trials; nothing where the model has no fit answer.

        Args:
            summary: of the run so far.
            recent: the newest trials, by the names of placeholders.
            lessons: what was said to the run before.
        """
        if self._llm is None:
            return ()
        told = {**summary.describe(), **recent, "lessons": "\n".join(lessons)}
        try:
            return read_advice(self._complete(self._llm, "trials", {name: _cut(text) for name, text in told.items()}))
        except LlmRefused:
            return ()

    def _ask(
        self,
        llm: LLMClient,
        template: str,
        values: Mapping[str, str],
        bullets: tuple[Bullet, ...],
        *,
        counts: bool,
        sections: Iterable[str] = (),
    ) -> Reflection:
        known = {*SECTIONS, *sections, *(bullet.section for bullet in bullets)}
        try:
            answer = self._complete(llm, template, {**values, "sections": ", ".join(sorted(known))})
        except LlmRefused as err:
            return Reflection(skipped=(f"the model refused to reflect: {err}",))
        return read_findings(answer, shown_ids={bullet.id for bullet in bullets}, counts=counts)

    def _complete(self, llm: LLMClient, template: str, values: Mapping[str, str]) -> str:
        # In one pass: whatever is quoted may hold placeholders.
        prompt = _PLACEHOLDER.sub(lambda found: values[found[1]], _template(self._language, template))
        request = LlmRequest(messages=(Message(role="user", content=prompt),), max_tokens=self._max_tokens)
        return llm.complete(request).text


def _by_sign(feedback: AnswerFeedback) -> Reflection:
    if feedback.helpful is None:
        return Reflection(skipped=("without a model only --helpful or --harmful says anything: nothing is counted",))
    sign = "helpful" if feedback.helpful else "harmful"
    deltas = tuple(CountUses.model_validate({"bullet_id": bullet.id, sign: 1}) for bullet in feedback.bullets)
    skipped = "there is no model: every bullet that was used is counted, and the text of the feedback teaches nothing"
    return Reflection(deltas, skipped=(skipped,) if feedback.text.strip() else ())


def _list_bullets(bullets: Iterable[Bullet]) -> str:
    return "\n".join(f"[{each.id}] {' '.join(each.content.split())}" for each in bullets) or "-"


def _cut(text: str) -> str:
    return (text if len(text) <= LONGEST else f"{text[:LONGEST]}…").strip() or "-"


@cache
def _template(language: str, name: str) -> str:
    return files(__package__).joinpath("prompts", language, f"{name}.md").read_text(encoding="utf-8")
