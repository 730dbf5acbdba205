"""Messages as models write them: what each asks for."""

from pathlib import Path

import pytest
import yaml

from evograft_agent.calls.tool_calls import ParsedCall
from evograft_agent.xml import XmlCalls
from evograft_hookspecs import LlmAnswer, Tool

MESSAGES = Path(__file__).parent / "messages"
TOOLS = [Tool(**each) for each in yaml.safe_load((MESSAGES / "tools.yaml").read_text("utf-8"))]


def labelled():
    for path in (MESSAGES / "first.yaml", MESSAGES / "second.yaml"):
        for message in yaml.safe_load(path.read_text("utf-8")) if path.exists() else ():
            yield pytest.param(message, id=f"{path.stem}: {message['name']}")


def outcome(asked):
    if isinstance(asked, ParsedCall):
        return {"tool": asked.tool, "arguments": dict(asked.arguments)}
    return {"unclear": asked.tool}


THREADS = yaml.safe_load((MESSAGES / "threads.yaml").read_text("utf-8"))
THREADS_TOOLS = [Tool(**each) for each in yaml.safe_load((MESSAGES / "threads_tools.yaml").read_text("utf-8"))]
OTHERWISE = {
    "a command with an escaped character": "values are what is written, as the prompt says: nothing in them is escaped",
    "36: no call": "reasoning that is never closed is told as an error; either way nothing is carried out",
}
"""Messages whose label the reader differs from, and why."""


def with_plain_edges(outcome):
    """Blanks and line breaks at the ends of a value mean nothing to those who labelled."""
    arguments = {
        name: value.strip() if isinstance(value, str) else value for name, value in outcome.get("arguments", {}).items()
    }
    return {**outcome, "arguments": arguments} if "tool" in outcome else outcome


def is_read_as_labelled(message):
    answer = LlmAnswer(text=message["text"], model="m")
    got = [with_plain_edges(outcome(asked)) for asked in XmlCalls().read(answer, THREADS_TOOLS)]
    if "asks" not in message:
        return not any("tool" in each for each in got)
    return got == [with_plain_edges(each) for each in message["asks"]]


def test_messages_from_public_threads_are_read_as_labelled_but_for_those_that_are_listed():
    assert len(THREADS) >= 60
    assert {message["name"] for message in THREADS if not is_read_as_labelled(message)} == set(OTHERWISE)


def test_the_page_says_how_many_messages_from_threads_are_read_as_labelled():
    page = (Path(__file__).parents[4] / "docs" / "agent-calls.md").read_text("utf-8")
    calls = [each for each in THREADS if each.get("asks") and all("tool" in asked for asked in each["asks"])]
    counts = [f"{sum(map(is_read_as_labelled, group))} of {len(group)}" for group in (THREADS, calls)]
    assert f"| today | {' | '.join(counts)} |" in page


@pytest.mark.parametrize("message", list(labelled()))
def test_a_message_asks_for_what_its_label_says(message):
    answer = LlmAnswer(text=message["text"], model="m", finish=message.get("finish", "stop"))
    assert [outcome(asked) for asked in XmlCalls().read(answer, TOOLS)] == message["asks"]
