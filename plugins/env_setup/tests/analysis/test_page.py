"""docs/env-analysis.md says what is so."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from evograft.cli import cli
from evograft_env_setup.environments import Environments
from evograft_env_setup.environments.environment import Environment
from evograft_env_setup.manifests.formats import FORMATS

PAGE = (Path(__file__).parents[4] / "docs" / "env-analysis.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}[^\n]*\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    (tmp_path / "requirements.txt").write_text("requests>=2\nbad line here\n")
    (tmp_path / ".python-version").write_text("3.11\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_shows_what_is_printed(repository):
    (shown,) = blocks("console")
    assert f"$ evo env analyze\n{CliRunner().invoke(cli, ['env', 'analyze']).output}" == shown


def test_the_example_in_python_runs(repository, capsys):
    (code,) = blocks("python")
    exec(code, {})
    assert capsys.readouterr().out == "python\npip install --upgrade pip\npip install -r requirements.txt\n"


def test_the_file_of_environments_is_taken(repository):
    (text,) = blocks("yaml")
    (repository / "mine.yaml").write_text(text)
    environments = Environments.with_file(repository / "mine.yaml")
    assert environments["ruby"].image == "ruby:3"


def test_every_file_and_every_key_is_named():
    prose = re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL)
    words = set(re.findall(r"`([^`\n]+)`", prose.replace("(or `.yaml`)", "`docker-compose.yaml` `compose.yaml`")))
    assert set(FORMATS) - words == set()
    assert set(Environment.model_fields) - words == {"name"}
    assert set(Environments.shipped()) - words == set()
