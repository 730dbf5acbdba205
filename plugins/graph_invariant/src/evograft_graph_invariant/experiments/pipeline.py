"""From an experiment to the pipeline that the ordinary engine runs."""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from evograft.api import Pipeline, UserError, did_you_mean, parse_yaml, pipeline_from, with_overrides
from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_graph_invariant.experiments.experiment import Experiment
from evograft_hookspecs.values import thaw

Phase = Literal[1, 2]
PLUGIN = "graph_invariant"
ISLANDS = "islands"
LIMITS = ("generations", "seconds", "dollars", "tokens", "calls")
"""Keys that the section `budget` of a pipeline has, too."""


def load_preset(phase: Phase) -> dict[str, Any]:
    """Load the preset of a phase as specified."""
    name = f"presets/phase{phase}.yaml"
    file = importlib.resources.files("evograft_graph_invariant") / name
    data: dict[str, Any] = parse_yaml(file.read_text(encoding="utf-8"), source=name)
    return data


def experiment_id_of(config: Experiment, phase: Phase) -> str:
    return config.experiment_id or f"phase{phase}"


def build_pipeline(config: Experiment, phase: Phase, *, llm: Mapping[str, Any], source: str) -> Pipeline:
    """Build the pipeline of an experiment.

    Args:
        config: the experiment.
        phase: which preset it starts from.
        llm: the section of the models, unless the experiment names one.
        source: what errors call the experiment.

    Raises:
        UserError: its settings make no valid pipeline.
    """
    data = pipeline_from(load_preset(phase), source=f"preset of phase {phase}").to_data()
    records = {"experiment_id": experiment_id_of(config, phase), "phase": phase}
    options_of(data, PLUGIN).update({**config.plugin_options(), "records": records})
    _settle_islands(data, config, source=source)
    _require_island_for_model(data, source=source)
    # An island whose model gives nothing is constrained, and may ask another model: that is no reason to end.
    patient = {"give_up_after": None, **(get_model_section(config) or llm)}
    data["llm"] = _with_fallback(patient, options_of(data, PLUGIN))
    if config.seed is not None:
        data["seed"] = config.seed
    if config.self_correction is not None:
        data["repairs"] = int(config.self_correction)
    if config.workers is not None:
        data["executor"] = {**data["executor"], "workers": config.workers}
    settings = [f"{key}={json.dumps(thaw(value))}" for key, value in config.set_.items()]
    return _with_calls(pipeline_from(with_overrides(data, settings), source=source), config)


def get_model_section(config: Experiment) -> dict[str, Any] | None:
    """Return the section `llm` that an experiment asks for; `None`: it leaves that open."""
    if config.model is None:
        return None
    if not isinstance(config.model, str):
        section: dict[str, Any] = thaw(config.model)
        return section
    driver, _, name = config.model.partition(":")
    return {"driver": driver, **({"model": name} if name else {})}


def _with_fallback(llm: dict[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Add the fallback model to the models. If no trial draws it, the experiment continues without its answers."""
    name = (options.get("fallbacks") or {}).get("model")
    if not name or llm.get("driver") == "none":
        return llm
    models = _list_models(llm)
    if name not in [each["name"] for each in models]:
        models.append({"name": name, "weight": 0.0})
    for each in models:
        if each["name"] == name and each.get("weight") == 0:
            each.setdefault("optional", True)
    rest = {key: value for key, value in llm.items() if key not in ("model", "models")}
    return {**rest, "models": models}


def _list_models(llm: Mapping[str, Any]) -> list[dict[str, Any]]:
    first = [llm["model"]] if "model" in llm else llm.get("models", [])
    return [dict(each) if isinstance(each, Mapping) else {"name": each} for each in first]


def _require_island_for_model(data: dict[str, Any], *, source: str) -> None:
    fallbacks = options_of(data, PLUGIN).get("fallbacks") or {}
    if not fallbacks.get("model"):
        return
    wanted = FallbackOptions.model_validate(fallbacks).strategy
    known = {island.get("strategy", "") for island in options_of(data, ISLANDS)["islands"]}
    if wanted not in known:
        raise UserError(f"{source}: fallbacks.strategy: no island has {wanted!r}; {did_you_mean(wanted, known)}")


def options_of(data: dict[str, Any], plugin: str) -> dict[str, Any]:
    """Return the options of a plugin of a pipeline, to be changed in place."""
    options: dict[str, Any] = next(section["with"] for section in data["plugins"] if section["name"] == plugin)
    return options


def _settle_islands(data: dict[str, Any], config: Experiment, *, source: str) -> None:
    options = options_of(data, ISLANDS)
    each = config.population_size or data["generation_size"] // len(options["islands"])
    if config.islands is not None:
        options["islands"] = thaw(config.islands)
    if config.temperatures is not None:
        options["islands"] = _heated(options["islands"], config.temperatures, source=source)
    given = {name: getattr(config, name) for name in ("elites", "migration_every", "migrants", "archive_share")}
    given["archive"] = None if config.archive is None else thaw(config.archive)
    options.update({name: value for name, value in given.items() if value is not None})
    _settle_generations(data, config, size=each * len(options["islands"]))


def _heated(islands: list[dict[str, Any]], temperatures: Sequence[float], *, source: str) -> list[dict[str, Any]]:
    if len(temperatures) != len(islands):
        raise UserError(f"{source}: temperatures: there are {len(islands)} islands, and {len(temperatures)} of these")
    return [{**island, "temperature": each} for island, each in zip(islands, temperatures, strict=True)]


def _settle_generations(data: dict[str, Any], config: Experiment, *, size: int) -> None:
    """Set the limits. The early stop counts trials, so it follows the size of a generation."""
    budget, before = data["budget"], data["generation_size"]
    patience = (budget["island_plateau"] or 0) // before if config.early_stop is None else config.early_stop
    budget["island_plateau"] = patience * size or None
    budget.update({name: getattr(config, name) for name in LIMITS if getattr(config, name) is not None})
    data["generation_size"] = size


def _with_calls(pipeline: Pipeline, config: Experiment) -> Pipeline:
    """Bound the calls by the number of candidates, unless the experiment does; its key `set` may change that number."""
    generations = pipeline.budget.generations
    if generations is None or config.calls is not None or config.set_.keys() & {"budget", "budget.calls"}:
        return pipeline
    calls = generations * pipeline.generation_size
    return pipeline.model_copy(update={"budget": pipeline.budget.model_copy(update={"calls": calls})})
