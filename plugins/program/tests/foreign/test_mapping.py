"""Configurations of other engines, and the pipelines that they become."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evograft.api import UserError, pipeline_from, read_yaml
from evograft_islands.options import IslandsOptions
from evograft_operators.options import OperatorsOptions
from evograft_program.foreign.configuration import read_configuration
from evograft_program.foreign.openevolve import map_openevolve
from evograft_program.foreign.openevolve_arguments import OpenEvolveArguments
from evograft_program.foreign.shinka import map_shinka
from evograft_program.options import ProgramOptions

TASK = {"task": {"folder": "task"}, "evaluator": {"path": "evaluate.py", "style": "openevolve"}}

OPENEVOLVE = {
    "max_iterations": 100,
    "checkpoint_interval": 10,
    "log_level": "INFO",
    "random_seed": 42,
    "file_suffix": ".rs",
    "language": "rust",
    "diff_based_evolution": False,
    "early_stopping_patience": 30,
    "early_stopping_metric": "combined_score",
    "llm": {
        "api_base": "http://localhost:8000/v1/",
        "api_key": "${MY_KEY}",
        "models": [
            {"name": "large", "weight": 0.8},
            {"name": "small", "weight": 0.2},
            {"name": "large", "weight": 0.2},
        ],
        "temperature": 0.7,
        "top_p": 0.95,
        "max_tokens": 16000,
        "timeout": 120,
        "retries": 3,
        "retry_delay": 5,
    },
    "prompt": {"system_message": "Make it fast.", "num_top_programs": 3, "include_artifacts": True},
    "database": {
        "population_size": 60,
        "archive_size": 50,
        "num_islands": 5,
        "migration_interval": 20,
        "migration_rate": 0.2,
        "feature_dimensions": ["size", "score"],
        "feature_bins": 10,
    },
    "evaluator": {
        "timeout": 60,
        "cascade_evaluation": True,
        "cascade_thresholds": [0.5, 0.9],
        "parallel_evaluations": 3,
    },
}


def is_accepted(settings):
    """Whether the pipeline and the plugins take what was mapped."""
    pipeline_from({"plugins": ["program"], **settings.pipeline}, source="the mapped one")
    plugins = settings.plugins
    OperatorsOptions(**plugins.get("operators", {}))
    IslandsOptions(**plugins.get("islands", {}))
    program = plugins.get("program", {})
    return ProgramOptions.model_validate({**program, **{key: {**program.get(key, {}), **TASK[key]} for key in TASK}})


def test_a_configuration_of_openevolve_becomes_a_pipeline():
    settings = map_openevolve(OPENEVOLVE, source="config.yaml")
    assert settings.pipeline == {
        "llm": {
            "driver": "openai",
            "base_url": "http://localhost:8000/v1",
            "api_key_env": "MY_KEY",
            "models": [{"name": "large", "weight": 1.0}, {"name": "small", "weight": 0.2}],
            "timeout": 120,
            "retries": 3,
            "backoff": 5,
            "extra": {"top_p": 0.95},
        },
        "budget": {"trials": 101, "plateau": 30},
        "executor": {"workers": 3},
        "operators": {"operators.diff": 0.0},
        "seed": 42,
    }
    assert settings.plugins["program"] == {
        "task": {"statement": "Make it fast."},
        "candidate": {"suffix": ".rs", "language": "rust"},
        "rules": {"feature_dimensions": ["size", "score"]},
        "cascade": {"enabled": True, "thresholds": [0.5, 0.9]},
        "limits": {"seconds": 60},
    }
    assert settings.plugins["operators"] == {"max_tokens": 16000, "temperature": [0.7, 0.7]}
    assert is_accepted(settings)


def test_islands_are_as_many_and_differ():
    islands = map_openevolve(OPENEVOLVE).plugins["islands"]
    assert [island["name"] for island in islands["islands"]] == ["refine", "combine", "balance", "novel", "refine2"]
    assert (islands["elites"], islands["migrants"], islands["migration_every"]) == (10, 2, 5)


def test_islands_without_migration_have_none():
    islands = map_openevolve({"database": {"num_islands": 2, "migration_interval": 10, "migration_rate": 0.0}})
    assert islands.plugins["islands"]["migration_every"] == 0


def test_each_key_without_a_counterpart_is_a_warning():
    data = OPENEVOLVE | {"early_stopping_metric": "speedup", "novelty": {"enabled": True, "backend": "local"}}
    assert map_openevolve(data, source="c.yaml").warnings == (
        "c.yaml: early_stopping_metric has no counterpart: any improvement of the score counts; --metric names it",
        "c.yaml: prompt.num_top_programs has no counterpart: see plugins.operators.with.history",
        "c.yaml: database.population_size has no counterpart: see plugins.islands.with.elites",
        "c.yaml: novelty has no counterpart",
    )


@pytest.mark.parametrize(
    ("llm", "models"),
    [
        ({"primary_model": "a"}, {"a": 1.0}),
        ({"primary_model": "a", "primary_model_weight": 0.6, "secondary_model": "b"}, {"a": 0.6, "b": 0.2}),
        ({"primary_model": "a", "secondary_model": "b", "secondary_model_weight": 0.0}, {"a": 1.0}),
        ({"models": ["a"], "primary_model": "b"}, {"a": 1.0, "b": 1.0}),
        ({"models": [{"name": "a", "weight": None}]}, {"a": 1.0}),
    ],
)
def test_models_of_the_older_keys_count_as_well(llm, models):
    section = map_openevolve({"llm": llm}).pipeline["llm"]
    assert {model["name"]: model["weight"] for model in section["models"]} == models


def test_what_all_models_have_for_themselves_they_have_together():
    models = [{"name": "a", "max_tokens": 9, "timeout": 5}, {"name": "b", "max_tokens": 9, "timeout": 6}]
    settings = map_openevolve({"llm": {"models": models}}, source="c.yaml")
    assert settings.plugins["operators"] == {"max_tokens": 9}
    assert settings.warnings == (
        "c.yaml: llm.models.timeout: has no counterpart: all models have the same, llm.timeout",
    )


def test_a_provider_without_an_interface_is_a_warning_and_no_section():
    settings = map_openevolve({"llm": {"provider": "claude_code", "models": ["sonnet"]}}, source="c.yaml")
    assert "llm" not in settings.pipeline
    assert settings.warnings == ("c.yaml: llm.provider: has no counterpart; --llm names a driver and a model",)


@pytest.mark.parametrize(
    ("data", "weights"),
    [
        ({}, {}),
        ({"diff_based_evolution": True}, {"operators.rewrite": 0.0}),
        ({"diff_based_evolution": True, "allow_full_rewrites": True}, {}),
        ({"diff_based_generation": False}, {"operators.diff": 0.0}),
    ],
)
def test_differences_only_and_whole_programs_only_are_weights(data, weights):
    assert map_openevolve(data).pipeline.get("operators", {}) == weights


def test_the_name_of_their_own_message_is_no_statement():
    settings = map_openevolve({"prompt": {"system_message": "system_message"}, "llm": {"system_message": "Sort."}})
    assert settings.plugins["program"]["task"] == {"statement": "Sort."}


def test_arguments_go_before_the_file(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text("max_iterations: 5\nllm: {models: [{name: a}], secondary_model: c, temperature: 0.5}\n")
    arguments = OpenEvolveArguments(iterations=9, api_base="http://gpu/v1", primary_model="b")
    settings = read_configuration(path, arguments=arguments)
    assert settings.pipeline["budget"] == {"trials": 10}
    assert settings.pipeline["llm"]["base_url"] == "http://gpu/v1"
    assert [model["name"] for model in settings.pipeline["llm"]["models"]] == ["b", "c"]
    assert settings.plugins["operators"] == {"temperature": [0.5, 0.5]}


def test_arguments_stand_without_a_file():
    settings = read_configuration(None, arguments=OpenEvolveArguments(iterations=3, primary_model="b"))
    assert settings.pipeline["budget"] == {"trials": 4}
    assert settings.pipeline["llm"]["models"] == [{"name": "b", "weight": 1.0}]


SHINKA = {
    "max_evaluation_jobs": 5,
    "max_proposal_jobs": 6,
    "max_db_workers": 4,
    "db_config": {"num_islands": 2, "archive_size": 40, "migration_interval": 40, "migration_rate": 0.1},
    "evo_config": {
        "task_sys_msg": "Pack circles.",
        "patch_types": ["diff", "full"],
        "patch_type_probs": [0.75, 0.25],
        "num_generations": 50,
        "max_api_costs": 2.5,
        "language": "python",
        "llm_models": ["gpt-5-mini", "claude-4-sonnet", "gemini-2.5-pro", "qwen/qwen3-32b", "azure-gpt-5"],
        "llm_dynamic_selection": "ucb1",
        "llm_kwargs": {"temperatures": [0, 1.0, 0.5], "max_tokens": 4096, "reasoning_efforts": ["low"]},
        "embedding_model": "text-embedding-3-small",
        "evolve_prompts": False,
        "prompt_archive_size": 10,
        "init_program_path": "initial.py",
    },
    "job_config": {
        "time": "00:05:30",
        "mem": "8G",
        "extra_cmd_args": {"seed": 7, "name": "x"},
        "eval_program_path": "evaluate.py",
    },
}


def test_a_configuration_of_shinka_becomes_a_pipeline():
    settings = map_shinka(SHINKA, source="shinka.yaml")
    assert settings.pipeline == {
        "llm": {
            "driver": "litellm",
            "models": [
                {"name": name, "weight": 1.0}
                for name in (
                    "gpt-5-mini",
                    "anthropic/claude-4-sonnet",
                    "gemini/gemini-2.5-pro",
                    "openrouter/qwen/qwen3-32b",
                    "azure/gpt-5",
                )
            ],
            "choice": "bandit",
            "concurrency": 6,
            "extra": {"reasoning_effort": "low"},
        },
        "budget": {"trials": 50, "dollars": 2.5},
        "executor": {"workers": 5},
        "operators": {"operators.diff": 1.5, "operators.rewrite": 0.5, "operators.crossover": 0.0},
    }
    assert settings.plugins["program"] == {
        "task": {"statement": "Pack circles."},
        "candidate": {"language": "python"},
        "evaluator": {"arguments": ["--seed", "7", "--name", "x"]},
        "limits": {"seconds": 330.0, "memory_mb": 8192},
    }
    assert settings.plugins["operators"] == {"max_tokens": 4096, "temperature": [0.0, 1.0]}
    assert (settings.program, settings.evaluator) == ("initial.py", "evaluate.py")
    assert settings.warnings == ("shinka.yaml: evo_config.embedding_model has no counterpart: see novelty.embedding",)
    assert is_accepted(settings)


@pytest.mark.parametrize(
    ("names", "section"),
    [
        (["gpt-5", "o4-mini"], {"driver": "openai", "names": ["gpt-5", "o4-mini"]}),
        (
            ["openrouter/qwen/a", "openrouter/b/c"],
            {
                "driver": "openai",
                "names": ["qwen/a", "b/c"],
                "base_url": "https://openrouter.ai/api/v1",
                "api_key_env": "OPENROUTER_API_KEY",
            },
        ),
        (
            ["local/coder@http://gpu:8000/v1"],
            {"driver": "openai", "names": ["coder"], "base_url": "http://gpu:8000/v1"},
        ),
        (
            ["us.anthropic.claude-x", "gpt-5"],
            {"driver": "litellm", "names": ["bedrock/us.anthropic.claude-x", "gpt-5"]},
        ),
    ],
)
def test_the_names_of_models_say_where_they_are_asked(names, section):
    llm = dict(map_shinka({"evo": {"llm_models": names}}).pipeline["llm"])
    found = [model["name"] for model in llm.pop("models")]
    assert {**llm, "names": found} == section


def test_shares_of_models_are_weights():
    evo = {"llm_models": ["gpt-5", "headless/agent", "gpt-4.1"], "llm_kwargs": {"model_sample_probs": [0.5, 0.2, 0.3]}}
    settings = map_shinka({"evo": evo}, source="s.yaml")
    assert settings.pipeline["llm"]["models"] == [{"name": "gpt-5", "weight": 0.5}, {"name": "gpt-4.1", "weight": 0.3}]
    assert settings.warnings == ("s.yaml: evo_config.llm_models: agents on this machine have no counterpart",)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"job": {"time": "5 minutes"}}, "job_config.time: a time such as 00:10:00 is needed, not '5 minutes'"),
        (
            {"evo": {"patch_types": ["diff"], "patch_type_probs": [1, 2]}},
            "patch_type_probs: 1 are needed, one for each",
        ),
        ({"evo": {"num_generations": "many"}}, "evo_config.num_generations: a number is needed, not 'many'"),
        ([], "a mapping of keys is needed, not list"),
    ],
)
def test_what_shinka_would_not_read_is_refused(data, message):
    with pytest.raises(UserError, match=message):
        map_shinka(data)


def test_a_time_or_a_memory_of_0_limits_nothing():
    found = map_openevolve({"evaluator": {"timeout": 0, "memory_limit_mb": 0}})
    assert not found.plugins
    assert not found.warnings


@pytest.mark.parametrize(
    ("text", "map_file"),
    [
        ("max_iterations: 3", map_openevolve),
        ("{}", map_openevolve),
        ("evo_config: {num_generations: 3}", map_shinka),
        ("job: {time: 00:01:00}\ndb_config: {}", map_shinka),
        ("max_evaluation_jobs: 3\nhydra: {}", map_shinka),
    ],
)
def test_the_engine_of_a_file_is_told_by_its_keys(text, map_file, tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(text)
    other = map_shinka if map_file is map_openevolve else map_openevolve
    data = read_yaml(path)
    assert read_configuration(path) == map_file(data, source=path.name)
    assert not data or read_configuration(path) != other(data, source=path.name)


def test_an_empty_file_says_nothing(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text("")
    assert read_configuration(path) == map_openevolve({})


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(UserError, match="cannot read"):
        read_configuration(tmp_path / "config.yaml")


PATHS = [
    *("max_iterations", "random_seed", "early_stopping_patience", "diff_based_evolution", "file_suffix"),
    *(
        f"llm.{name}"
        for name in ("models", "api_base", "temperature", "retries", "retry_delay", "primary_model", "timeout")
    ),
    *(f"database.{name}" for name in ("num_islands", "archive_size", "migration_interval", "migration_rate")),
    *("evaluator.timeout", "evaluator.cascade_thresholds", "database.feature_dimensions"),
    *(
        f"evo_config.{name}"
        for name in ("llm_models", "patch_types", "patch_type_probs", "num_generations", "max_api_costs")
    ),
    *(
        "evo_config.llm_kwargs.temperatures",
        "evo_config.llm_kwargs.model_sample_probs",
        "job_config.time",
        "job_config.mem",
    ),
]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["diff", "gpt-5", "1e400", "nan", "00:01:00", "8G", {"name": "a", "weight": 0}]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def nest(values):
    data = {}
    for path, value in values.items():
        *parents, last = path.split(".")
        place = data
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return data


@given(
    st.dictionaries(st.sampled_from(PATHS), VALUES).map(nest) | VALUES, st.sampled_from([map_openevolve, map_shinka])
)
def test_whatever_a_file_holds_it_is_mapped_or_refused(data, read):
    with suppress(UserError):
        assert all("\n" not in line for line in read(data).warnings)


@given(st.dictionaries(st.sampled_from(PATHS), st.integers(0, 50) | st.floats(0.01, 50)).map(nest))
def test_numbers_that_are_mapped_are_accepted(data):
    with suppress(UserError):
        settings = map_openevolve(data)
        try:
            is_accepted(settings)
        except ValidationError as err:
            pytest.fail(str(err))
