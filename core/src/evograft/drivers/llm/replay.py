"""A recorded run as the model: its log holds the answers, and no network is needed."""

from __future__ import annotations

import itertools
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from evograft.errors import EvograftError
from evograft.log.journal import LoggedRefusal
from evograft.runs.reader import open_journal
from evograft_hookspecs import Evaluation, LlmAnswer, LlmCall, LlmRequest, LlmUnavailable, Price, ToolResult

MOST_SHOWN = 120
"""Characters of a line in an error."""


class ReplayOptions(BaseModel):
    """Options of the driver `replay`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    """The folder of the recorded run."""


def _call_of(key: str) -> str:
    """Return place and occurrence of a call, whatever it asks."""
    place, _, occurrence = key.rsplit(":", 2)
    return f"{place}:{occurrence}"


def describe_difference(logged: LlmRequest, asked: LlmRequest) -> str:
    """Return in words the first place where a request differs from the one that was logged."""
    for before, now in zip(logged.messages, asked.messages, strict=False):
        lines = itertools.zip_longest(before.content.splitlines(), now.content.splitlines(), fillvalue="")
        changed = next(((old, new) for old, new in lines if old != new), None)
        if changed is not None:
            return f"where the prompt said {_shorten(changed[0])} it says {_shorten(changed[1])}"
    if len(logged.messages) != len(asked.messages):
        return f"the prompt had {len(logged.messages)} messages and has {len(asked.messages)}"
    fields = (name for name in LlmRequest.model_fields if getattr(logged, name) != getattr(asked, name))
    return f"its {next(fields, 'order')} is another one"


def _shorten(line: str) -> str:
    return repr(line if len(line) <= MOST_SHOWN else f"{line[:MOST_SHOWN]}…")


class Recording(Protocol):
    """What a recorded run has besides answers: results that another run with the same answers is to have, too."""

    def find_tool_result(self, key: str) -> ToolResult | None: ...

    def find_evaluation(self, key: str) -> Evaluation | None: ...


def _without_dollars(answer: LlmAnswer) -> LlmAnswer:
    """Return an answer whose dollars were paid in the recorded run."""
    return answer.model_copy(update={"usage": answer.usage and answer.usage.model_copy(update={"dollars": None})})


class ReplayLlm:
    """A driver that answers a call as the same place of the recorded run was answered, refusals included."""

    Options = ReplayOptions
    available = True
    patient = False
    default_model = "recorded"

    def __init__(self, options: ReplayOptions) -> None:
        self.options = options
        self._open = ExitStack()

    def price(self, model: str) -> Price | None:  # noqa: ARG002 - the protocol's
        """Return a price of nothing: nothing is spent."""
        return Price(prompt=0.0, completion=0.0)

    def open(self, folder: Path) -> None:  # noqa: ARG002 - the protocol's
        try:
            self._journal = self._open.enter_context(open_journal(Path(self.options.run)))
            self._places = {key: seq for seq, key in self._journal.places("answer")}
            self._results = {key: seq for seq, key in self._journal.places("tool")}
            self._evaluations = {key: seq for seq, key in self._journal.places("preliminary")}
            self._calls = {_call_of(key): seq for key, seq in reversed(self._places.items())}
        except EvograftError as err:
            raise LlmUnavailable(f"the recorded run cannot be read: {err}") from err

    def complete(self, call: LlmCall, *, timeout: float) -> LlmAnswer:  # noqa: ARG002 - the protocol's
        seq = self._places.get(call.key)
        if seq is None:
            raise LlmUnavailable(self._reason(call))
        try:
            return _without_dollars(self._journal.answer(seq))
        except LoggedRefusal as err:
            # Its requests were paid for in the recorded run.
            raise LoggedRefusal(str(err)) from None

    def find_tool_result(self, key: str) -> ToolResult | None:
        """Return what a tool said at this place of the recorded run; `None`: it was not called there."""
        seq = self._results.get(key)
        return None if seq is None else self._journal.results.tool_result(seq)

    def find_evaluation(self, key: str) -> Evaluation | None:
        """Return the evaluation of an unfinished candidate at this place; `None`: there was none."""
        seq = self._evaluations.get(key)
        return None if seq is None else self._journal.results.preliminary(seq)

    def _reason(self, call: LlmCall) -> str:
        """Return why there is no answer to a call: what it asks instead of what was asked at its place."""
        what = f"{self.options.run} holds no answer to this request of trial {call.trial} (model {call.request.model})"
        seq = self._calls.get(_call_of(call.key))
        if seq is None:
            return f"{what}: it was made with other settings, other versions, or ended before"
        logged, _, _ = self._journal.exchange(seq)
        return (
            f"{what}: {describe_difference(logged, call.request)}; the cause is another setting or version, or the "
            "feedback of an evaluation that differs from time to time, such as seconds"
        )

    def close(self) -> None:
        self._open.close()
