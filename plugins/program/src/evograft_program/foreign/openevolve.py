"""Configurations of OpenEvolve, also those of SkyDiscover, which has most of its keys."""

from __future__ import annotations

from typing import Any

from evograft_program.foreign.islands import map_islands
from evograft_program.foreign.keys import ForeignKeys, KnownKeys
from evograft_program.foreign.openevolve_models import map_models
from evograft_program.foreign.settings import ForeignSettings, find_trials, without_empty, without_none

DEFAULT_MESSAGE = "system_message"
"""The name of their own template, where a configuration leaves the message as it is."""
KNOWN = KnownKeys(
    sections=frozenset({"database", "evaluator", "evolution_trace", "llm", "prompt"}),
    # Every trial is in the log, with its prompts, and what evaluators say is in the next one.
    met={
        "checkpoint_interval": (),
        "convergence_threshold": (),
        "database.db_path": (),
        "database.feature_bins": (),
        "database.in_memory": (),
        "database.log_prompts": (),
        "database.random_seed": (),
        "early_stopping_metric": ("combined_score",),
        "evaluator.distributed": (False,),
        "evaluator.enable_artifacts": (True,),
        "evaluator.max_retries": (0,),
        "evaluator.use_llm_feedback": (False,),
        "evolution_trace.enabled": (False,),
        "log_dir": (),
        "log_level": (),
        "prompt.artifact_security_filter": (),
        "prompt.include_artifacts": (True,),
        "prompt.programs_as_changes_description": (False,),
        "prompt.use_meta_prompting": (False,),
    },
    remarks={
        "database.elite_selection_ratio": "see plugins.islands.with.tournament",
        "database.embedding_model": "see novelty.embedding",
        "database.exploitation_ratio": "see plugins.islands.with.tournament",
        "database.exploration_ratio": "see plugins.islands.with.islands",
        "database.population_size": "see plugins.islands.with.elites",
        "early_stopping_metric": "any improvement of the score counts; --metric names it",
        "evaluator.max_retries": "an evaluation that raises is not repeated, the candidate is rejected",
        "evaluator.use_llm_feedback": "no model judges candidates",
        "evaluator.llm_feedback_weight": "no model judges candidates",
        "llm.evaluator_models": "no model judges candidates",
        "max_code_length": "see plugins.operators.with.max_tokens",
        "max_solution_length": "see plugins.operators.with.max_tokens",
        "prompt.max_artifact_bytes": "feedback has 20 kB at most",
        "prompt.num_diverse_programs": "see plugins.operators.with.history",
        "prompt.num_top_programs": "see plugins.operators.with.history",
        "prompt.template_dir": "templates have another form, see plugins.operators.with.prompts",
    },
    governed={
        "database.similarity_threshold": "database.embedding_model",
        "evaluator.llm_feedback_weight": "evaluator.use_llm_feedback",
        "evolution_trace.": "evolution_trace.enabled",
        "prompt.initial_changes_description": "prompt.programs_as_changes_description",
        "prompt.system_message_changes_description": "prompt.programs_as_changes_description",
    },
)
"""Keys of theirs that are not mapped."""


def map_openevolve(data: object, *, source: str = "the configuration") -> ForeignSettings:
    """Return what a configuration for OpenEvolve says here.

    Args:
        data: the contents of the YAML file.
        source: the file, for messages.

    Raises:
        UserError: a value has the wrong type, or a key of a provider is in the file.
    """
    keys = ForeignKeys(data, source)
    models = map_models(keys)
    pipeline = without_empty(
        llm=models.section,
        budget=_budget(keys),
        executor=without_none(workers=keys.take_count("evaluator.parallel_evaluations") or None),
        operators=_operators(keys),
    )
    pipeline |= without_none(seed=keys.take_count("random_seed"))
    plugins = without_empty(program=_program(keys), islands=_islands(keys), operators=models.operators)
    return ForeignSettings(pipeline, plugins, warnings=keys.warnings(KNOWN))


def _budget(keys: ForeignKeys) -> dict[str, Any]:
    patience = keys.take_number("early_stopping_patience")
    return without_none(
        trials=find_trials(keys.take_count("max_iterations")),
        plateau=int(patience) if patience and patience > 0 else None,
    )


def _operators(keys: ForeignKeys) -> dict[str, float]:
    """Return weights: theirs asks for differences only, or for whole programs only."""
    theirs = [keys.take_flag(name) for name in ("diff_based_evolution", "diff_based_generation")]
    allows_both = keys.take_flag("allow_full_rewrites")
    if False in theirs:
        return {"operators.diff": 0.0}
    return {"operators.rewrite": 0.0} if True in theirs and not allows_both else {}


def _program(keys: ForeignKeys) -> dict[str, Any]:
    message = keys.take_text("prompt.system_message")
    other = keys.take_text("llm.system_message")
    statement = next((text for text in (message, other) if text and text != DEFAULT_MESSAGE), None)
    return without_empty(
        task=without_none(statement=statement),
        candidate=without_none(suffix=keys.take_text("file_suffix"), language=keys.take_text("language")),
        rules=without_none(feature_dimensions=keys.take_texts("database.feature_dimensions")),
        cascade=without_none(
            enabled=keys.take_flag("evaluator.cascade_evaluation"),
            thresholds=keys.take_numbers("evaluator.cascade_thresholds"),
        ),
        limits=without_none(
            seconds=keys.take_number("evaluator.timeout") or None,
            memory_mb=keys.take_count("evaluator.memory_limit_mb") or None,
        ),
    )


def _islands(keys: ForeignKeys) -> dict[str, Any]:
    count = keys.take_count("database.num_islands")
    interval = keys.take_number("database.migration_interval")
    return map_islands(
        count=count,
        archive=keys.take_count("database.archive_size"),
        # Their generations count for each island by itself, a program at a time.
        migration_trials=None if interval is None else interval * (count or 1),
        rate=keys.take_number("database.migration_rate"),
    )
