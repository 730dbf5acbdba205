"""What evaluators import of OpenEvolve."""

from __future__ import annotations

from .evaluation_result import EvaluationResult

__all__ = ["EvaluationResult"]
