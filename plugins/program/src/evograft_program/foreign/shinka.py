"""Configurations of ShinkaEvolve: composed ones, with the sections `evo_config`, `db_config` and `job_config`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from evograft.api import UserError
from evograft.text.escapes import one_line
from evograft_program.foreign.islands import map_islands
from evograft_program.foreign.keys import ForeignKeys, KnownKeys
from evograft_program.foreign.settings import ForeignSettings, without_empty, without_none
from evograft_program.foreign.shinka_models import map_models

SECTIONS = {"evo": "evo_config", "db": "db_config", "job": "job_config"}
"""Short names of the sections, as some files have them."""
OPERATORS = {"diff": "operators.diff", "full": "operators.rewrite", "cross": "operators.crossover"}
"""Operators by the kind of patch."""
KNOWN = KnownKeys(
    sections=frozenset({"db_config", "evo_config", "job_config"}),
    met={
        "max_db_workers": (),
        "verbose": (),
        "hydra.run.dir": (),
        "db_config._target_": (),
        "db_config.db_path": (),
        "db_config.enable_dynamic_islands": (False,),
        "db_config.max_stdout_log_chars": (),
        "evo_config._target_": (),
        "evo_config.enable_controlled_oversubscription": (False,),
        "evo_config.enable_wandb_logging": (False,),
        "evo_config.evolve_prompts": (False,),
        "evo_config.job_type": ("local",),
        "evo_config.use_text_feedback": (True,),
        "job_config._target_": (),
        "job_config.eval_verbose": (),
        "job_config.gpus": (0,),
    },
    remarks={
        "defaults": "the files that it names are not read; give the composed configuration",
        "evo_config.code_embed_sim_threshold": "see novelty.threshold",
        "evo_config.embedding_model": "see novelty.embedding",
        "evo_config.evolve_prompts": "prompts stay as they are",
        "evo_config.job_type": "evaluations run on this machine (executor)",
        "evo_config.max_novelty_attempts": "a duplicate takes the evaluation of the earlier one",
        "evo_config.max_patch_attempts": "see repairs",
        "evo_config.max_patch_resamples": "see repairs",
        "evo_config.meta_rec_interval": "the plugin playbook keeps lessons of runs",
        "evo_config.results_dir": "evo keeps all runs in one folder; -o names another",
        "evo_config.use_text_feedback": "text_feedback is always shown",
        "db_config.parent_selection_strategy": "see plugins.islands.with.tournament",
        "job_config.conda_env": "--python names the Python that evaluates",
        "job_config.activate_script": "--python names the Python that evaluates",
    },
    governed={
        "db_config.island_spawn_": "db_config.enable_dynamic_islands",
        "db_config.stagnation_threshold": "db_config.enable_dynamic_islands",
        "evo_config.code_embed_sim_threshold": "evo_config.embedding_model",
        "evo_config.meta_": "evo_config.meta_rec_interval",
        "evo_config.prompt_": "evo_config.evolve_prompts",
        "evo_config.proposal_": "evo_config.enable_controlled_oversubscription",
        "evo_config.wandb_": "evo_config.enable_wandb_logging",
    },
)
"""Keys of theirs that are not mapped."""


def map_shinka(data: object, *, source: str = "the configuration") -> ForeignSettings:
    """Return what a configuration for ShinkaEvolve says here.

    Args:
        data: the contents of the YAML file.
        source: the file, for messages.

    Raises:
        UserError: a value has the wrong type, or a key of a provider is in the file.
    """
    keys = ForeignKeys(_with_long_names(data), source)
    models = map_models(keys)
    pipeline = without_empty(
        llm=models.section,
        budget=without_none(
            # Their generation is a program, the first one being the start program.
            trials=keys.take_count("evo_config.num_generations") or None,
            dollars=keys.take_number("evo_config.max_api_costs") or None,
        ),
        executor=without_none(workers=keys.take_count("max_evaluation_jobs") or None),
        operators=_operators(keys),
    )
    plugins = without_empty(program=_program(keys), islands=_islands(keys), operators=models.operators)
    return ForeignSettings(
        pipeline,
        plugins,
        program=_path(keys, "evo_config.init_program_path"),
        evaluator=_path(keys, "job_config.eval_program_path"),
        warnings=keys.warnings(KNOWN),
    )


def _with_long_names(data: object) -> object:
    return {SECTIONS.get(name, name): value for name, value in data.items()} if isinstance(data, Mapping) else data


def _operators(keys: ForeignKeys) -> dict[str, float]:
    """Return weights of the operators by the kinds of patches and their probabilities."""
    kinds = keys.take_texts("evo_config.patch_types")
    shares = keys.take_numbers("evo_config.patch_type_probs")
    if not kinds:
        return {}
    if shares is not None and len(shares) != len(kinds):
        raise UserError(f"{keys.source}: evo_config.patch_type_probs: {len(kinds)} are needed, one for each patch type")
    weights = [share * len(kinds) for share in shares] if shares else [1.0] * len(kinds)
    given = dict(zip(kinds, weights, strict=True))
    for kind in sorted(set(given) - set(OPERATORS)):
        keys.note("evo_config.patch_types", f"{kind!r} has no counterpart")
    return {operator: round(max(0.0, given.get(kind, 0.0)), 6) for kind, operator in OPERATORS.items()}


def _program(keys: ForeignKeys) -> dict[str, Any]:
    arguments = keys.take_section("job_config.extra_cmd_args")
    return without_empty(
        task=without_none(statement=keys.take_text("evo_config.task_sys_msg")),
        candidate=without_none(language=keys.take_text("evo_config.language")),
        evaluator=without_none(
            arguments=[text for name, value in arguments.items() for text in (f"--{name}", str(value))] or None,
            python=keys.take_text("job_config.python_executable"),
        ),
        limits=without_none(
            seconds=_seconds(keys, "job_config.time"),
            memory_mb=_megabytes(keys, "job_config.mem"),
        ),
    )


def _islands(keys: ForeignKeys) -> dict[str, Any]:
    return map_islands(
        count=keys.take_count("db_config.num_islands"),
        archive=keys.take_count("db_config.archive_size"),
        migration_trials=keys.take_number("db_config.migration_interval"),
        rate=keys.take_number("db_config.migration_rate"),
    )


def _seconds(keys: ForeignKeys, name: str) -> float | None:
    """Return the seconds of a time such as `00:10:00`."""
    text = keys.take_text(name)
    if text is None:
        return None
    parts = text.split(":")
    if len(parts) != 3 or not all(part.isdigit() for part in parts):  # noqa: PLR2004 - hours, minutes, seconds
        raise UserError(f"{keys.source}: {name}: a time such as 00:10:00 is needed, not {one_line(text)!r}")
    hours, minutes, seconds = (int(part) for part in parts)
    return float(hours * 3600 + minutes * 60 + seconds) or None


def _megabytes(keys: ForeignKeys, name: str) -> int | None:
    """Return the megabytes of a size such as `8G`."""
    text = keys.take_text(name)
    found = re.fullmatch(r"(\d+)([MG])B?", text) if text else None
    if text and not found:
        keys.note(name, "has no counterpart; --memory-mb limits an evaluation")
    return int(found[1]) * {"M": 1, "G": 1024}[found[2]] if found else None


def _path(keys: ForeignKeys, name: str) -> str:
    value = keys.take_text(name) or ""
    return "" if "${" in value else value
