"""An agent in a session: it compiles, runs cases, looks at them, reads a block, evaluates, and is repeated from the log."""

import re

import pytest
from fault_server import FaultServer, answer

NO_EDITS = "{ahc.tune: 0, ahc.nudge: 0, ahc.scatter: 0, ahc.splice: 0, ahc.pace: 0}"
FEWER_STEPS = """<patch>
<edits>
<<<<<<< SEARCH
{line}
=======
{new}
>>>>>>> REPLACE
</edits>
</patch>"""
RUN = '<run_cases>\n<cases>["0001", "0000"]</cases>\n</run_cases>'


def show(part, case="0000"):
    return f"<show_case>\n<case>{case}</case>\n<part>{part}</part>\n</show_case>"


@pytest.fixture
def server(practice, monkeypatch):
    """Its agent changes one number of the start program, badly first, and tries what it is given."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    for name in ("OPENAI_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    line = next(line for line in practice.start_program.read_text().splitlines() if "STEPS = " in line)
    steps = [
        FEWER_STEPS.format(line=line, new="constexpr int STEPS = many;"),
        "<compile>\n</compile>",
        FEWER_STEPS.format(line="constexpr int STEPS = many;", new="constexpr int STEPS = 1000;"),
        "<compile>\n</compile>",
        RUN,
        show("input"),
        show("output"),
        show("input", "0003"),
        "<read_block>\n<name>xorshift</name>\n</read_block>",
        "<evaluate>\n</evaluate>",
        "<hand_in>\n<idea>A thousand steps are enough.</idea>\n</hand_in>",
    ]

    def reply(seen):
        if "## hand_in" not in seen.body["messages"][0]["content"]:
            return answer("No.")
        return answer(steps[sum(message["role"] == "assistant" for message in seen.body["messages"])])

    with FaultServer() as server:
        server.usual = reply
        yield server


@pytest.fixture
def solved(practice, evo, server):
    settings = {
        "llm.driver": "openai",
        "llm.base_url": server.base_url,
        "llm.models": "[gpt-4o]",
        "plugins.ahc.with.training_cases": 3,
        "plugins.ahc.with.held_out_cases": 1,
        "operators": NO_EDITS,
        "window": 1,
        "budget.trials": 2,
    }
    evo("ahc", "config", "evolution.agent", "1.0")
    assignments = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    evo("ahc", "solve", "--session-name", "worked", "--foreground", *assignments)
    return practice.folder / "worked"


def test_an_agent_works_with_the_contests_tools_and_is_repeated_without_a_model(solved, server, practice, evo, runs):
    asked = [seen.body["messages"] for seen in server.seen if "## hand_in" in seen.body["messages"][0]["content"]]
    told = [messages[-1]["content"] for messages in asked]
    system = asked[0][0]["content"]
    assert all(f"## {name}" in system for name in ("compile", "run_cases", "show_case", "read_block"))
    assert "work as a contestant does" in told[0]
    assert "it does not compile:" in told[2]
    assert "it compiles" in told[4]
    assert re.search(r"^0001: \d+ \(\d+, [+-][\d.]+%\)  0\.\d\d s$", told[5], re.MULTILINE)
    assert "mean of 2 solved cases" in told[5]
    assert "lines 1 to" in told[6]
    assert "lines 1 to" in told[7]
    assert "'0003' is not a training case: they are 0000 to 0002" in told[8]
    assert "namespace xorshift" in told[9]
    assert "ok, score" in told[10]
    done = runs.trials(solved)
    assert (done[1]["candidate"]["operator"], done[1]["proposal"]["id"]) == ("operators.agent", "ahc.agent")
    assert (done[1]["evaluations_before"], done[1]["candidate"]["idea"]) == (1, "A thousand steps are enough.")

    server.close()
    evo("run", "--run-dir", practice.folder / "again", "--llm", f"replay:{solved}")
    assert runs.trials(practice.folder / "again") == done
