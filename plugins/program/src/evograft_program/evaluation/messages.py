"""What the worker says over its private descriptor, where a candidate may have written too."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from evograft_program.answers.decoding import decode
from evograft_program.worker.channel import HEADER


class AnswerForged(ValueError):  # noqa: N818 - it says what happened
    """Something other than the worker wrote where only the worker writes."""


@dataclass(frozen=True)
class WorkerMessage:
    """One message: a `stage` begins, a `value` was returned, an `error` was raised, `time-out`, or what is `kept`."""

    type: str
    fields: dict[str, Any]

    @property
    def stage(self) -> str:
        return str(self.fields.get("stage", ""))

    @property
    def value(self) -> object:
        """The decoded value.

        Raises:
            AnswerForged: it is none that the worker writes.
        """
        try:
            return decode(self.fields["value"])
        except (ValueError, KeyError) as err:
            raise AnswerForged(f"an answer of the wrong form: {err}") from err


def read_messages(data: bytes, token: str) -> tuple[WorkerMessage, ...]:
    """Return the messages; one at the end that was cut is left out, as a process that is killed leaves it.

    Raises:
        AnswerForged: there is anything else.
    """
    messages = []
    while len(data) >= HEADER.size:
        (size,) = HEADER.unpack_from(data)
        body, data = data[HEADER.size : HEADER.size + size], data[HEADER.size + size :]
        if not body.startswith(token.encode()[: len(body)]):
            raise AnswerForged("somebody wrote to the descriptor of the answer")
        if len(body) == size:
            messages.append(_read(body[len(token) :]))
    return tuple(messages)


def _read(body: bytes) -> WorkerMessage:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as err:
        raise AnswerForged("an answer that is no JSON") from err
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise AnswerForged("an answer of the wrong form")
    return WorkerMessage(message["type"], message)
