"""Drivers of text embeddings (entry point group `evograft.embedding`)."""

from __future__ import annotations

from typing import Protocol


class EmbeddingDriver(Protocol):
    """A way to vectors in which like texts lie near one another (entry point group `evograft.embedding`)."""

    def embed(self, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        """One vector a text, all of one length; called from one thread at a time.

        Raises:
            LlmRetryable: the same call may go through later.
            LlmUnavailable: it can't work here.
        """

    def close(self) -> None:
        """Ends connections."""
