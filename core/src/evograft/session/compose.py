"""A pipeline as a command names it: a file or a plugin's preset, an llm driver in a word, and single settings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evograft.config.explain import shape_of
from evograft.config.loading import resolve_pipeline
from evograft.config.pipeline import LlmSection, Pipeline
from evograft.config.yaml_file import read_yaml
from evograft.errors import UserError, did_you_mean, nearest
from evograft.plugin.entry_points import installed
from evograft.plugin.loading import preset_data
from evograft.runs.index import find_run, open_run
from evograft.session.settings_changes import with_chosen_drivers

TIERS = ("cheap", "strong")


def compose_pipeline(
    file: Path | None, plugin: str | None, overrides: Sequence[str], *, llm: str | None, runs: Path
) -> Pipeline:
    """Return the pipeline with its settings.

    Args:
        file: of the pipeline; or
        plugin: the one whose preset is taken.
        overrides: `KEY=VALUE`, the last word.
        llm: `DRIVER` or `DRIVER:MODEL`; `cheap=DRIVER:MODEL,strong=DRIVER:MODEL`; `replay:RUN` takes the
            models of a recorded run.
        runs: where recorded runs are looked for.

    Raises:
        UserError: naming what is wrong and the nearest that would be right.
    """
    data, source = load_pipeline_data(file, plugin)
    driver, _ = split_llm_option(llm)
    settings = (*llm_settings(llm, runs), *overrides)
    data = with_chosen_drivers(_without_options_of_others(data, driver), settings)
    return resolve_pipeline(data, settings, source=source)


def load_pipeline_data(file: Path | None, plugin: str | None) -> tuple[dict[str, Any], str]:
    """Return the pipeline that a command names by file or by plugin, and the name of its source."""
    if (file is None) == (plugin is None):
        raise UserError("name a pipeline file, or a plugin with --plugin NAME; see what is there with: evo plugins")
    if plugin is not None:
        return preset_data(plugin), f"preset of plugin {plugin!r}"
    assert file is not None
    data = read_yaml(file)
    if not isinstance(data, dict):
        raise UserError(f"{file}: a pipeline is a mapping with a list `plugins`, not {shape_of(data)}")
    return data, str(file)


def split_llm_option(llm: str | None) -> tuple[str, str]:
    """Return the driver and the model that --llm names; both are empty if it is not given."""
    if llm is None:
        return "", ""
    if tiers := split_tiers(llm):
        return tiers["cheap"].partition(":")[0], ""
    driver, colon, model = llm.partition(":")
    if not driver or (colon and not model):
        raise UserError(f"--llm {llm!r}: write it as DRIVER or DRIVER:MODEL, such as openai:gpt-5-mini or manual")
    drivers = installed("evograft.llm")
    if driver not in drivers and not model:
        near = nearest(driver, drivers)
        hint = did_you_mean(driver, near) if near else f"if it is a model, name its driver too: --llm openai:{driver}"
        raise UserError(f"--llm {llm!r}: no driver is called that; {hint}")
    if driver == "replay" and not model:
        raise UserError("--llm replay: which run? Write it as replay:RUN, such as replay:latest")
    return driver, model


def split_tiers(llm: str) -> dict[str, str]:
    """Return the models of `cheap=DRIVER:MODEL,strong=DRIVER:MODEL` by tier; empty: it is no such thing.

    Raises:
        UserError: it is one, and not complete.
    """
    parts = [part.strip().partition("=") for part in llm.split(",")]
    if not any(tier in TIERS and equals for tier, equals, _ in parts):
        return {}
    tiers = {tier: model for tier, _, model in parts}
    driver, colon, model = tiers.get("cheap", "").partition(":")
    if len(parts) > len(TIERS) or set(tiers) != set(TIERS) or not (driver and colon and model and tiers["strong"]):
        raise UserError(f"--llm {llm!r}: write it as cheap=DRIVER:MODEL,strong=DRIVER:MODEL")
    other, colon, _ = tiers["strong"].partition(":")
    if colon and other != driver and other in installed("evograft.llm"):
        raise UserError(
            f"--llm {llm!r}: the models of a run have one driver, {driver} or {other}; litellm asks models of several "
            "providers"
        )
    return tiers


def _tier_settings(tiers: Mapping[str, str]) -> list[str]:
    """Return the overrides for a cheap and a strong model of one driver, which the strong one may leave out."""
    driver, _, cheap = tiers["cheap"].partition(":")
    models = [{"name": cheap, "tier": "cheap"}, {"name": tiers["strong"].removeprefix(f"{driver}:"), "tier": "strong"}]
    return [f"llm.driver={driver}", f"llm.models={json.dumps(models)}", "llm.choice=tiers"]


def _without_options_of_others(data: dict[str, Any], driver: str) -> dict[str, Any]:
    """Return the pipeline without options of another llm driver than this one."""
    section = data.get("llm")
    if not driver or not isinstance(section, dict) or section.get("driver") == driver:
        return data
    shared = {*LlmSection.model_fields, "model"}
    return {**data, "llm": {key: value for key, value in section.items() if key in shared}}


def llm_settings(llm: str | None, runs: Path) -> list[str]:
    """Return the overrides that --llm is short for."""
    driver, model = split_llm_option(llm)
    if not driver:
        return []
    if tiers := split_tiers(llm or ""):
        return _tier_settings(tiers)
    if driver == "replay":
        return _replay_settings(find_run(model, runs=runs))
    return [f"llm.driver={driver}", *([f"llm.model={json.dumps(model)}"] if model else [])]


def _replay_settings(recorded: Path) -> list[str]:
    """Return the overrides for a recorded run as the driver.

    They include its models, because the model that is asked is part of a question.
    """
    llm = open_run(recorded).pipeline.llm
    models = json.dumps([json.loads(model.model_dump_json()) for model in llm.models])
    return [
        "llm.driver=replay",
        f"llm.run={json.dumps(str(recorded))}",
        f"llm.models={models}",
        f"llm.choice={llm.choice}",
        f"llm.strong={llm.strong.model_dump_json()}",
    ]
