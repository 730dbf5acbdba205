"""A question, and what comes of it."""

import io
import json
import os
import re
import sys

import pytest
from fault_server import answer, cut, status


def test_an_answer_is_printed_with_its_figures_beside_it(explain, model, repository, server):
    model.says(model.LIST, model.READ)
    model.completes("It **exits** at `app/main.py:5`.")
    done = explain.ask("what does it do?", repository)
    assert (done.code, done.out) == (0, "It **exits** at `app/main.py:5`.\n")
    assert "3 steps  1 citation  54 tokens  price unknown" in done.err.splitlines()
    assert len(server.seen) == 3


@pytest.fixture
def ripgrep(tmp_path, monkeypatch):
    """Searches find a ripgrep, which is not started."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "rg").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)


def test_without_ripgrep_a_conversation_says_once_what_to_install(explain, model, repository, shelf, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    hint = "searches read every file, because ripgrep is not here: install ripgrep"
    model.completes("It exits.")
    assert explain.ask("what does it do?", repository).err.splitlines().count(hint) == 1
    model.completes("Because.")
    (name,) = shelf.list_ids()
    again = explain("--continue", name, "why?")
    assert (again.code, hint in again.err) == (0, False)


@pytest.mark.usefixtures("ripgrep")
def test_progress_is_said_line_by_line_where_nobody_watches(explain, model, repository):
    model.says(model.LIST, model.READ.replace("main", "gone"))
    model.completes("done")
    lines = explain.ask("what does it do?", repository).err.splitlines()
    assert lines[1] == "step 1/40  list_file .  18 tokens"
    assert lines[2].startswith("step 2/40  read_file app/gone.py  (app/gone.py: there is no such file or folder")
    assert lines[3] == "step 3/40  complete  54 tokens"


def test_json_is_one_object_and_nothing_else_is_said(explain, model, repository, shelf):
    model.says(model.LIST)
    model.completes("See `app/main.py:4-5` and `app/main.py:99`.")
    done = explain.ask("where does it start?", repository, "--json")
    assert done.err == ""
    (name,) = shelf.list_ids()
    assert done.data == {
        "conversation_id": name,
        "outcome": "complete",
        "reason": "",
        "text": "See `app/main.py:4-5` and `app/main.py:99`.",
        "steps": 2,
        "malformed": 0,
        "tokens": 36,
        "dollars": None,
        "citations": [
            {"path": "app/main.py", "first_line": 4, "last_line": 5, "found": True},
            {"path": "app/main.py", "first_line": 99, "last_line": 99, "found": False},
        ],
        "wrong_citations": 1,
    }


def test_dollars_are_counted_where_prices_are_known(explain, model, repository):
    model.completes("done")
    prices = "--set=llm.models=[{name: some-model, price: {prompt: 1000, completion: 2000}}]"
    done = explain.ask("what does it do?", repository, "--json", prices)
    assert done.data["dollars"] == pytest.approx(11 * 0.001 + 7 * 0.002)


def test_a_wrong_citation_is_marked_and_counted(explain, model, repository):
    model.completes("See `app/main.py:5`, app/main.py:6 and [here](app/gone.py:1).")
    done = explain.ask("where?", repository)
    assert done.out == "See `app/main.py:5`, app/main.py:6 (not found) and [here](app/gone.py:1 (not found)).\n"
    assert "1 step  3 citations, 2 not found  18 tokens  price unknown" in done.err.splitlines()


def test_an_answer_is_written_to_the_file_that_is_named(explain, model, repository, tmp_path):
    model.completes("# app\n\ntext")
    done = explain.ask("--readme", repository, "--output", tmp_path / "new" / "README.md")
    assert (done.code, done.out) == (0, "")
    assert (tmp_path / "new" / "README.md").read_text() == "# app\n\ntext\n"


def test_an_answer_is_written_beside_its_json(explain, model, repository, tmp_path):
    model.completes("see gone.py:1")
    done = explain.ask("where?", repository, "--json", "--output", tmp_path / "answer.md")
    assert done.data["text"] == "see gone.py:1"
    assert (tmp_path / "answer.md").read_text() == "see gone.py:1 (not found)\n"


def test_a_file_is_not_written_without_a_whole_answer(explain, model, repository, tmp_path):
    output = tmp_path / "README.md"
    output.write_text("precious")
    model.says(model.LIST)
    done = explain.ask("--readme", repository, "--steps=1", "--output", output, "--overwrite")
    assert done.code == 4
    assert output.read_text() == "precious"


def test_a_file_that_is_there_is_replaced_only_where_that_is_said(explain, model, repository, server, tmp_path):
    output = tmp_path / "README.md"
    output.write_text("precious")
    refused = explain.ask("why?", repository, "--output", output)
    assert (refused.code, output.read_text()) == (2, "precious")
    assert "is there already: name another file, or replace it with --overwrite" in refused.err
    assert server.asked() == []
    model.says("<complete><summary>new</summary></complete>")
    assert explain.ask("why?", repository, "--output", output, "--overwrite").code == 0
    assert output.read_text() == "new\n"


def test_a_question_may_come_on_standard_input(explain, model, repository, server, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("何をする?\n".encode())))
    model.says("<complete><summary>a</summary></complete>")
    assert explain.ask("-", repository).code == 0
    assert "何をする?" in server.asked()[0].prompt


def test_the_system_prompt_names_only_ways_that_the_tools_offer(explain, model, repository, server):
    model.says("<complete><summary>a</summary></complete>", "<complete><summary>a</summary></complete>")
    explain.ask("why?", repository, '--set=tools=["list_file","read_file","complete"]')
    explain.ask("why?", repository)
    few, all_of_them = (str(asked.body["messages"][0]["content"]) for asked in server.asked())
    assert "search" not in few
    assert "outline" not in few
    assert "find what matters by searching and by outlines" in all_of_them


def test_in_japanese_the_tools_and_the_map_are_japanese_too(explain, model, repository, server):
    model.says("<complete><summary>a</summary></complete>")
    explain.ask("why?", repository, "--language=ja", "--deep")
    system, question = (str(each["content"]) for each in server.asked()[0].body["messages"][:2])
    assert "フォルダー内のファイルを大きさとともに一覧します" in system
    assert "表示する最初の行" in system
    assert not re.search(r"Lists the files|Whether to|The first line", system)
    assert "# コードベースの地図" in question
    assert "Languages and endings" not in question


@pytest.mark.parametrize("place", ["", "app/main.py/x.md", "x" * 300 + "/y.md"])
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_asked(explain, repository, server, place):
    done = explain.ask("why?", repository, "--output", repository / place)
    assert done.code == 2
    assert "--output" in done.err
    assert not server.seen


def test_an_answer_that_cannot_be_written_after_all_is_kept(explain, server, repository, tmp_path, shelf):
    def late(_):
        (tmp_path / "new").write_text("in the way")
        return answer("<complete><summary>precious</summary></complete>")

    server.script(late)
    done = explain.ask("why?", repository, "--output", tmp_path / "new" / "answer.md")
    (name,) = shelf.list_ids()
    assert done.code == 2
    assert done.err.endswith(f"; the answer is kept, see: evo explain --continue {name}\n")
    assert explain("--continue", name).out == "precious\n"


@pytest.mark.parametrize("kind", ["file", "dangling link"])
def test_a_file_that_is_made_while_the_answer_is_asked_for_stays(explain, server, repository, tmp_path, shelf, kind):
    output = tmp_path / "answer.md"

    def late(_):
        if kind == "file":
            output.write_text("precious")
        else:
            output.symlink_to(tmp_path / "elsewhere")
        return answer("<complete><summary>new</summary></complete>")

    server.script(late)
    done = explain.ask("why?", repository, "--output", output)
    (name,) = shelf.list_ids()
    assert done.code == 2
    assert done.err.endswith(f"meanwhile; the answer is kept, see: evo explain --continue {name}\n")
    assert {each.name for each in tmp_path.glob("*answer*")} == {"answer.md"}
    assert output.is_symlink() or output.read_text() == "precious"
    refused = explain.ask("why?", repository, "--output", output)
    assert "is there already" in refused.err
    assert explain("--continue", name, "--output", output, "--overwrite").code == 0
    assert output.read_text() == "new\n"


def test_what_a_model_says_cannot_steer_a_terminal(explain, model, repository):
    model.says(f"\x1b]0;owned\x07{model.LIST}", "<read_file><path>a\x1b[2Jb</path></read_file>")
    model.completes("\x1b[31mred\x1b[0m and \u202etxt.exe [bold]not bold[/bold]")
    done = explain.ask("what?", repository)
    assert "\x1b" not in done.out + done.err
    assert "\u202e" not in done.out
    assert "[bold]not bold[/bold]" in done.out


def test_no_answer_within_the_steps_says_what_is_known(explain, model, repository):
    model.says(model.LIST, f"It starts in main.\n\n{model.READ}")
    done = explain.ask("what?", repository, "--steps=2", "--json")
    assert done.code == 4
    assert done.data["outcome"] == "steps"
    assert done.data["reason"] == "the model did not come to an end within 2 steps"
    assert done.data["text"] == (
        "What the model said on the way:\n\nI look around.\n\nIt starts in main.\n\n"
        "What it looked at:\n\n- list_file .\n- read_file app/main.py"
    )


def test_three_messages_without_a_call_end_the_question_with_the_reason(explain, model, repository, server):
    model.says("hello", "<read_file><path>README.md</path>", "hello")
    done = explain.ask("what?", repository, "--json")
    assert done.code == 4
    assert (done.data["outcome"], done.data["steps"], done.data["malformed"]) == ("malformed", 3, 3)
    assert done.data["reason"].startswith("3 messages in a row held no call that can be read; the last time: ")
    assert len(server.seen) == 3


def test_a_limit_of_tokens_ends_the_question_before_it_is_passed(explain, model, repository, server):
    server.usual = answer(model.LIST, usage=(9000, 1000))
    done = explain.ask("what?", repository, "--json", "--set=budget.tokens=40000")
    assert done.code == 4
    assert done.data["outcome"] == "budget"
    assert "tokens" in done.data["reason"]
    assert 0 < done.data["tokens"] == 10_000 * len(server.seen) < 40_000
    model.completes("with more tokens")
    assert explain("--continue", "latest", "--set=budget.tokens=200000").out == "with more tokens\n"


@pytest.mark.parametrize("fault", [cut(-1), status(500), status(401, "who are you?")])
def test_a_model_that_cannot_be_reached_is_told_and_the_conversation_goes_on_later(
    explain, model, repository, server, fault, shelf
):
    model.says(model.LIST)
    server.script(fault)
    done = explain.ask("what?", repository)
    assert done.code == 4
    assert done.out.startswith("What the model said on the way:")
    assert "Not complete: llm driver 'openai' gives no answer: " in done.err
    (name,) = shelf.list_ids()
    assert f"go on with: evo explain --continue {name}" in done.err
    model.completes("there it is")
    asked = len(server.seen)
    assert explain("--continue", name).out == "there it is\n"
    assert len(server.seen) == asked + 1


def test_a_request_that_is_refused_is_told(explain, model, repository, server):
    model.says(model.LIST)
    server.script(status(400, "the prompt is too long"))
    done = explain.ask("what?", repository, "--json")
    assert (done.code, done.data["outcome"]) == (4, "failed")
    assert "the prompt is too long" in done.data["reason"]


def test_without_a_model_nothing_begins(explain, repository, shelf):
    done = explain("what?", repository)
    assert done.code == 2
    assert done.err.startswith("Error: llm.driver: an agent needs a model")
    assert not shelf.list_ids()


def test_a_driver_that_cannot_work_is_told_and_the_question_is_kept(
    explain, model, repository, shelf, monkeypatch, server
):
    monkeypatch.delenv("OPENAI_API_KEY")
    done = explain("what?", repository, "--llm=openai:some-model")
    (name,) = shelf.list_ids()
    assert done.code == 4
    assert "OPENAI_API_KEY" in done.err
    assert done.err.endswith(f"; mend that, then: evo explain --continue {name}\n")
    again = explain("--continue", name)
    assert (again.code, again.err.count("evo explain")) == (4, 0)


def test_secrets_are_refused_unless_they_are_allowed(explain, model, repository, server):
    read = "<read_file><path>.env</path></read_file>"
    for options in ((), ("--allow", ".env")):
        model.says(read)
        model.completes("done")
        assert explain.ask("what?", repository, *options).code == 0
    told = [seen.prompt for seen in server.seen]
    assert ["hunter2hunter2" in prompt for prompt in told] == [False, False, False, True]


def test_a_pipeline_of_the_users_own_is_taken(explain, model, repository, tmp_path, server):
    pipeline = tmp_path / "mine.yaml"
    plugin = {"name": "code_explainer", "with": {"root": str(repository), "asking": {"language": "ja", "steps": 7}}}
    llm = {"driver": "openai", "base_url": server.base_url, "model": "some-model"}
    pipeline.write_text(json.dumps({"plugins": [plugin], "tools": ["read_file", "complete"], "llm": llm}))
    model.completes("done")
    done = explain("what?", "--config", pipeline)
    assert done.code == 0, done.err
    assert "1/7" in done.err
    system = server.seen[0].body["messages"][0]["content"]
    assert "日本語で" in system
    assert "## read_file" in system
    assert "## list_file" not in system


def test_tools_that_cannot_end_a_task_are_refused(explain, repository, server):
    done = explain.ask("what?", repository, "--set", "tools=[read_file]")
    assert done.code == 2
    assert done.err == "Error: tools: evo explain needs 'complete' among them: the model ends its task with it\n"
    assert not server.seen


def test_a_pipeline_without_the_plugin_is_refused(explain, tmp_path):
    pipeline = tmp_path / "mine.yaml"
    pipeline.write_text("plugins: [islands]")
    done = explain("what?", "--config", pipeline)
    assert done.code == 2
    assert "code_explainer" in done.err


def test_the_answer_of_a_slow_server_is_awaited(explain, server, repository):
    server.script(answer("<complete><summary>late</summary></complete>", delay=0.3))
    assert explain.ask("what?", repository).out == "late\n"
