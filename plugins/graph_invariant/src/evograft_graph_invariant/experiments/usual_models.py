"""Which models an experiment asks that names none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evograft_graph_invariant.experiments.default_model import find_default_llm
from evograft_graph_invariant.experiments.experiment import Experiment


def find_default_models(config: Experiment) -> tuple[Mapping[str, Any], str]:
    """The section `llm`, and what the user is told of it; nothing, where the experiment says itself."""
    if config.model is not None:
        return {}, ""
    return find_default_llm()
