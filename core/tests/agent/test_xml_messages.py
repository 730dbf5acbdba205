"""Messages as models write them: what each asks for."""

from pathlib import Path

import pytest
import yaml

from evograft.agent.calls import Wanted
from evograft.agent.xml import XmlCalls
from evograft_hookspecs import LlmAnswer, Tool

MESSAGES = Path(__file__).parent / "messages"
TOOLS = [Tool(**each) for each in yaml.safe_load((MESSAGES / "tools.yaml").read_text("utf-8"))]


def labelled():
    for path in (MESSAGES / "first.yaml", MESSAGES / "second.yaml"):
        for message in yaml.safe_load(path.read_text("utf-8")) if path.exists() else ():
            yield pytest.param(message, id=f"{path.stem}: {message['name']}")


def outcome(asked):
    if isinstance(asked, Wanted):
        return {"tool": asked.tool, "arguments": dict(asked.arguments)}
    return {"unclear": asked.tool}


@pytest.mark.parametrize("message", list(labelled()))
def test_a_message_asks_for_what_its_label_says(message):
    answer = LlmAnswer(text=message["text"], model="m", finish=message.get("finish", "stop"))
    assert [outcome(asked) for asked in XmlCalls().read(answer, TOOLS)] == message["asks"]
