"""Which settings hold, and what a config file may not say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft.errors import UserError
from evograft_ahc.settings.model import (
    AhcSettings,
    flatten,
    get_key_variable,
    get_user_config,
    load_settings,
    validate_settings,
)
from evograft_ahc.text.placeholders import fill_placeholders, find_placeholders
from evograft_ahc.workspace.folder import Workspace

SPECIFIED = {
    "llm.provider": "openai",
    "llm.model": "gpt-4o",
    "llm.api_key": "${OPENAI_API_KEY}",
    "llm.temperature": None,
    "llm.max_tokens": 32_768,
    "llm.timeout": 120,
    "docker.image": "mcr.microsoft.com/devcontainers/cpp:0-bullseye",
    "docker.mount_path": "/workspace",
    "docker.compilation_timeout": 60,
    "docker.execution_timeout": 10,
    "evolution.max_generations": 30,
    "evolution.population_size": 10,
    "evolution.time_limit_seconds": 1800,
    "evolution.score_plateau_generations": 5,
    "evolution.temperature": None,
    "workspace.base_dir": "./workspace",
    "workspace.keep_session_files": True,
    "workspace.max_log_size_mb": 100,
    "algorithm_library.path": "internal",
    "past_contest_db.path": "internal",
}


@pytest.fixture
def workspace(tmp_path):
    folder = tmp_path / "practice001"
    folder.mkdir()
    return Workspace(folder)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_the_defaults_are_those_specified():
    defaults = dict(flatten(AhcSettings().model_dump()))
    assert {key: defaults[key] for key in SPECIFIED} == SPECIFIED


def test_the_workspaces_file_goes_before_the_users_key_by_key(workspace):
    write(get_user_config(), "llm: {model: from-user, temperature: 0.7}\n")
    write(workspace.config, "llm: {model: from-workspace}\n")
    loaded = load_settings(workspace)
    assert loaded.get("llm.model").value == "from-workspace"
    assert loaded.get("llm.model").source == str(workspace.config)
    assert loaded.get("llm.temperature").value == 0.7
    assert loaded.get("llm.temperature").source == str(get_user_config())
    assert loaded.get("llm.timeout").source == "default"


def test_outside_of_a_workspace_the_users_file_holds():
    write(get_user_config(), "language: ja\n")
    assert load_settings().values.language == "ja"


def test_references_are_read_from_the_environment(workspace, monkeypatch):
    monkeypatch.setenv("SIZE", "7")
    monkeypatch.setenv("HERE", "/data")
    write(workspace.config, "evolution: {population_size: '${SIZE}'}\nalgorithm_library: {path: '${HERE}/blocks'}\n")
    values = load_settings(workspace).values
    assert values.evolution.population_size == 7
    assert values.algorithm_library.path == "/data/blocks"


def test_a_variable_that_is_not_set_is_named_with_its_key_and_file(workspace):
    write(workspace.config, "llm: {model: '${NO_SUCH_MODEL}'}\n")
    with pytest.raises(UserError, match=r"ahc_config\.yaml: llm\.model: .*NO_SUCH_MODEL is not set"):
        load_settings(workspace)


def test_a_key_is_a_reference_that_stays_one(workspace, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    write(workspace.config, "llm: {api_key: '${MY_KEY}'}\n")
    llm = load_settings(workspace).values.llm
    assert llm.api_key == "${MY_KEY}"
    assert get_key_variable(llm) == "MY_KEY"
    assert get_key_variable(llm.model_copy(update={"api_key": ""})) == ""


@pytest.mark.parametrize("key", ["sk-very-secret", "x${MY_KEY}", "12345678"])
def test_a_literal_key_is_refused_and_not_repeated(key):
    with pytest.raises(UserError, match="environment variable") as caught:
        validate_settings({"llm": {"api_key": key}}, source="config.yaml")
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"llm": {"modle": "x"}}, "unknown key 'llm.modle'; did you mean 'model'?"),
        ({"evolution": {"population_size": 0}}, "evolution.population_size"),
        ({"evolution": {"mutation_prompts": ["Improve this."]}}, "{code_snippet} or {function_code}"),
        ({"evolution": {"mutation_prompts": ["{code}"]}}, "{code} is no placeholder here"),
        ({"evolution": {"mutation_prompts": ["{code_snippet} {code_A}"]}}, "{code_A} is no placeholder here"),
        ({"evolution": {"crossover_prompts": ["Only {code_A}"]}}, "{code_A} and {code_B}"),
        ([], "settings are a mapping"),
        ({"llm": None}, "llm: should be a mapping"),
    ],
)
def test_what_a_file_may_not_say_is_named(data, said):
    with pytest.raises(UserError) as caught:
        validate_settings(data, source="config.yaml")
    assert str(caught.value).startswith("config.yaml: ")
    assert said in str(caught.value)


def test_an_empty_file_says_nothing(workspace):
    write(workspace.config, "# nothing yet\n")
    assert load_settings(workspace).values == AhcSettings()


def test_the_level_of_logs_is_taken_from_the_environment_first(workspace, monkeypatch):
    write(workspace.config, "logging: {level: ERROR}\n")
    monkeypatch.setenv("AHC_LOG_LEVEL", "INFO")
    assert load_settings(workspace).get("logging.level").value == "INFO"


def test_braces_of_code_do_no_harm_in_a_prompt():
    assert fill_placeholders("Make {code_snippet} { faster }", {"code_snippet": "int f() { return {x}; }"}) == (
        "Make int f() { return {x}; } { faster }"
    )


@given(st.text(), st.text())
def test_code_is_filled_in_as_it_is(before, code):
    template = before.replace("{", "(") + "{code_A}|{code_B}"
    assert find_placeholders(template) == {"code_A", "code_B"}
    assert fill_placeholders(template, {"code_A": code, "code_B": code}) == f"{before.replace('{', '(')}{code}|{code}"
