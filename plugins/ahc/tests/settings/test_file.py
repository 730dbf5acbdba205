"""`evo ahc config`."""

import json

import pytest
from click.testing import CliRunner

from evograft.config.yaml_file import read_yaml
from evograft.errors import UserError
from evograft_ahc.commands.config import config
from evograft_ahc.settings.model import get_user_config

FILE = """\
# How this contest is worked on.
llm:
  provider: "openai"   # or another one
  model: "gpt-4o"
evolution:
  max_generations: 30
  # time_limit_seconds: 7200
"""


@pytest.fixture
def workspace(bare_workspace, monkeypatch):
    """The current folder: what commands need to find a contest, and nothing that is built."""
    monkeypatch.chdir(bare_workspace.folder)
    return bare_workspace


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder that is a workspace to commands that ask for no task."""
    (tmp_path / "task.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments):
    done = CliRunner().invoke(config, arguments, catch_exceptions=True)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.stdout


def test_outside_of_a_workspace_a_value_goes_into_the_users_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = call("llm.model", "gpt-5-mini")
    assert said == f"llm.model = gpt-5-mini  ({get_user_config()})\n"
    assert read_yaml(get_user_config()) == {"llm": {"model": "gpt-5-mini"}}


def test_a_value_leaves_the_rest_of_the_file_and_its_comments_alone(here):
    (here / "ahc_config.yaml").write_text(FILE)
    call("llm.model", "gpt-5-mini")
    assert (here / "ahc_config.yaml").read_text() == FILE.replace("gpt-4o", "gpt-5-mini")


def test_inside_a_workspace_the_users_file_is_asked_for(here):
    call("language", "ja", "--user")
    assert not (here / "ahc_config.yaml").exists()
    assert call("language") == f"language = ja  ({get_user_config()})\n"


def test_a_setting_is_shown_with_where_it_is_from(here):
    (here / "ahc_config.yaml").write_text(FILE)
    assert call("evolution.max_generations") == f"evolution.max_generations = 30  ({here / 'ahc_config.yaml'})\n"
    assert call("evolution.population_size") == "evolution.population_size = 10  (default)\n"


def test_all_settings_are_shown_as_json():
    shown = json.loads(call("--json"))
    assert shown["evolution.population_size"] == {"value": 10, "source": "default"}


def test_a_list_of_prompts_is_given_as_yaml(here):
    call("evolution.mutation_prompts", '["Improve: {code_snippet}"]')
    assert read_yaml(here / "ahc_config.yaml")["evolution"]["mutation_prompts"] == ["Improve: {code_snippet}"]


@pytest.mark.parametrize(
    ("key", "value"),
    [("llm.modle", "x"), ("llm", "x"), ("evolution.population_size", "0"), ("llm.api_key", "sk-very-secret")],
)
def test_what_cannot_be_set_leaves_the_file_as_it_was(here, key, value):
    (here / "ahc_config.yaml").write_text(FILE)
    with pytest.raises(UserError):
        call(key, value)
    assert (here / "ahc_config.yaml").read_text() == FILE


def test_a_value_that_does_not_fit_names_its_key_once(here):
    with pytest.raises(UserError, match=r"^evo ahc config: scores\.standings_cases: [^.]*$"):
        call("scores.standings_cases", "0")


def test_a_file_that_is_wrong_already_is_not_written_to(here):
    (here / "ahc_config.yaml").write_text("llm: {modle: x}\n")
    with pytest.raises(UserError, match=r"ahc_config\.yaml: unknown key 'llm\.modle'"):
        call("llm.model", "gpt-4o")


def test_library_and_database_have_what_the_settings_add(tmp_path, monkeypatch, evo):
    (tmp_path / "task.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    own = {"contest_id": "own1", "title": "Mine", "problem_summary": "A problem of one's own."}
    (tmp_path / "contests.json").write_text(json.dumps([own]))
    (tmp_path / "blocks").mkdir()
    evo("ahc", "config", "past_contest_db.path", "contests.json")
    assert "own1" in evo("ahc", "database", "search", "--problem", "own1").stdout
    evo("ahc", "config", "algorithm_library.path", "nowhere")
    with pytest.raises(UserError, match="nowhere"):
        evo("ahc", "library", "list")
    evo("ahc", "config", "algorithm_library.path", "blocks")
    evo("ahc", "config", "language", "ja")
    assert "オイラーツアー" in evo("ahc", "library", "search", "euler beam").stdout


def test_what_is_set_for_the_user_and_covered_by_the_workspace_is_said(workspace, evo):
    evo("ahc", "config", "llm.model", "near")
    done = evo("ahc", "config", "--user", "llm.model", "far")
    assert done.stdout == f"llm.model = near  ({workspace.config})\n"
    assert done.stderr == f"llm.model is set in {get_user_config()}; here {workspace.config} goes before it\n"
