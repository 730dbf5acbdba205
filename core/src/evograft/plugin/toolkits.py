"""Distributions of this project that bring drivers and commands: what to install for one that is missing."""

from __future__ import annotations

PROVIDERS = {
    "evograft.embedding": {"openai": "evograft-models", "use": "evograft-models[use]"},
    "evograft.llm": {
        "litellm": "evograft-models[litellm]",
        "ollama": "evograft-models[ollama]",
        "openai": "evograft-models",
    },
}
"""By group of entry points and name, the requirement that brings it."""


def how_to_install(group: str, name: str) -> str:
    """Return the command that brings an entry point of ours; empty: nothing of ours has that name."""
    requirement = PROVIDERS.get(group, {}).get(name)
    return f"pip install '{requirement}'" if requirement else ""
