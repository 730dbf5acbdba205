"""What an evaluator of OpenEvolve may return in the place of a dict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class EvaluationResult:
    """Measured values, and texts or bytes that explain them."""

    metrics: dict[str, Any]
    artifacts: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, metrics: dict[str, Any]) -> EvaluationResult:
        return cls(metrics)

    def to_dict(self) -> dict[str, Any]:
        return self.metrics

    def has_artifacts(self) -> bool:
        return len(self.artifacts) > 0

    def get_artifact_keys(self) -> list[str]:
        return [*self.artifacts]

    def get_artifact_size(self, key: str) -> int:
        """Return its size in bytes; 0: there is none of this name."""
        value = self.artifacts.get(key, b"")
        return len(value if isinstance(value, bytes) else str(value).encode())

    def get_total_artifact_size(self) -> int:
        return sum(map(self.get_artifact_size, self.artifacts))
