"""Models of ShinkaEvolve's configurations, whose names say which provider has them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evograft_program.foreign.keys import ForeignKeys
from evograft_program.foreign.openevolve_models import MappedModels
from evograft_program.foreign.settings import without_none

LOCAL = re.compile(r"local/(?P<name>[^@]+)@(?P<url>https?://[^?\s]+)")
OPENAI = re.compile(r"(gpt-|o\d|chatgpt-)[^/]*")
OPENROUTER = "openrouter/"
HEADLESS = "headless/"
ROUTER = {"base_url": "https://openrouter.ai/api/v1", "api_key_env": "OPENROUTER_API_KEY"}
PROVIDERS: Mapping[str, str] = {
    r"claude-": "anthropic/",
    r"gemini-": "gemini/",
    r"deepseek-": "deepseek/",
    r"([a-z]+\.)?anthropic\.": "bedrock/",
}
"""What litellm puts before names, by how they begin."""
BANDITS = ("ucb", "ucb1", "thompson")


@dataclass(frozen=True)
class ModelServer:
    """Where all models of a run are asked."""

    driver: str
    names: tuple[str, ...]
    options: Mapping[str, str]


def map_models(keys: ForeignKeys) -> MappedModels:
    """Return the models of a configuration, and how they are asked."""
    named = list(dict.fromkeys(keys.take_texts("evo_config.llm_models") or ()))
    weights = keys.take_numbers("evo_config.llm_kwargs.model_sample_probs") or [1.0] * len(named)
    asked = _map_requests(keys)
    operators = _map_answers(keys)
    usable = [name for name in named if not name.startswith(HEADLESS)]
    if len(usable) < len(named):
        keys.note("evo_config.llm_models", "agents on this machine have no counterpart")
    if not usable:
        return MappedModels(asked and {"driver": "openai", **asked}, operators)
    server = _find_server(usable, has_dollars=keys.has("evo_config.max_api_costs"))
    shares = dict(zip(named, weights, strict=False))
    models = [
        {"name": name, "weight": shares.get(theirs, 1.0)} for name, theirs in zip(server.names, usable, strict=True)
    ]
    return MappedModels({"driver": server.driver, "models": models, **server.options, **asked}, operators)


def _find_server(names: list[str], *, has_dollars: bool) -> ModelServer:
    """Return one server for all models: that of OpenAI's protocol which has them all, else litellm.

    A limit of dollars needs prices, which only litellm knows.
    """
    local = [LOCAL.fullmatch(name) for name in names]
    addresses = {match["url"].rstrip("/") for match in local if match}
    if all(local) and len(addresses) == 1:
        return ModelServer("openai", tuple(match["name"] for match in local if match), {"base_url": addresses.pop()})
    if not has_dollars and all(OPENAI.fullmatch(name) for name in names):
        return ModelServer("openai", tuple(names), {})
    if not has_dollars and all(name.startswith(OPENROUTER) for name in names):
        return ModelServer("openai", tuple(name.removeprefix(OPENROUTER) for name in names), ROUTER)
    return ModelServer("litellm", tuple(_name_for_litellm(name) for name in names), {})


def _name_for_litellm(name: str) -> str:
    if name.startswith("azure-"):
        return f"azure/{name.removeprefix('azure-')}"
    prefix = next((prefix for start, prefix in PROVIDERS.items() if re.match(start, name)), None)
    if prefix is not None:
        return f"{prefix}{name}"
    # Any other name with a vendor in it is one of OpenRouter's.
    return f"{OPENROUTER}{name}" if "/" in name and not name.startswith(OPENROUTER) else name


def _map_requests(keys: ForeignKeys) -> dict[str, Any]:
    selection = keys.take("evo_config.llm_dynamic_selection")
    choice = "bandit" if selection in BANDITS else None
    if isinstance(selection, str) and choice is None and selection != "fixed":
        keys.note("evo_config.llm_dynamic_selection", f"{selection!r} has no counterpart; llm.choice is weights")
    efforts = keys.take_texts("evo_config.llm_kwargs.reasoning_efforts") or []
    if len(efforts) > 1:
        keys.note("evo_config.llm_kwargs.reasoning_efforts", "models are asked with one effort, llm.extra")
    extra = {"reasoning_effort": efforts[0]} if len(efforts) == 1 and efforts[0] else None
    return without_none(choice=choice, concurrency=keys.take_count("max_proposal_jobs") or None, extra=extra)


def _map_answers(keys: ForeignKeys) -> dict[str, Any]:
    temperatures = [max(0.0, each) for each in keys.take_numbers("evo_config.llm_kwargs.temperatures") or ()]
    return without_none(
        max_tokens=keys.take_count("evo_config.llm_kwargs.max_tokens") or None,
        temperature=[min(temperatures), max(temperatures)] if temperatures else None,
    )
