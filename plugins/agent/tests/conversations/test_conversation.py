"""The file of a conversation, and the folder of all of them."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from evograft.errors import UserError
from evograft_agent.conversations.conversation import ConversationMessage, ToolUse
from evograft_agent.conversations.conversation_store import ConversationStore

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
READ = ToolUse(tool="read_file", parameters={"path": "a.py"}, result="1: x = 1")
LOST = ToolUse(tool="read_file", parameters={"path": "b.py"}, result="no such file", error=True)
UNREADABLE = ToolUse(tool="", result="the call is not closed", error=True)


def said(*uses, content="text"):
    return ConversationMessage(role="assistant", content=content, timestamp=NOON, tool_calls=uses)


@pytest.fixture
def shelf(tmp_path):
    return ConversationStore(tmp_path / "conversations")


@pytest.fixture
def conversation(shelf):
    return shelf.create("how?", at=NOON).with_message(said(READ, LOST))


def test_the_file_has_the_specified_form(shelf, conversation):
    shelf.save(conversation)
    file = shelf.get_folder(conversation) / "conversation.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    assert data == {
        "version": 1,
        "conversation_id": conversation.conversation_id,
        "messages": [
            {"role": "user", "content": "how?", "timestamp": "2026-01-02T12:00:00Z", "tool_calls": []},
            {
                "role": "assistant",
                "content": "text",
                "timestamp": "2026-01-02T12:00:00Z",
                "tool_calls": [
                    {"tool": "read_file", "parameters": {"path": "a.py"}, "result": "1: x = 1"},
                    {"tool": "read_file", "parameters": {"path": "b.py"}, "result": "no such file", "error": True},
                ],
            },
        ],
    }


def test_a_conversation_is_read_back_as_it_was_saved(shelf, conversation):
    shelf.save(conversation)
    assert shelf.find(conversation.conversation_id) == conversation
    assert shelf.find("latest") == conversation


def test_a_call_that_did_not_fit_is_kept_with_its_tool_and_what_it_was_given(shelf, conversation):
    misfit = ToolUse(tool="read_file", parameters={"line": "one"}, result="no", error=True, malformed=True)
    shelf.save(conversation.with_message(said(misfit)))
    file = shelf.get_folder(conversation) / "conversation.json"
    (kept,) = json.loads(file.read_text(encoding="utf-8"))["messages"][-1]["tool_calls"]
    assert kept == {
        "tool": "read_file",
        "parameters": {"line": "one"},
        "result": "no",
        "error": True,
        "malformed": True,
    }
    assert shelf.find("latest").malformed == 1


def test_times_without_a_zone_are_read_as_those_of_utc(shelf, conversation):
    shelf.save(conversation)
    file = shelf.get_folder(conversation) / "conversation.json"
    file.write_text(file.read_text(encoding="utf-8").replace("12:00:00Z", "12:00:00"), encoding="utf-8")
    assert shelf.find("latest") == conversation


def test_conversations_are_listed_newest_first(shelf):
    begun = [shelf.create("?", at=NOON + timedelta(minutes=minute)) for minute in (2, 0, 1)]
    for each in begun:
        shelf.save(each)
    assert shelf.list_ids() == [begun[0].conversation_id, begun[2].conversation_id, begun[1].conversation_id]


@pytest.mark.parametrize("word", ["../conversations", "/etc", "", ".", "nothing"])
def test_a_word_that_is_no_id_finds_nothing(shelf, conversation, word):
    shelf.save(conversation)
    with pytest.raises(UserError, match="no conversation"):
        shelf.find(word)


def test_there_is_no_latest_before_the_first(shelf):
    with pytest.raises(UserError, match="there is none"):
        shelf.find("latest")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"version": 2, "conversation_id": "a"}', b"\xff"])
def test_a_damaged_file_is_an_error_that_names_it(shelf, conversation, content):
    shelf.save(conversation)
    file = shelf.get_folder(conversation) / "conversation.json"
    file.write_bytes(content)
    with pytest.raises(UserError, match=r"conversation\.json is not what was written") as caught:
        shelf.find(conversation.conversation_id)
    assert "\n" not in str(caught.value)


def test_a_deleted_conversation_leaves_nothing(shelf, conversation):
    shelf.save(conversation)
    assert shelf.delete("latest") == conversation.conversation_id
    assert not list(shelf.folder.iterdir())


HOLDER = """
import sys
from pathlib import Path
from evograft.runs.writer_lock import WriterLock
with WriterLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_conversation_that_goes_on_is_not_deleted(shelf, conversation):
    shelf.save(conversation)
    command = [sys.executable, "-c", HOLDER, shelf.get_folder(conversation)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(UserError, match=f"being written by process {other.pid}"):
            shelf.delete("latest")
        other.stdin.close()
    assert shelf.find("latest") == conversation


def test_answers_are_those_since_the_last_question(conversation):
    asked_again = conversation.with_question("and why?", at=NOON)
    assert len(conversation.answers) == 1
    assert asked_again.answers == ()
    assert asked_again.with_message(said(READ)).answers == (said(READ),)


def test_malformed_answers_count_in_a_row_only(conversation):
    assert conversation.with_message(said(UNREADABLE)).with_message(said(UNREADABLE)).malformed == 2
    assert conversation.with_message(said(UNREADABLE)).with_message(said(UNREADABLE, READ)).malformed == 0
    assert conversation.with_message(said(UNREADABLE)).with_message(said()).malformed == 0
    assert conversation.with_message(said(UNREADABLE)).with_question("?", at=NOON).malformed == 0


def test_a_failed_tool_is_no_malformed_answer(conversation):
    assert conversation.with_message(said(LOST)).malformed == 0
