"""The result of a question."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from evograft_code_explainer.questions.citations import Citation

ResultKind = Literal["complete", "steps", "malformed", "budget", "failed", "interrupted"]
EXIT_CODES: dict[ResultKind, int] = {
    "complete": 0,
    "steps": 4,
    "malformed": 4,
    "budget": 4,
    "failed": 4,
    "interrupted": 130,
}
"""A model that brings no answer is a service that does not do its work."""


@dataclass(frozen=True)
class QuestionResult:
    """The result of the newest question; tokens and dollars are of the whole conversation."""

    conversation_id: str
    outcome: ResultKind
    """`steps`, `malformed`, `budget`: the limit that was reached; `failed`: the model gave no answer."""
    reason: str
    """Why it is not complete."""
    text: str
    """The answer; else what the model said on the way."""
    steps: int
    """Messages of the model."""
    malformed: int
    """Calls in them that could not be read, and messages without a call."""
    tokens: int
    dollars: float | None
    """`None`: the price is unknown."""
    citations: tuple[Citation, ...] = ()
    """Of a complete answer."""

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.outcome]

    @property
    def wrong_citations(self) -> int:
        return sum(not citation.found for citation in self.citations)

    def to_data(self) -> dict[str, Any]:
        """Return the result as JSON has it."""
        citations = [
            {"path": each.path, "first_line": each.first, "last_line": each.last, "found": each.found}
            for each in self.citations
        ]
        return {**asdict(self), "citations": citations, "wrong_citations": self.wrong_citations}
