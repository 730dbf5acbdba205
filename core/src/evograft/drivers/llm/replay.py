"""A recorded run as the model: its log holds the answers, and no network is needed."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from evograft.errors import EvograftError
from evograft.reading import reading
from evograft_hookspecs import LlmAnswer, LlmCall, LlmUnavailable, Price


class ReplayOptions(BaseModel):
    """Which run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    """The folder of the recorded run."""


class ReplayLlm:
    """Answers a call as it was answered at the same place of the recorded run, refusals included."""

    Options = ReplayOptions
    available = True
    patient = False
    default_model = "recorded"

    def __init__(self, options: ReplayOptions) -> None:
        self.options = options
        self._open = ExitStack()

    def price(self, model: str) -> Price | None:  # noqa: ARG002 - the protocol's
        """Nothing is spent."""
        return Price(prompt=0.0, completion=0.0)

    def open(self, folder: Path) -> None:  # noqa: ARG002 - the protocol's
        try:
            self._journal = self._open.enter_context(reading(Path(self.options.run)))
            self._places = {key: seq for seq, key in self._journal.places("answer")}
        except EvograftError as err:
            raise LlmUnavailable(f"the recorded run cannot be read: {err}") from err

    def complete(self, call: LlmCall, *, timeout: float) -> LlmAnswer:  # noqa: ARG002 - the protocol's
        seq = self._places.get(call.key)
        if seq is None:
            raise LlmUnavailable(
                f"{self.options.run} holds no answer to this request of trial {call.trial} (model {call.request.model}): "
                "it was made with other settings, other versions, or ended before"
            )
        return self._journal.answer(seq)

    def close(self) -> None:
        self._open.close()
