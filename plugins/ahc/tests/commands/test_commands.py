"""`evo ahc library` and `evo ahc database`, and `ahc-agent` as another name of the same."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from python_process import run_evo

META = '{"name": "Sieve", "filename": "sieve.cpp", "description": "Primes.", "colour": "red"}'


def evo(*arguments):
    return run_evo("ahc", *arguments)


def told(*arguments):
    done = evo(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_library_is_listed_searched_and_shown():
    assert len(told("library", "list").splitlines()) == len(json.loads(told("library", "list", "--json"))) == 29
    found = json.loads(told("library", "search", "euler beam", "--json"))
    assert [block["stem"] for block in found] == ["beam_search_euler", "beam_search"]
    assert "オイラーツアー" in told("library", "search", "euler beam", "--language", "ja")
    shown = told("library", "show", "dijkstra")
    assert shown.startswith("Dijkstra's Algorithm (dijkstra)\nShortest paths")
    assert "time   O(E log V)\n" in shown
    assert shown.endswith("\n#endif\n")
    block = json.loads(told("library", "show", "dijkstra", "--json"))
    assert block["code"] in shown
    assert block["usage_example"] in shown


def test_the_database_is_searched_and_shown():
    lines = told("database", "search", "--tag", "beam_search", "--keyword", "grid").splitlines()
    found = json.loads(told("database", "search", "--tag", "beam_search", "--keyword", "grid", "--json"))
    assert [line.split()[0] for line in lines] == [contest["contest_id"] for contest in found]
    assert "ahc046" in {contest["contest_id"] for contest in found}
    shown = told("database", "show", "AHC030")
    assert "approach 1st: Information Gain\n  - entropy\n" in shown
    contest = json.loads(told("database", "show", "ahc030", "--json"))
    assert contest["end"] == "2024-02-19T19:00:00+09:00"
    for source in contest["sources"].values():
        assert source in shown


def test_a_keyword_that_is_no_text_is_found_nowhere():
    assert told("database", "search", "--keyword", os.fsdecode(b"\xff"), "--json") == "[]\n"


def test_a_search_in_vain_says_so_in_one_line_with_the_tags_that_exist(tmp_path):
    (tmp_path / "own.json").write_text('{"contest_id": "own001", "tags": ["snowflakes"]}')
    line = told("database", "search", "--tag", "tps", "--problem", "snow", "--data", tmp_path)
    assert line.startswith("no past contest fits --problem 'snow' --tag 'tps'; the tags are assignment, ")
    assert {"tsp", "snowflakes"} <= set(line.removesuffix("\n").split(", "))
    assert line.count("\n") == 1


def test_ones_own_data_is_added(tmp_path):
    approach = '{"rank_range": "Top 10", "estimated_difficulty": "Hard", "algorithms_used": ["Sieve"]}'
    (tmp_path / "hard.json").write_text(f'{{"contest_id": "own002", "solution_approaches": [{approach}]}}')
    assert "approach Top 10 (Hard): Sieve" in told("database", "show", "own002", "--data", tmp_path)
    (tmp_path / "own.json").write_text('{"contest_id": "own001", "tags": ["grid"]}')
    found = json.loads(told("database", "search", "--problem", "own001", "--data", tmp_path, "--json"))
    assert found == [{"contest_id": "own001", "tags": ["grid"]}]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("library", "shwo"), "Error: no command 'shwo'; did you mean 'show'?\n"),
        (("stauts",), "Error: no command 'stauts'; did you mean 'status'?\n"),
        (("library", "show", "djikstra"), "Error: no library block 'djikstra'; did you mean 'dijkstra'?\n"),
        (
            ("library", "list", "--folder", "{}"),
            "Error: {}/sieve.meta.json: usage_example: field required (and 4 more)\n",
        ),
        (("library", "list", "--folder", "{}/none"), "Error: '{}/none' is no folder of library blocks\n"),
        (("database", "show", "ahc73"), "Error: no past contest 'ahc73'; did you mean 'ahc073'"),
        (
            ("database", "search", "--data", "{}/none.json"),
            "Error: cannot read '{}/none.json': No such file or directory\n",
        ),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(tmp_path, arguments, message):
    (tmp_path / "sieve.meta.json").write_text(META)
    done = evo(*(argument.format(tmp_path) for argument in arguments))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(message.format(tmp_path).partition(" 'ahc073'")[0])
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("group", [(), ("knowledge",), ("library",)])
def test_a_group_without_a_command_shows_its_help_as_it_is(group):
    done = evo(*group)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == told(*group, "--help")


def test_the_agent_is_the_same_group_with_the_same_errors():
    agent = Path(sys.executable).with_name("ahc-agent")
    done = subprocess.run([agent, "library", "show", "bfs01"], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == told("library", "show", "bfs01")
    failed = subprocess.run([agent, "library", "show", "none"], capture_output=True, text=True, check=False, timeout=60)
    assert (failed.returncode, failed.stderr) == (2, evo("library", "show", "none").stderr)


def test_help_imports_nothing_that_a_command_needs():
    code = "import sys, evograft_ahc.commands; print([m for m in ('pydantic', 'sqlite3', 'evograft_ahc.library.blocks') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("test", "start.cpp"), "入力がありません"),
        (("compare", "start.cpp", "start.cpp"), "入力がありません"),
        (("solve",), "終了済みであることを確認できません"),
        (("status",), "まだセッションがありません"),
        (("config", "llm.modell"), "設定 'llm.modell' はありません"),
    ],
)
def test_a_mistake_is_told_in_the_language_of_the_workspace(bare_workspace, monkeypatch, words, said):
    task = json.loads((bare_workspace.folder / "task.json").read_text())
    (bare_workspace.folder / "task.json").write_text(json.dumps({**task, "contest_id": "own001"}))
    bare_workspace.config.write_text("language: ja\n")
    bare_workspace.start_program.write_text("int main() {}\n")
    monkeypatch.chdir(bare_workspace.folder)
    done = evo(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_workspace_that_is_missed_is_told_in_the_users_language(private_home, tmp_path, monkeypatch):
    (private_home / ".ahc_agent").mkdir(parents=True)
    (private_home / ".ahc_agent" / "config.yaml").write_text("language: ja\n")
    monkeypatch.chdir(tmp_path)
    assert "ワークスペースの中にありません" in evo("status").stderr


def test_a_search_of_the_library_or_of_earlier_sessions_in_vain_says_so():
    assert told("library", "search", "unheard").startswith("no block mentions all of 'unheard'; all of them: evo ahc")
    assert told("knowledge", "search", "unheard").startswith("no earlier session has shown anything like that")
    assert json.loads(told("library", "search", "unheard", "--json")) == []


def test_the_version_is_told_by_each_way_to_the_commands():
    line = told("--version")
    assert re.fullmatch(r"evograft-ahc, version \d[\w.]*\n", line)
    command = [sys.executable, "-m", "evograft_ahc", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == line
