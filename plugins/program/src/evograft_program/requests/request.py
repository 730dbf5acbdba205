"""What a user asked for: two files, and how far and with what to improve one by the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evograft_program.foreign.configuration import NO_ARGUMENTS
from evograft_program.foreign.openevolve_arguments import OpenEvolveArguments
from evograft_program.options import EvaluatorStyle, find_directions

PROGRAM = ("plugins", "program")
PLACES: Mapping[str, tuple[str, ...]] = {
    "name": ("name",),
    "seed": ("seed",),
    "trials": ("budget", "trials"),
    "seconds": ("budget", "seconds"),
    "dollars": ("budget", "dollars"),
    "target_score": ("budget", "target_score"),
    "jobs": ("executor", "workers"),
    "metric": (*PROGRAM, "rules", "metric"),
    "minimise": (*PROGRAM, "rules", "minimise"),
    "objectives": (*PROGRAM, "rules", "objectives"),
    "bounds": (*PROGRAM, "rules", "bounds"),
    "score": (*PROGRAM, "rules", "pattern"),
    "repeat": (*PROGRAM, "trust", "repeat"),
    "confirm": (*PROGRAM, "trust", "confirm"),
    "suffix": (*PROGRAM, "candidate", "suffix"),
    "function": (*PROGRAM, "evaluator", "function"),
    "python": (*PROGRAM, "evaluator", "python"),
    "env": (*PROGRAM, "evaluator", "env"),
    "network": (*PROGRAM, "evaluator", "network"),
    "memory_mb": (*PROGRAM, "limits", "memory_mb"),
    "timeout": (*PROGRAM, "limits", "seconds"),
}
"""Where a setting with an option of its own stands, by the option's name."""


@dataclass(frozen=True)
class EvolveRequest:
    """A task with the wishes of its user."""

    program: Path | None = None
    """The start program: a file, or a folder of which `change` says what may change."""
    evaluator: str = ""
    """A file, a folder or a shell line."""
    change: tuple[str, ...] = ()
    statement: str = ""
    """The task in words."""
    final: Path | None = None
    examples: Path | None = None
    read: tuple[Path, ...] = ()
    style: EvaluatorStyle | None = None
    """`None`: it is recognised."""
    config: Path | None = None
    """A configuration file of another engine."""
    arguments: OpenEvolveArguments = NO_ARGUMENTS
    """Of that engine's command; with `llm` the address only."""
    llm: str = ""
    """`DRIVER:MODEL`, several separated by commas; empty: as the configuration says, else none."""
    plugins: tuple[str, ...] = ()
    """Further ones, by name."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """By the names of `PLACES`, only what was given."""
    overrides: tuple[str, ...] = ()
    """Settings of the pipeline, each `KEY=VALUE`, the last word."""

    def lay_out_settings(self) -> dict[str, Any]:
        """Return what was given, each at its place in a pipeline."""
        data: dict[str, Any] = {}
        settings = dict(self.settings)
        if "objectives" in settings:
            directions = find_directions(settings["objectives"])
            settings = {"metric": next(iter(directions)), **settings}
            settings = {"minimise": directions.get(settings["metric"], False), **settings}
            data["plugins"] = {"islands": {"search": "pareto"}}
        if "target_score" in settings and settings.get("minimise"):
            settings["target_score"] *= -1  # scores are negated where less is better
        if "/" in settings.get("python", ""):
            # A run is resumed from anywhere. Links stay: an environment is found by the name of its program.
            settings["python"] = str(Path(settings["python"]).expanduser().absolute())
        for name, value in settings.items():
            *path, key = PLACES[name]
            place = data
            for part in path:
                place = place.setdefault(part, {})
            place[key] = value
        return data


def merge(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Return mappings as one: later ones go before earlier ones, key by key at any depth."""
    merged: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            is_section = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
            merged[key] = merge(merged[key], value) if is_section else value
    return merged
