"""Conversations go on, and are listed, shown and deleted."""

import json
import re

import pytest

from evograft.session.standalone import find_conversation
from evograft_code_explainer.commands import conversation_choice


@pytest.fixture
def conversation(explain, model, repository, shelf):
    """One that is complete; its id."""
    model.says(model.LIST)
    model.completes("It exits at `app/main.py:5`.")
    assert explain.ask("what does it do?", repository).code == 0
    (name,) = shelf.list_ids()
    return name


def test_a_further_question_comes_with_what_was_said_before(explain, model, conversation, server):
    model.completes("Because.")
    done = explain("--continue", "latest", "and why?")
    assert (done.code, done.out) == (0, "Because.\n")
    roles = [message["role"] for message in server.seen[-1].body["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    assert server.seen[-1].prompt.endswith("and why?")
    assert "It exits at" in server.seen[-1].body["messages"][-2]["content"]


def test_tokens_are_those_of_the_whole_conversation(explain, model, conversation):
    model.completes("Because.")
    assert explain("--continue", conversation, "and why?", "--json").data["tokens"] == 3 * 18


def test_a_complete_conversation_shows_its_answer_again_and_asks_nothing(explain, conversation, server):
    asked = len(server.seen)
    done = explain("--continue", conversation)
    assert (done.code, done.out) == (0, "It exits at `app/main.py:5`.\n")
    assert len(server.seen) == asked


def test_what_another_process_did_since_a_conversation_was_read_is_not_lost(
    explain, conversation, server, shelf, monkeypatch
):
    whole = shelf.find(conversation)

    def find_later(*arguments, **options):
        shelf.save(whole.with_question("first!", at=whole.messages[0].timestamp))
        return find_conversation(*arguments, **options)

    monkeypatch.setattr(conversation_choice, "find_conversation", find_later)
    asked = len(server.seen)
    done = explain("--continue", conversation, "why?")
    assert (done.code, len(server.seen)) == (2, asked)
    assert "went on meanwhile" in done.err
    assert shelf.find(conversation).messages[-1].content == "first!"


def test_more_steps_go_on_where_the_last_ones_ended(explain, model, repository, server, shelf):
    model.says(model.LIST)
    assert explain.ask("what?", repository, "--steps=1").code == 4
    model.completes("done")
    done = explain("--continue", "latest", "--steps=2")
    assert (done.code, done.out) == (0, "done\n")
    assert len(server.seen) == 2


def test_an_answer_that_is_logged_but_not_saved_is_not_asked_for_again(explain, model, conversation, server, shelf):
    whole = shelf.find(conversation)
    shelf.save(whole.model_copy(update={"messages": whole.messages[:1]}))
    asked = len(server.seen)
    assert explain("--continue", conversation).out == "It exits at `app/main.py:5`.\n"
    assert len(server.seen) == asked
    again = shelf.find(conversation)
    assert [(each.content, each.tool_calls) for each in again.messages] == [
        (each.content, each.tool_calls) for each in whole.messages
    ]


def test_another_model_can_take_over(explain, model, conversation, server):
    model.completes("Because.")
    assert explain("--continue", conversation, "and why?", "--llm=openai:another-model").code == 0
    assert server.seen[-1].body["model"] == "another-model"


@pytest.mark.parametrize(
    "setting",
    [
        "plugins.code_explainer.with.asking.steps=0",
        "plugins.code_explainer.with.root=nowhere",
        "llm.driver=none",
        "budget.tokens=x",
        "tools=[read_file]",
    ],
)
def test_settings_that_are_refused_leave_the_conversation_as_it_was(explain, model, conversation, setting):
    assert explain("--continue", conversation, "why?", "--set", setting).code == 2
    assert explain("--continue", conversation).code == 0
    model.completes("Because.")
    assert explain("--continue", conversation, "why?").out == "Because.\n"


def test_a_conversation_that_is_not_there_is_refused(explain):
    done = explain("--continue", "nothing")
    assert done.code == 2
    assert done.err.startswith("Error: no conversation 'nothing'")


def test_a_repository_that_is_gone_is_told(explain, conversation, repository, server):
    repository.rename(repository.with_name("elsewhere"))
    done = explain("--continue", conversation, "why?")
    assert done.code in (2, 3, 4)
    assert str(repository) in done.err


def test_a_repository_that_has_moved_is_found_where_the_user_says(
    explain, model, conversation, repository, monkeypatch
):
    moved = repository.rename(repository.with_name("elsewhere"))
    monkeypatch.chdir(moved.parent)
    model.completes("See `app/main.py:5`.")
    moving = ("--set", "plugins.code_explainer.with.root=elsewhere")
    assert explain("--continue", conversation, "why?", *moving).out == "See `app/main.py:5`.\n"
    monkeypatch.chdir("/")
    model.completes("See `app/main.py:5`.")
    assert explain("--continue", conversation, "really?").code == 0


def test_conversations_are_listed_newest_first_with_their_question(explain, model, conversation, repository, shelf):
    model.completes("done")
    explain.ask("another\nquestion", repository)
    newest, oldest = shelf.list_ids()
    head, *rows = explain("--list").out.splitlines()
    assert head.split("  ")[0].strip() == "conversation"
    assert [row.split()[0] for row in rows] == [newest, oldest]
    assert rows[0].endswith("another")
    assert rows[1].endswith("what does it do?")
    assert [re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d +(\d+) +(answered|open)", row).groups() for row in rows] == [
        ("2", "answered"),
        ("3", "answered"),
    ]
    listed = explain("--list", "--json").data
    assert [each["conversation_id"] for each in listed] == [newest, oldest]
    assert listed[1]["question"] == "what does it do?"
    assert listed[1]["messages"] == 3


def test_a_damaged_conversation_hides_no_other(explain, model, conversation, repository, shelf):
    model.completes("done")
    explain.ask("another", repository)
    newest = shelf.list_ids()[0]
    (shelf.folder / newest / "conversation.json").write_text("{")
    done = explain("--list")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()[1:]] == [conversation]
    assert newest in done.err


def test_an_empty_list_says_so(explain):
    assert explain("--list").out == "no conversations yet\n"
    assert explain("--list", "--language=ja").out == "会話はまだありません\n"
    assert explain("--list", "--json").data == []


def test_a_conversation_is_shown_with_its_calls(explain, conversation):
    lines = explain("--show", conversation).out.splitlines()
    assert "what does it do?" in lines
    assert "  result (3 lines)  list_file ." in lines
    assert len([line for line in lines if "It exits at" in line]) == 1
    assert any(line.startswith("  │ README.md") for line in lines)


def test_json_shows_the_conversation_as_its_file_has_it(explain, conversation, shelf):
    file = shelf.folder / conversation / "conversation.json"
    assert explain("--show", conversation, "--json").data == json.loads(file.read_text(encoding="utf-8"))


def test_a_deleted_conversation_is_gone(explain, conversation, shelf):
    assert explain("--delete", conversation).out == f"deleted {conversation}\n"
    assert not list(shelf.folder.iterdir())
    assert explain("--show", conversation).code == 2


@pytest.mark.parametrize("option", ["--show", "--delete", "--continue"])
def test_an_empty_id_names_no_conversation(explain, option):
    done = explain(option, "")
    assert (done.code, done.out) == (2, "")
    assert "no conversation ''" in done.err


def test_keys_are_in_no_file_of_a_conversation(explain, model, repository, shelf, monkeypatch):
    key = "sk-test-0123456789abcdef"
    (repository / "notes.md").write_text(f"the key is {key}\n")
    model.says("<read_file><path>notes.md</path></read_file>")
    model.completes(f"It is {key}.")
    assert explain.ask(f"what is {key}?", repository).code == 0
    model.completes("done")
    assert explain("--continue", "latest", f"is it {key}?").code == 0
    (name,) = shelf.list_ids()
    files = [file for file in (shelf.folder / name).iterdir() if file.is_file()]
    assert len(files) >= 4
    assert not [file for file in files if key.encode() in file.read_bytes()]
