"""What evaluators call while they evaluate."""

from __future__ import annotations


def log(*values: object, sep: str = " ", end: str = "\n") -> None:
    """Note something for whoever improves the candidate: like everything printed, it becomes feedback."""
    print(*values, sep=sep, end=end, flush=True)  # noqa: T201 - this is where it goes


__all__ = ["log"]
