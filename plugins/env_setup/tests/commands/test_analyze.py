import json

import pytest
from click.testing import CliRunner

from evograft.cli import cli


@pytest.fixture
def evo(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(cli, ["env", "analyze", *arguments])


def test_an_analysis_is_shown_in_plain_lines(evo, tmp_path):
    (tmp_path / "requirements.txt").write_text("requests>=2\nbad line here\n")
    (tmp_path / ".python-version").write_text("3.11\n")
    done = evo()
    assert done.exit_code == 0
    assert done.output.splitlines() == [
        "environment: python: there is requirements.txt",
        "image: python:3.11",
        "files:",
        "  .python-version",
        "  requirements.txt",
        "versions asked for:",
        "  python 3.11 (.python-version)",
        "dependencies: 1:",
        "  requests >=2",
        "setup:",
        "  pip install --upgrade pip",
        "  pip install -r requirements.txt",
        "verification:",
        "  python -c 'print(\"OK\")'  # prints OK",
        "  python -c 'import sys; print(sys.version_info.major)'  # prints 3",
        "  python -c 'import requests; print(\"SUCCESS\")'  # prints SUCCESS",
        "findings:",
        "  requirements.txt 'bad line here' is no requirement",
    ]


def test_programs_get_the_specified_entries_and_more(evo, tmp_path):
    (tmp_path / "package.json").write_text('{"dependencies": {"express": "^4"}}')
    told = json.loads(evo("--json").output)
    assert told["detected_files"] == {"package.json": '{"dependencies": {"express": "^4"}}'}
    assert told["environment_type"] == "node"
    assert told["dependencies"] == ["express"]
    assert told["setup_commands"] == ["npm install"]
    assert told["requirements"][0]["asked"] == "^4"
    assert told["verification"][1]["expected_output"] == "SUCCESS"


def test_a_task_the_depth_and_environments_of_ones_own_take_part(evo, tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "go.mod").write_text("module x")
    (tmp_path / "a" / "b" / "pom.xml").write_text("<project/>")
    (tmp_path / "mine.yaml").write_text("go: {recipes: [{steps: [go get .]}]}")
    assert json.loads(evo("--json").output)["environment_type"] == "python"
    told = json.loads(evo("--json", "--depth", "2", "--task", "speed up main.go", "--environments", "mine.yaml").output)
    assert told["environment_type"] == "go"
    assert told["setup_commands"] == ["cd a/b && go get ."]


def test_what_files_say_cannot_steer_the_terminal(evo, tmp_path):
    (tmp_path / "package.json").write_text(json.dumps({"dependencies": {"\x1b[2J": "\x1b]0;x\x07"}}))
    assert "\x1b" not in evo().output
    assert "\\x1b[2J" in evo().output


def test_a_path_that_is_no_folder_is_the_users_mistake(evo):
    done = evo("gone")
    assert done.exit_code != 0
    assert "env analyze: 'gone' is no folder" in str(done.exception)
