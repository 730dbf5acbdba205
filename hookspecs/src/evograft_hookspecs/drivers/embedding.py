"""Drivers of text embeddings (entry point group `evograft.embedding`)."""

from __future__ import annotations

from typing import Protocol


class EmbeddingDriver(Protocol):
    """Turns texts into vectors, close together for similar texts."""

    def embed(self, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        """Return one vector for each text, all of one length; called from one thread at a time.

        Raises:
            LlmRetryable: the same call may go through later.
            LlmUnavailable: it can't work here.
        """

    def close(self) -> None:
        """Close connections."""
