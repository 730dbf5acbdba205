"""What a configuration of another engine amounts to here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ForeignSettings:
    """Settings in the form of a pipeline, for those keys that say something here."""

    pipeline: Mapping[str, Any] = field(default_factory=dict)
    """Sections of a pipeline: `llm`, `budget`, `executor`, `operators`, `seed`."""
    plugins: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Options of plugins, by the plugin's name: `program`, `islands`, `operators`."""
    program: str = ""
    """The start program, relative to the file; empty: the file names none."""
    evaluator: str = ""
    """The evaluator, likewise."""
    warnings: tuple[str, ...] = ()
    """One line for each key without a counterpart."""


def without_none(**values: object) -> dict[str, Any]:
    """Return the values that are given."""
    return {name: value for name, value in values.items() if value is not None}


def without_empty(**sections: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sections with something in them."""
    return {name: section for name, section in sections.items() if section}


def find_trials(iterations: int | None) -> int | None:
    """Return the trials of a run with a given number of iterations: its start program is a trial too."""
    return None if iterations is None else iterations + 1
