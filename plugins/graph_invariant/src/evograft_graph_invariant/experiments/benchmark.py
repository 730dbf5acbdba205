"""A benchmark as a batch: every variant with every seed, each a run of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evograft.api import Pipeline
from evograft_graph_invariant.experiments.experiment import FULL, OWN_KEYS, Benchmark, Experiment, validate_experiment
from evograft_graph_invariant.experiments.pipeline import PLUGIN, build_pipeline, options_of

BATCH = "batch"
"""The folder of its runs."""


def get_benchmark_folder(config: Benchmark) -> Path:
    return Path(config.artifacts or Path("artifacts") / (config.experiment_id or "benchmark")).absolute()


def build_batch(config: Benchmark, *, source: str) -> dict[str, Any]:
    """Build the batch: the file as it is, and the variants as what they change in its pipeline.

    Raises:
        UserError: a variant makes no valid pipeline.
    """
    whole = _pipeline({}, config, source=source)
    variants = {FULL: whole} | {
        name: _pipeline(changes, config, source=f"{source}: ablate.{name}") for name, changes in config.ablate.items()
    }
    return {
        "name": config.experiment_id or "benchmark",
        "pipeline": whole,
        "problems": [{"name": name, "set": dict(_changes(whole, data))} for name, data in variants.items()],
        "seeds": list(config.seeds),
        "parallel": config.parallel,
    }


def _pipeline(changes: Mapping[str, Any], config: Benchmark, *, source: str) -> dict[str, Any]:
    data = config.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude=set(OWN_KEYS))
    experiment = validate_experiment({**data, **changes}, Experiment, source=source)
    # A live model answers otherwise every time: it is asked where the file says so, and not where one happens to run.
    pipeline: Pipeline = build_pipeline(experiment, 1, llm={"driver": "none"}, source=source)
    plain = pipeline.to_data()
    options_of(plain, PLUGIN)["records"]["folder"] = "."
    return plain


def _changes(whole: Mapping[str, Any], variant: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield changed settings as `--set` names them."""
    for key, value in variant.items():
        if key == "plugins":
            before = {section["name"]: section["with"] for section in whole[key]}
            yield from (
                (f"plugins.{section['name']}.with", section["with"])
                for section in value
                if section["with"] != before[section["name"]]
            )
        elif value != whole[key]:
            yield key, value
