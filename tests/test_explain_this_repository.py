"""`evo explain` on this very repository, with a scripted model that goes by what the tools tell it."""

import json
import re
from pathlib import Path

import pytest
from fault_server import FaultServer, answer
from python_process import run_evo

from evograft_agent.conversations.conversation_store import ConversationStore

ROOT = Path(__file__).parents[1]


class Reader:
    """Looks for the kernel, then reads it: each message follows from the newest result."""

    def __init__(self):
        self.told = []

    def __call__(self, seen):
        self.told.append(seen.prompt)
        return answer(getattr(self, f"step_{len(self.told)}")(seen.prompt))

    def step_1(self, _):
        return "First the overview.\n\n<list_file>\n<path>.</path>\n</list_file>"

    def step_2(self, listing):
        assert "core/" in listing
        assert ".git/" not in listing
        return "<search>\n<pattern>^class Kernel</pattern>\n<path>core/src</path>\n</search>"

    def step_3(self, found):
        self.path, self.line = re.search(r"^(\S+):(\d+): ?class Kernel", found, re.MULTILINE).groups()
        return f"```xml\n<outline>\n<path>{self.path}</path>\n</outline>\n```"

    def step_4(self, outline):
        assert "run" in outline
        last = int(self.line) + 5
        return f'{{"tool": "read_file", "parameters": {{"path": "{self.path}", "start_line": {self.line}, "end_line": {last}}}}}'

    def step_5(self, lines):
        assert "class Kernel" in lines
        return (
            "<complete>\n<summary>The kernel is `class Kernel` at "
            f"`{self.path}:{self.line}`; `a < b && c` stays, and README.md:1 has the name.</summary>\n</complete>"
        )


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with FaultServer() as server:
        yield server


def explain(server, *arguments):
    model = ("--llm=openai:some-model", f"--set=llm.base_url={server.base_url}", "--language=en")
    return run_evo("explain", *arguments, ROOT, *model)


def test_the_repository_is_explained_from_the_first_listing_to_the_checked_answer(server):
    server.usual = reader = Reader()
    done = explain(server, "where is the kernel?", "--json")
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert (outcome["outcome"], outcome["steps"], outcome["malformed"]) == ("complete", 5, 0)
    assert outcome["text"].startswith(
        f"The kernel is `class Kernel` at `{reader.path}:{reader.line}`; `a < b && c` stays"
    )
    assert [each["path"] for each in outcome["citations"]] == [reader.path, "README.md"]
    assert outcome["wrong_citations"] == 0
    conversation = ConversationStore.for_user().find(outcome["conversation_id"])
    assert [use.tool for message in conversation.answers for use in message.tool_calls] == [
        "list_file",
        "search",
        "outline",
        "read_file",
        "complete",
    ]
    assert not any(use.error for message in conversation.answers for use in message.tool_calls)


def test_a_map_of_the_repository_goes_with_the_question_where_that_is_asked_for(server):
    server.script(answer("<complete>\n<summary>See `core/pyproject.toml:1`.</summary>\n</complete>"))
    done = explain(server, "where does it start?", "--deep")
    assert (done.returncode, done.stdout) == (0, "See `core/pyproject.toml:1`.\n")
    (asked,) = server.seen
    assert asked.prompt.startswith("where does it start?")
    assert "core/pyproject.toml: evo = evograft.__main__:main" in asked.prompt
    assert "core/src/evograft/errors.py" in asked.prompt
    assert len(asked.prompt) < 13_000
