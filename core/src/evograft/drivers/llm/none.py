"""No model at all: what runs without a key, an account or a network."""

from __future__ import annotations

from evograft_hookspecs import LlmAnswer, LlmRefused, LlmRequest, NoOptions


class NoLlm:
    """Refuses every question, saying what to set."""

    Options = NoOptions
    available = False

    def __init__(self, options: NoOptions) -> None:
        self.options = options

    def price_limit(self, request: LlmRequest) -> float | None:  # noqa: ARG002 - the protocol's
        return 0.0

    def complete(self, request: LlmRequest, *, timeout: float = 0.0) -> LlmAnswer:  # noqa: ARG002 - the protocol's
        raise LlmRefused("the pipeline's llm driver is 'none': set llm.driver, or leave out what needs a model")

    def close(self) -> None:
        """Nothing was opened."""
