"""A conversation that an AI model answered, repeated from its log: prompts and tools on real answers, without a model."""

import json
import os
import shutil
from pathlib import Path

import pytest
from python_process import run_evo

from evograft.runs.reader import open_journal
from evograft_agent.conversations.conversation import Conversation

RECORDED = Path(__file__).parent / "recorded"


@pytest.fixture
def recorded(unpacked, tmp_path):
    unpacked(RECORDED / "conversation.tar.gz")
    # Bytecode or editors' files beside the sources would be listed.
    shutil.copytree(RECORDED / "repository", tmp_path / "repository", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "recorded"


@pytest.fixture
def conversation(recorded):
    return Conversation.model_validate_json((recorded / "conversation.json").read_bytes())


def explain(folder, *arguments):
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    return run_evo("explain", *arguments, "--language", "en", "--json", cwd=folder, env=environment)


def test_the_recorded_conversation_repeats_to_the_last_character(recorded, conversation, tmp_path):
    done = explain(tmp_path, conversation.messages[0].content, "repository", "--llm", f"replay:{recorded}")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["text"] == conversation.messages[-1].tool_calls[0].result
    assert (said["steps"], said["malformed"], said["wrong_citations"]) == (5, 0, 1)
    (again,) = (tmp_path / "state").rglob("conversation.json")
    repeated = Conversation.model_validate_json(again.read_bytes())
    assert [(each.content, each.tool_calls) for each in repeated.messages] == [
        (each.content, each.tool_calls) for each in conversation.messages
    ]


def test_the_model_called_tools_in_several_forms(conversation):
    called = [[use.tool for use in message.tool_calls] for message in conversation.messages[1:]]
    assert called == [["list_file"], ["read_file", "read_file"], ["search"], ["read_file"], ["complete"]]
    assert "```xml" in conversation.messages[2].content
    assert '<read_file path="parcel/__main__.py"/>' in conversation.messages[4].content


def test_the_secret_of_the_repository_never_reached_the_model(recorded):
    secret = (RECORDED / "repository" / ".env").read_text(encoding="utf-8").partition("=")[2].strip()
    with open_journal(recorded) as journal:
        requests = [journal.exchange(seq)[0] for seq, _ in journal.places("answer")]
    assert len(requests) == 5
    assert all(secret not in request.model_dump_json() for request in requests)
