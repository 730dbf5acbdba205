"""`evo explain` with a model of 135 million parameters: it hardly writes a call, and the question comes to its end.

Run by `make test-llm`, which sets up the model and its server.
"""

import json
import re
from collections import Counter

import pytest

from evograft_agent.conversations.conversation import Conversation
from evograft_agent.conversations.conversation_store import ConversationStore

pytestmark = [pytest.mark.llm, pytest.mark.slow]

STEPS = 6
SMALL = {"steps": STEPS, "max_tokens": 160, "room": 7000, "temperature": 0.2}
"""So that prompt and answer fit into the context of the model."""


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "repository"
    root.mkdir()
    (root / "main.py").write_text("def double(value):\n    return 2 * value\n\n\nprint(double(21))\n")
    (root / "README.md").write_text("# double\n\nPrints 42.\n")
    return root


@pytest.fixture
def ask(runs, server, repository):
    """`evo explain` with the server; what it said as JSON, and its exit code."""
    settings = [f"plugins.code_explainer.with.asking.{key}={value}" for key, value in SMALL.items()]
    settings += [f"llm.base_url={server.base_url}", "llm.timeout=600"]
    options = ["--llm=openai:smollm2", "--json", "--language=en", *(f"--set={each}" for each in settings)]

    def run(*question):
        done = runs.evo_apart("explain", *question, repository, *options, timeout=1800)
        return json.loads(done.stdout), done.returncode

    return run


@pytest.mark.parametrize("question", ["What does main.py print?", None])
def test_a_question_ends_within_its_limits_and_its_conversation_is_whole(ask, server, outcomes, question):
    before = server.answered
    outcome, code = ask(*([question] if question else []))
    asked = server.answered - before
    assert asked == outcome["steps"] <= STEPS
    assert code == (0 if outcome["outcome"] == "complete" else 4)
    assert outcome["outcome"] in ("complete", "steps", "malformed")
    assert (outcome["reason"] == "") == (outcome["outcome"] == "complete")
    assert outcome["tokens"] > 0
    conversation = ConversationStore.for_user().find(outcome["conversation_id"])
    file = ConversationStore.for_user().get_folder(conversation) / "conversation.json"
    assert Conversation.model_validate_json(file.read_bytes()) == conversation
    assert [message.role for message in conversation.messages] == ["user", *["assistant"] * asked]
    uses = [use for message in conversation.answers for use in message.tool_calls]
    assert all(message.tool_calls for message in conversation.answers)
    assert outcome["malformed"] == sum(not use.tool for use in uses)
    name = question or "the whole repository"
    outcomes.tell(f"evo explain, {name}: {outcome['outcome']} after {asked} messages; calls", Counter(map(kind, uses)))


def kind(use):
    """What a call was, or what was wrong with it."""
    if not use.tool:
        return "format error: " + re.sub(r"\s+", " ", use.result)[:80]
    return f"{use.tool}, {'error' if use.error else 'carried out'}"
