"""Distributions of this project that bring drivers and commands: what to install for one that is missing."""

from __future__ import annotations

import shlex
from typing import NamedTuple


class ToolkitCommand(NamedTuple):
    """A command of `evo` that one of our distributions brings."""

    requirement: str
    summary: str


COMMANDS = {
    "evolve": ToolkitCommand("evograft-program", "Improve your program by your evaluator."),
    "apply": ToolkitCommand("evograft-program", "Put the best program of a run into your files."),
    "report": ToolkitCommand("evograft-report", "Write a page about a run: scores, lineage, failures, costs."),
    "batch": ToolkitCommand("evograft-batch", "Run every combination of settings, problems and seeds."),
    "worker": ToolkitCommand("evograft-cluster", "Say what this machine lacks to evaluate for a run."),
}
DRIVERS = {
    "evograft.executor": {"dask": "evograft-cluster[dask]", "futures": "evograft-cluster"},
    "evograft.embedding": {"openai": "evograft-models", "use": "evograft-models[use]"},
    "evograft.llm": {
        "litellm": "evograft-models[litellm]",
        "ollama": "evograft-models[ollama]",
        "openai": "evograft-models",
    },
    "evograft.novelty": {"tokens": "evograft-novelty"},
    "evograft.sandbox": {
        "auto": "evograft-sandbox",
        "bwrap": "evograft-sandbox",
        "docker": "evograft-sandbox[docker]",
        "process": "evograft-sandbox",
    },
    "evograft.store": {"postgres": "evograft-postgres"},
}
"""By group of entry points and name, the requirement that brings it."""


def how_to_install(group: str, name: str) -> str:
    """Return the command that brings a driver of ours; empty: none of ours has that name."""
    requirement = DRIVERS.get(group, {}).get(name)
    return f"pip install {shlex.quote(requirement)}" if requirement else ""
