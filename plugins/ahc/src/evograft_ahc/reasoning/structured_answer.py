"""A question to a model that is answered by data."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from evograft.api import write_atomically
from evograft_ahc.text.placeholders import fill_placeholders
from evograft_ahc.text.validation_errors import describe_first_problem
from evograft_hookspecs import LlmRefused, LlmRequest, Message
from evograft_hookspecs.services.llm import LlmService

AnswerT = TypeVar("AnswerT", bound=BaseModel)

ATTEMPTS = 2
MOST_STARTS = 50
"""So many opening braces of an answer are looked at; prose before an object has some, such as those of a formula."""
END_OF_THOUGHTS = "</think>"


@dataclass(frozen=True)
class StructuredQuery:
    """Asks a model for data, and once more where its answer is none."""

    llm: LlmService
    """Of the hook that asks."""
    again: str
    """The template of what is said after a bad answer; its `{problem}` is what was wrong."""
    max_tokens: int
    """Of an answer; thinking counts for many models."""
    temperature: float | None = None
    """`None`: the provider's default."""
    kept: Path | None = None
    """A folder in which useful answers are kept, so that equal questions are asked once; `None`: none are."""

    def ask(self, question: str, form: type[AnswerT]) -> AnswerT | None:
        """Return the answer as a value; `None` without a model, if it refuses, or if both answers were of no use."""
        if self.kept is None or not self.llm.available:
            return self._ask(question, form)
        file = self.kept / f"{hashlib.sha256(question.encode()).hexdigest()[:32]}.json"
        with suppress(OSError, ValueError):  # it is not there, or of another version
            return form.model_validate_json(file.read_bytes())
        answer = self._ask(question, form)
        if answer is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(file, answer.model_dump_json(indent=1).encode())
        return answer

    def _ask(self, question: str, form: type[AnswerT]) -> AnswerT | None:
        turns: tuple[Message, ...] = (Message(role="user", content=question),)
        for _ in range(ATTEMPTS):
            text = self._told(turns)
            if text is None:
                return None
            try:
                return form.model_validate(find_object(text))
            except ValidationError as err:
                problem = describe_first_problem(err)
            except ValueError as err:
                problem = str(err)
            complaint = fill_placeholders(self.again, {"problem": problem})
            turns = (*turns, Message(role="assistant", content=text), Message(role="user", content=complaint))
        return None

    def _told(self, turns: tuple[Message, ...]) -> str | None:
        if not self.llm.available:
            return None
        request = LlmRequest(messages=turns, max_tokens=self.max_tokens, temperature=self.temperature)
        try:
            return self.llm.complete(request).text
        except LlmRefused:
            return None


def find_object(text: str) -> dict[str, object]:
    """Return the first JSON object in an answer, whatever fences and prose stand around it.

    Raises:
        ValueError: there is none.
    """
    decoder, answer = json.JSONDecoder(), text.rpartition(END_OF_THOUGHTS)[2]
    start = answer.find("{")
    for _ in range(MOST_STARTS):
        if start < 0:
            break
        try:
            found, _end = decoder.raw_decode(answer, start)
        except (ValueError, RecursionError):
            start = answer.find("{", start + 1)
            continue
        return dict(found)
    raise ValueError("there is no JSON object in the answer")
