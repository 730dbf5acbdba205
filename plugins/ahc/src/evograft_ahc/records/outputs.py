"""What programs answered, case by case, as the judge keeps it."""

from __future__ import annotations

from typing import Protocol


class ProgramOutputs(Protocol):
    """Where the answers of judged programs can be had."""

    def output_of(self, source: str, case: str) -> bytes | None:
        """Return what a program answered on a case; `None`: it is not kept."""


class NoOutputs:
    """Where none are kept."""

    def output_of(self, source: str, case: str) -> bytes | None:  # noqa: ARG002 - the protocol's
        return None
