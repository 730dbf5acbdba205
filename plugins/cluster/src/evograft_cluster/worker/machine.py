"""What this machine has for evaluations, and what it lacks for those of a run."""

from __future__ import annotations

import os
from pathlib import Path

import yaml

from evograft.config.loading import pipeline_from
from evograft.config.pipeline import Pipeline
from evograft.config.user_settings import load_settings
from evograft.config.yaml_file import read_yaml
from evograft.errors import EvograftError
from evograft.plugin.entry_points import installed_versions
from evograft.runs.index import find_run, open_run
from evograft.session.worker import RemoteEvaluator
from evograft_cluster.requirements import DOCKER, EvaluationResources, Requirements, find_gpus, is_docker_running
from evograft_hookspecs.values import FrozenDict

PIPELINE_FILES = (".yaml", ".yml", ".json")


def find_resources() -> dict[str, float]:
    """Return what `dask worker --resources` is to be told: cores, memory, GPUs, and whether a Docker engine answers."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1_000_000
    found = {"cores": len(os.sched_getaffinity(0)), "memory_mb": memory, "gpu": len(find_gpus())}
    return {name: float(value) for name, value in {**found, DOCKER: is_docker_running()}.items() if value}


def check_machine(word: str) -> tuple[str, ...]:
    """Return what this machine lacks to evaluate for a run or a pipeline, each as a clause for people.

    The plugins are built and set up as they would be for an evaluation.

    Args:
        word: a run by name, id or path, or the path of a pipeline.

    Raises:
        UserError: there is no such run, or the pipeline is not valid.
    """
    pipeline, versions = _find_pipeline(word)
    remote = RemoteEvaluator(((0, yaml.safe_dump(pipeline.to_data())),), "", pipeline.sandbox, "check")
    resources = EvaluationResources.model_validate(pipeline.executor.options.get("resources", {}))
    here = Requirements.of(remote, resources)
    recorded = FrozenDict({name: versions.get(name, found) for name, found in here.versions.items()})
    lacking = here.model_copy(update={"versions": recorded}).find_lacking()
    return (*lacking, *_find_trouble(remote))


def _find_pipeline(word: str) -> tuple[Pipeline, dict[str, str]]:
    """Return the settings that a word names, and the versions that they were made with."""
    if word.endswith(PIPELINE_FILES) and Path(word).is_file():
        return pipeline_from(read_yaml(Path(word)), source=word), installed_versions()
    run = open_run(find_run(word, runs=Path(load_settings().runs_dir)))
    return run.pipeline, dict(run.epochs[-1].versions)


def _find_trouble(remote: RemoteEvaluator) -> tuple[str, ...]:
    try:
        remote()
    except EvograftError as err:
        return (str(err),)
    return ()
