"""No model at all: what runs without a key, an account or a network."""

from __future__ import annotations

from pathlib import Path

from evograft_hookspecs import LlmAnswer, LlmCall, LlmRefused, NoOptions, Price


class NoLlm:
    """A driver that refuses every question and says what to set."""

    Options = NoOptions
    available = False
    patient = False
    default_model = ""

    def __init__(self, options: NoOptions) -> None:
        self.options = options

    def price(self, model: str) -> Price | None:  # noqa: ARG002 - the protocol's
        return None

    def open(self, folder: Path) -> None:
        """Do nothing: there is nothing to open."""

    def complete(self, call: LlmCall, *, timeout: float = 0.0) -> LlmAnswer:  # noqa: ARG002 - the protocol's
        raise LlmRefused("the pipeline's llm driver is 'none': set llm.driver, or leave out what needs a model")

    def close(self) -> None:
        """Do nothing: nothing was opened."""
