"""The section `llm` of OpenEvolve's configurations: models at one server that speaks OpenAI's protocol."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evograft.api import UserError
from evograft_program.foreign.keys import ForeignKeys
from evograft_program.foreign.settings import without_none

MOST_RETRIES = 100
SECONDARY_WEIGHT = 0.2
"""What a second model has there without a weight."""
SHARED = (
    "api_base",
    "api_key",
    "max_tokens",
    "provider",
    "reasoning_effort",
    "retries",
    "retry_delay",
    "temperature",
    "timeout",
    "top_p",
)
"""Keys that a model may have for itself there, and that all models have together here."""


@dataclass(frozen=True)
class MappedModels:
    """What is said about models."""

    section: Mapping[str, Any] = field(default_factory=dict)
    """The pipeline's section `llm`; empty: nothing is said."""
    operators: Mapping[str, Any] = field(default_factory=dict)
    """Options of the plugin `operators`."""


def map_models(keys: ForeignKeys) -> MappedModels:
    """Return the models of a configuration, and how they are asked."""
    listed = [_as_model(keys, item) for item in keys.take_list("llm.models")]
    _share(keys, listed)
    models = _sum_weights([*((model["name"], _weight_of(keys, model)) for model in listed), *_find_primary(keys)])
    operators = _map_answers(keys)
    asked = _map_requests(keys)
    if (keys.take_text("llm.provider") or "openai") != "openai":
        keys.note("llm.provider", "has no counterpart; --llm names a driver and a model")
        return MappedModels(operators=operators)
    if keys.take_flag("llm.manual_mode"):
        return MappedModels({"driver": "manual"}, operators)
    if not models and not asked:
        return MappedModels(operators=operators)
    return MappedModels({"driver": "openai", **without_none(models=models or None), **asked}, operators)


def _as_model(keys: ForeignKeys, item: object) -> dict[str, Any]:
    model = {"name": item} if isinstance(item, str) else item
    if not isinstance(model, dict) or not isinstance(model.get("name"), str):
        raise UserError(f"{keys.source}: llm.models: a model is a mapping with a name")
    return model


def _share(keys: ForeignKeys, models: list[dict[str, Any]]) -> None:
    """Give all models what each one has for itself, and warn of what only some have."""
    for name in SHARED:
        own = [model.get(name) for model in models]
        if not keys.has(f"llm.{name}") and own and all(value == own[0] for value in own):
            keys.put(f"llm.{name}", own[0])
        elif any(value is not None for value in own):
            keys.note(f"llm.models.{name}", f"has no counterpart: all models have the same, llm.{name}")
    for name in dict.fromkeys(
        str(name) for model in models for name in model if name not in (*SHARED, "name", "weight")
    ):
        keys.note(f"llm.models.{name}", "has no counterpart")


def _weight_of(keys: ForeignKeys, model: Mapping[str, Any]) -> float:
    keys.put("llm.models.weight", model.get("weight", 1.0))
    weight = keys.take_number("llm.models.weight")
    return 1.0 if weight is None else max(0.0, weight)


def _find_primary(keys: ForeignKeys) -> list[tuple[str, float]]:
    """Return the models of the older keys."""
    primary, secondary = keys.take_text("llm.primary_model"), keys.take_text("llm.secondary_model")
    weight = keys.take_number("llm.primary_model_weight") or 1.0
    other = keys.take_number("llm.secondary_model_weight")
    found = [(primary, max(0.0, weight))] if primary else []
    return (
        [*found, (secondary, SECONDARY_WEIGHT if other is None else other)]
        if secondary and (other is None or other > 0)
        else found
    )


def _sum_weights(models: list[tuple[str, float]]) -> list[dict[str, Any]]:
    """Return each model once: there, one may be listed twice."""
    weights: dict[str, float] = defaultdict(float)
    for name, weight in models:
        weights[name] += weight
    return [{"name": name, "weight": weight} for name, weight in weights.items()]


def _map_requests(keys: ForeignKeys) -> dict[str, Any]:
    retries = keys.take_count("llm.retries")
    extra = without_none(
        top_p=keys.take_number("llm.top_p"),
        reasoning_effort=keys.take_text("llm.reasoning_effort"),
        seed=keys.take_count("llm.random_seed"),
    )
    address = keys.take_text("llm.api_base")
    return without_none(
        base_url=address.rstrip("/") if address else None,
        api_key_env=keys.take_reference("llm.api_key"),
        timeout=keys.take_number("llm.timeout"),
        retries=None if retries is None else min(retries, MOST_RETRIES),
        backoff=keys.take_number("llm.retry_delay") or None,
        extra=extra or None,
    )


def _map_answers(keys: ForeignKeys) -> dict[str, Any]:
    temperature = keys.take_number("llm.temperature")
    return without_none(
        max_tokens=keys.take_count("llm.max_tokens") or None,
        temperature=None if temperature is None else [max(0.0, temperature)] * 2,
    )
