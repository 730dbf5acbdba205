"""From the settings that hold in a workspace to the pipeline that the ordinary engine runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evograft_ahc.options import AhcOptions
from evograft_ahc.sessions.models import build_llm_section
from evograft_ahc.settings.model import AhcSettings, DockerSettings, EvolutionSettings
from evograft_ahc.workspace.folder import Workspace

PLUGIN, OPERATORS = "ahc", "operators"
CHANGING, JOINING = ("diff", "rewrite"), ("crossover",)
"""Operators that ask a model to change a program, or to join two."""
STRATEGIES = ("refine", "combine", "novel", "other")
"""The profiles of the plugin `operators`."""
OVER_THE_LIMIT = 5
"""Wall time that a case may take, in time limits: cases wait for a core. The guard of an evaluation is made of such."""


def apply_settings(
    pipeline: Mapping[str, Any], settings: AhcSettings, workspace: Workspace, *, problem_file: str = ""
) -> dict[str, Any]:
    """Return a pipeline with what the settings say.

    Args:
        pipeline: as plain data: the plugin's preset, or that of a session that continues.
        settings: those that hold.
        workspace: of the contest.
        problem_file: the statement; empty: the workspace's.
    """
    evolution, size = settings.evolution, settings.evolution.population_size
    plateau = evolution.score_plateau_generations
    data = {
        **pipeline,
        "name": workspace.task.contest_id,
        "llm": {**build_llm_section(settings.llm), "concurrency": pipeline["llm"]["concurrency"]},
        "generation_size": size,
        "budget": {
            "generations": evolution.max_generations,
            "seconds": float(evolution.time_limit_seconds),
            "plateau": None if plateau is None else plateau * size,
        },
        "plugins": [_with_options(section, settings, workspace, problem_file) for section in pipeline["plugins"]],
    }
    return {**data, "deadlines": {**pipeline["deadlines"], **_deadlines(data, workspace)}}


def build_options(pipeline: Mapping[str, Any], plugin: str) -> dict[str, Any]:
    """Return the options of a plugin of a pipeline."""
    options: dict[str, Any] = next(each["with"] for each in pipeline["plugins"] if each["name"] == plugin)
    return options


def _with_options(
    section: Mapping[str, Any], settings: AhcSettings, workspace: Workspace, problem_file: str
) -> dict[str, Any]:
    own: dict[str, Any] = {}
    if section["name"] == PLUGIN:
        own = {
            **_plugin_options(settings, workspace),
            "judge": {**section["with"].get("judge", {}), **_judge_options(settings.docker)},
            "problem_file": problem_file,
        }
    elif section["name"] == OPERATORS:
        own = {**_operators_options(settings), "profiles": _profiles(settings.evolution)}
    return {**section, "with": {**section["with"], **own}}


def _plugin_options(settings: AhcSettings, workspace: Workspace) -> dict[str, Any]:
    return {
        "workspace": str(workspace.folder),
        "language": settings.language,
        "temperature": settings.llm.temperature,
        "max_tokens": settings.llm.max_tokens,
        "agent": settings.evolution.agent,
        "mutation_prompts": list(settings.evolution.mutation_prompts),
        "crossover_prompts": list(settings.evolution.crossover_prompts),
        "library": [*map(str, settings.algorithm_library.beside(workspace.folder))],
        "contests": [*map(str, settings.past_contest_db.beside(workspace.folder))],
        "feedback": "cases",
        "knowledge": settings.knowledge,
        "aim": settings.scores.aim,
        "kept_answers": True,
        "earlier_sessions": settings.knowledge == "own",
        "records": {
            "keep_session_files": settings.workspace.keep_session_files,
            "max_log_size_mb": settings.workspace.max_log_size_mb,
            "logging": settings.logging.model_dump(mode="json"),
        },
    }


def _operators_options(settings: AhcSettings) -> dict[str, Any]:
    own = settings.evolution.temperature
    heat = settings.llm.temperature if own is None else own
    return {
        "temperature": None if heat is None else [heat, heat],
        "max_tokens": settings.llm.max_tokens,
        "language": settings.language,
    }


def _profiles(evolution: EvolutionSettings) -> dict[str, dict[str, float]]:
    """Return profiles in which the plugin's own prompts are not drawn if the user has prompts of an operator."""
    switched_off = {
        **(dict.fromkeys(CHANGING, 0.0) if evolution.mutation_prompts else {}),
        **(dict.fromkeys(JOINING, 0.0) if evolution.crossover_prompts else {}),
    }
    return dict.fromkeys(STRATEGIES, switched_off) if switched_off else {}


def _judge_options(docker: DockerSettings) -> dict[str, Any]:
    """Return the judge's options.

    The default image has a compiler that serves the oldest judge only, so it is just the image to work in.
    """
    image = {} if docker.image == DockerSettings().image else {"image": docker.image}
    return {
        "compile_seconds": float(docker.compilation_timeout),
        "case_seconds": float(docker.execution_timeout),
        **image,
    }


def _deadlines(pipeline: Mapping[str, Any], workspace: Workspace) -> dict[str, float]:
    """Return guards far above what judging takes when all that is in flight shares the cores."""
    options = AhcOptions.model_validate(build_options(pipeline, PLUGIN))
    case = OVER_THE_LIMIT * workspace.task.time_limit_seconds * options.judge.time_factor + 1
    at_once = int(pipeline["executor"].get("workers") or 1)
    compiling = OVER_THE_LIMIT * options.judge.compile_seconds
    return {
        "evaluate": at_once * (compiling + options.training_cases * case),
        "final": at_once * (compiling + options.held_out_cases * case),
    }
