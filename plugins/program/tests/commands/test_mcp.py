"""`evo mcp` as a process, asked by the SDK's own client; and `evo skill`, whose commands exist."""

import json
import os
import re
import sys

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

TOOLS = {"start", "check", "status", "best", "trial", "tell", "stop"}


@pytest.fixture
def converse(runs):
    """Return a function that has a conversation with a server in the test's folder."""

    def run(talk):
        async def open_and_talk():
            server = StdioServerParameters(
                command=sys.executable, args=["-m", "evograft", "mcp"], cwd=runs.folder, env=dict(os.environ)
            )
            async with Client(stdio_client(server)) as client:
                return await talk(client)

        return anyio.run(open_and_talk)

    return run


async def has_trials(call):
    return (await call("status"))["trials"]


def text_of(result):
    (content,) = result.content
    return content.text


def test_the_server_lists_its_tools_with_what_they_take(converse):
    async def talk(client):
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in converse(talk)}
    assert set(tools) == TOOLS
    assert all(tool.description for tool in tools.values())
    assert tools["tell"].input_schema["required"] == ["text"]


@pytest.mark.long
def test_a_run_is_checked_started_watched_told_and_stopped(converse, runs, task):
    files = {"program": str(task / "program.py"), "evaluator": str(task / "evaluate.py")}

    async def talk(client):
        async def call(name, **arguments):
            result = await client.call_tool(name, arguments)
            assert not result.is_error, text_of(result)
            return json.loads(text_of(result))

        assert (await call("check", **files, options=["--trials", "5"]))["start"]["repeatable"]
        started = await call("start", **files, options=["--trials", "100000", "--name", "served", "-j", "1"])
        while not await has_trials(call):
            pass
        assert (await call("tell", text="--prefer integers"))["reception"] in ("queued", "busy")
        assert (await call("stop"))["stopped"]
        assert (await call("trial", number=0))["number"] == 0
        return started, await call("best"), await call("status", run="served-1")

    started, best, status = converse(talk)
    assert started["run"].endswith("served-1")
    assert best["evaluation"]["score"] >= -32.5
    assert status["run"] == "served-1"


def test_the_latest_run_is_one_of_the_servers_folder_for_every_tool(converse, runs, tmp_path, monkeypatch):
    folder = runs.run("far-away", trials=2)
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.setattr(runs, "folder", here)
    assert json.loads(runs.evo("status", "latest", "--json").stdout)["folder"] == str(folder)  # the index knows it
    more = {"trial": {"number": 0}, "tell": {"text": "prefer integers"}}

    async def talk(client):
        names = ("status", "best", "trial", "tell", "stop")
        latest = [await client.call_tool(name, more.get(name, {})) for name in names]
        return latest, [await client.call_tool(name, {**more.get(name, {}), "run": folder.name}) for name in names]

    latest, named = converse(talk)
    assert all(result.is_error and "exit code 2: no runs in ./runs: " in text_of(result) for result in latest)
    assert not any(result.is_error for result in named)


def test_what_goes_wrong_is_an_error_that_says_what_to_do(converse):
    async def talk(client):
        return await client.call_tool("status", {"run": "no-such-run"}), await client.call_tool(
            "start", {"program": "no.py", "evaluator": "--yes"}
        )

    for result in converse(talk):
        assert result.is_error
        assert "exit code 2" in text_of(result)


def test_the_skill_is_a_file_with_a_name_and_a_description(runs):
    text = runs.evo("skill").stdout
    assert re.match(r"---\nname: evograft\ndescription: .{50,1000}\n---\n\n# evograft\n", text)
    data = json.loads(runs.evo("skill", "--json").stdout)
    assert (data["name"], data["text"]) == ("evograft", text)


def test_the_line_of_the_skill_that_starts_a_run_with_a_model_does(runs, task, monkeypatch):
    programs = runs.folder / "bin"
    programs.mkdir()
    (programs / "claude").write_text("#!/bin/sh\nexit 1\n")
    (programs / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    (line,) = re.findall(r"^ {7}evo (.*command:claude.*)$", runs.evo("skill").stdout, re.MULTILINE)
    paths = {"program.py": str(task / "program.py"), "evaluate.py": str(task / "evaluate.py"), "50": "1"}
    words = [paths.get(word, word) for word in line.split() if word != "--background"]
    done = runs.evo(*words)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["trials"] == 1


def test_every_command_of_the_skill_exists_with_its_options(runs):
    lines = re.findall(r"(?:^ {7}|`)(evo .*?)(?:`|$)", runs.evo("skill").stdout, re.MULTILINE)
    lines = [line for line in lines if "'make bench'" not in line and line != "evo evolve --check"]  # options alone
    assert {line.split()[1] for line in lines} == {"evolve", "status", "show", "tell", "stop", "resume", "apply"}
    for line in lines:
        assert line.endswith("--json"), line
        shown = runs.evo(line.split()[1], "--help").stdout
        assert all(option in shown for option in re.findall(r"--[a-z-]+", line)), line
