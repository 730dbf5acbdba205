"""A question to a model that is answered by data."""

from __future__ import annotations

import json
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from evograft_ahc.explaining import first_problem
from evograft_ahc.placeholders import filled
from evograft_hookspecs import LlmRefused, LlmRequest, Message
from evograft_hookspecs.ports import LlmService

AnswerT = TypeVar("AnswerT", bound=BaseModel)

MAX_TOKENS = 8192
"""Of an answer; thinking counts for many models."""
ATTEMPTS = 2
MOST_STARTS = 50
"""So many opening braces of an answer are looked at; prose before an object has some, such as those of a formula."""
END_OF_THOUGHTS = "</think>"


def ask(llm: LlmService, prompt: str, form: type[AnswerT], *, again: str) -> AnswerT | None:
    """A model's answer as a value; asked once more where the first answer is none.

    Args:
        llm: the service of the hook that asks.
        prompt: the question, which says what JSON object is wanted.
        form: the object's model.
        again: the template of what is said after a bad answer; its `{problem}` is what was wrong.

    Returns:
        The value; `None` where there is no model, it refuses, or both answers were of no use.
    """
    turns: tuple[Message, ...] = (Message(role="user", content=prompt),)
    for _ in range(ATTEMPTS):
        try:
            text = llm.complete(LlmRequest(messages=turns, max_tokens=MAX_TOKENS)).text
        except LlmRefused:
            return None
        try:
            return form.model_validate(find_object(text))
        except ValidationError as err:
            problem = first_problem(err)
        except ValueError as err:
            problem = str(err)
        complaint = filled(again, {"problem": problem})
        turns = (*turns, Message(role="assistant", content=text), Message(role="user", content=complaint))
    return None


def find_object(text: str) -> dict[str, object]:
    """The first JSON object in an answer, whatever fences and prose stand around it.

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
