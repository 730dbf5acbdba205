"""Every setting has its effect in the pipeline that the engine runs."""

import pytest

from evograft.config.loading import pipeline_from
from evograft.plugin.loading import preset_data
from evograft_ahc.options import AhcOptions
from evograft_ahc.sessions import models
from evograft_ahc.sessions.models import build_llm_section, require_key
from evograft_ahc.sessions.to_pipeline import apply_settings, build_options
from evograft_ahc.settings.model import AhcSettings, LlmSettings, nest
from evograft_ahc.text.messages import ContestUserError


@pytest.fixture
def translated(workspace):
    """`translated({"llm.model": "x"})` is a pipeline as the engine would resolve it."""
    preset = pipeline_from(preset_data("ahc"), source="preset").to_data()

    def translate(flat=None):
        settings = AhcSettings.model_validate(nest(flat or {}))
        data = apply_settings(preset, settings, workspace)
        pipeline = pipeline_from(data, source="settings")
        AhcOptions.model_validate(build_options(pipeline.to_data(), "ahc"))
        return pipeline.to_data()

    return translate


def at(data, path):
    """A place in a pipeline; `ahc.…` and `operators.…` are the options of these plugins."""
    first, *rest = path.split(".")
    place = build_options(data, first) if first in ("ahc", "operators") else data[first]
    for part in rest:
        place = place[part]
    return place


@pytest.mark.parametrize(
    ("key", "value", "path", "expected"),
    [
        ("llm.timeout", 30, "llm.timeout", 30.0),
        ("llm.max_tokens", 1000, "operators.max_tokens", 1000),
        ("llm.max_tokens", 1000, "ahc.max_tokens", 1000),
        ("llm.temperature", 0.7, "operators.temperature", [0.7, 0.7]),
        ("llm.temperature", 0.7, "ahc.temperature", 0.7),
        ("evolution.temperature", 0.9, "operators.temperature", [0.9, 0.9]),
        ("evolution.max_generations", 7, "budget.generations", 7),
        ("evolution.population_size", 6, "generation_size", 6),
        ("evolution.population_size", 6, "budget.plateau", 30),
        ("evolution.time_limit_seconds", 60, "budget.seconds", 60.0),
        ("evolution.score_plateau_generations", 2, "budget.plateau", 20),
        ("evolution.score_plateau_generations", None, "budget.plateau", None),
        ("evolution.mutation_prompts", ["{code_snippet}"], "ahc.mutation_prompts", ["{code_snippet}"]),
        ("evolution.crossover_prompts", ["{code_A}{code_B}"], "ahc.crossover_prompts", ["{code_A}{code_B}"]),
        ("docker.compilation_timeout", 20, "ahc.judge.compile_seconds", 20.0),
        ("docker.execution_timeout", 4, "ahc.judge.case_seconds", 4.0),
        ("docker.image", "mine:1", "ahc.judge.image", "mine:1"),
        ("language", "ja", "ahc.language", "ja"),
        ("language", "ja", "operators.language", "ja"),
        ("workspace.keep_session_files", False, "ahc.records.keep_session_files", False),
        ("workspace.max_log_size_mb", 5, "ahc.records.max_log_size_mb", 5.0),
        ("logging.prompts", "hash", "ahc.records.logging.prompts", "hash"),
        ("algorithm_library.path", "/mine/blocks", "ahc.library", ["/mine/blocks"]),
        ("past_contest_db.path", "/mine/contests.json", "ahc.contests", ["/mine/contests.json"]),
    ],
)
def test_a_setting_has_its_effect(translated, key, value, path, expected):
    assert at(translated({key: value}), path) == expected


def test_a_temperature_of_its_own_is_for_writing_programs_only(translated):
    assert at(translated({"evolution.temperature": 0.9}), "ahc.temperature") is None


def test_where_the_user_has_prompts_no_other_ones_change_or_join_programs(translated):
    assert at(translated(), "operators.profiles") == {}
    changing = at(translated({"evolution.mutation_prompts": ["{code_snippet}"]}), "operators.profiles")
    assert set(changing) == {"refine", "combine", "novel", "other"}
    assert all(weights == {"diff": 0.0, "rewrite": 0.0} for weights in changing.values())
    joining = at(translated({"evolution.crossover_prompts": ["{code_A}{code_B}"]}), "operators.profiles")
    assert joining["combine"] == {"crossover": 0.0}


def test_the_default_image_serves_only_the_oldest_judge_and_so_is_not_the_judges(translated):
    assert "image" not in at(translated(), "ahc.judge")


def test_a_library_of_the_user_may_be_relative_to_the_workspace(translated, workspace):
    assert at(translated({"algorithm_library.path": "blocks"}), "ahc.library") == [str(workspace.folder / "blocks")]


def test_an_evaluation_has_time_for_all_its_cases(translated, workspace):
    data = translated()
    cases = AhcOptions.model_validate(build_options(data, "ahc")).training_cases
    assert data["deadlines"]["evaluate"] > cases * workspace.task.time_limit_seconds


# -- models -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "driver", "model"),
    [
        ({"provider": "openai", "model": "gpt-4o"}, "litellm", "openai/gpt-4o"),
        ({"provider": "google", "model": "gemini-2.5-pro"}, "litellm", "gemini/gemini-2.5-pro"),
        ({"provider": "anthropic", "model": "anthropic/claude"}, "litellm", "anthropic/claude"),
        ({"provider": "ollama", "model": "llama3"}, "ollama", "llama3"),
    ],
)
def test_a_provider_is_asked_by_the_driver_that_knows_it(given, driver, model):
    section = build_llm_section(LlmSettings(**given))
    assert (section["driver"], section["models"]) == (driver, [model])


@pytest.mark.parametrize("provider", ["none", "manual"])
def test_without_a_provider_no_model_is_named(provider):
    assert build_llm_section(LlmSettings(provider=provider)) == {"driver": provider, "timeout": 120}


def test_openai_is_asked_without_litellm_where_that_is_not_installed(monkeypatch):
    monkeypatch.setattr(models.importlib.util, "find_spec", lambda name: None)
    section = build_llm_section(LlmSettings(api_key="${MY_KEY}"))
    assert section == {"driver": "openai", "models": ["gpt-4o"], "api_key_env": "MY_KEY", "timeout": 120}


def test_a_missing_key_is_named_with_the_way_without_one(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ContestUserError, match=r"OPENAI_API_KEY.*evo ahc config llm\.provider none") as caught:
        require_key(LlmSettings())
    assert "OPENAI_API_KEY" in caught.value.in_language("ja")


def test_the_key_of_openai_is_no_other_providers(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    require_key(LlmSettings(provider="anthropic"))
    assert build_llm_section(LlmSettings(provider="anthropic"))["api_key_env"] == ""
