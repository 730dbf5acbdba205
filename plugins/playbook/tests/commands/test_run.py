"""`evo playbook run`: the agent with a real search, a real store and a server that plays the model."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading

import pytest
from click.testing import CliRunner
from fault_server import FaultServer, answer, status
from python_process import PythonProcess

from evograft.cli import cli
from evograft.errors import PluginError, UserError
from evograft_playbook.commands.run import run
from evograft_playbook.generator import MAX_TOKENS
from evograft_playbook.store import PlaybookStore
from evograft_playbook.types import SearchQuery, Trajectory


@pytest.fixture
def server():
    with FaultServer() as server:
        yield server


@pytest.fixture
def evo(tmp_path, path, server, monkeypatch):
    """Answers from a playbook about rate limits; nothing stays of the conversation."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with PlaybookStore(path) as store, store.changing("test") as draft:
        draft.add("shr", "Wait between retries when an API answers 429: it limits rates.")
        draft.add("aup", "Sort the tree before it is printed.")
        draft.retire(draft.add("shr", "Never mind rate limits.").id)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    yield lambda *arguments: CliRunner().invoke(
        cli, ["playbook", "run", *arguments, "--playbook", str(path), *model(server)], standalone_mode=False
    )
    assert not list(temporary.iterdir())


def model(server):
    """Searches by words alone: the encoder takes a second to load."""
    settings = (f"llm.base_url={server.base_url}", "llm.retries=0", "plugins.playbook.with.search.dense_weight=0")
    return ("--llm=openai:some-model", *(f"--set={each}" for each in settings))


QUERY = "How are API rate limits handled?"


def test_an_answer_is_printed_and_what_was_done_for_it_said(evo, server):
    server.script(answer("Wait, then try again."))
    done = evo(QUERY, "--dataset", "appworld", "--top-k", "1", "--max-tokens", "77")
    assert done.return_value == 0, done.output
    assert done.stdout == "Wait, then try again.\n"
    assert done.stderr.splitlines() == [
        "loaded the playbook: 2 bullets",
        "searched the playbook: 1 bullet found",
        "built the prompt from the shipped appworld.txt with shr-00001",
        "some-model answered: 21 characters",
    ]
    (asked,) = server.asked()
    assert "an API answers 429" in asked.prompt
    assert "with the APIs of apps" in asked.prompt
    assert QUERY in asked.prompt
    assert asked.body["max_tokens"] == 77


def test_an_answer_steers_no_terminal_and_programs_read_it_as_it_was(evo, server):
    hostile = "\x1b[2J\x9b2J\u202e"
    server.script(answer(hostile), answer(hostile))
    shown, data = evo(QUERY).stdout, evo(QUERY, "--json").stdout
    assert not {*hostile} & {*shown, *data} - {*"[2J"}
    assert json.loads(data)["generated_answer"] == hostile


def test_programs_read_a_trajectory(evo, server):
    server.script(answer("Wait."))
    trajectory = Trajectory.model_validate_json(evo(QUERY, "--json").stdout)
    assert trajectory.status == "success"
    assert trajectory.generated_answer == "Wait."
    assert "shr-00001" in trajectory.used_bullet_ids
    assert "shr-00002" not in trajectory.used_bullet_ids


@pytest.mark.parametrize("how", [(), ("--json",)], ids=["people", "programs"])
def test_a_trajectory_is_kept_for_feedback_where_a_file_is_named(evo, server, path, tmp_path, how):
    server.script(answer("Wait."))
    assert evo(QUERY, "--output", "kept/answer.json", *how).return_value == 0
    command = ["playbook", "feedback", "kept/answer.json", "--helpful", "--playbook", str(path)]
    assert CliRunner().invoke(cli, command).stdout == "counted shr-00001\n"


def test_an_answer_that_cannot_be_kept_is_printed_all_the_same(evo, server, tmp_path):
    server.script(answer("Wait."))
    done = evo(QUERY, "--output", str(tmp_path))
    assert done.stdout == "Wait.\n"
    assert isinstance(done.exception, UserError)
    assert "cannot write" in str(done.exception)


def test_templates_of_ones_own_are_used(evo, server, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "default.txt").write_text("Mine. {query}")
    server.script(answer("Yes."))
    evo("Is it {query}?", "--prompts", "mine")
    assert "Mine. Is it {query}?" in server.asked()[0].prompt


def test_shipped_templates_speak_the_language_that_is_asked_for(evo, server):
    server.script(answer("はい。"))
    assert evo("どうですか。", "--language", "ja").stdout == "はい。\n"
    assert "## 知識" in server.asked()[0].prompt


@pytest.mark.parametrize("code", [400, 401, 503], ids=["refused", "no key", "down"])
def test_a_model_that_does_not_answer_is_a_failure_and_no_error(evo, server, code):
    server.script(status(code, "no \x1b[2J"))
    done = evo(QUERY, "--json")
    assert done.return_value == 4
    trajectory = json.loads(done.stdout)
    assert trajectory["status"] == "failure"
    assert trajectory["error_message"].startswith("asking the model: ")
    assert "\x1b" not in done.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--llm=opnai:x",), "did you mean 'openai'"),
        (("--set=llm={driver: none}",), "an agent needs a model"),
        (("--playbook=missing.sqlite",), "there is no playbook"),
        (("--set=plugins=[graph_invariant]", "--playbook=missing.sqlite"), "there is no playbook"),
        (("--set=llm.nothing=1",), "unknown key 'nothing'"),
        (("--set=plugins.playbook.with.path=x",), "path: is for runs"),
    ],
)
def test_a_mistake_is_told_before_anything_is_asked(evo, server, arguments, message):
    done = CliRunner().invoke(cli, ["playbook", "run", QUERY, *model(server), *arguments])
    assert isinstance(done.exception, UserError), done.output
    assert message in str(done.exception)
    assert server.asked() == []


def test_a_question_that_is_no_text_is_a_mistake(evo, server):
    assert str(evo("caf\udce9").exception).startswith("QUERY: text with a lone surrogate")
    assert server.asked() == []


def test_a_failure_is_said_to_people(evo, server):
    server.script(status(400, "too long"))
    done = evo(QUERY)
    assert (done.return_value, done.stdout) == (4, "")
    assert "No answer: asking the model: " in done.stderr.splitlines()[-1]


def test_the_defaults_of_the_command_are_those_of_the_agent():
    options = {option.name: option.default for option in run.params}
    assert options["max_tokens"] == MAX_TOKENS
    assert options["top_k"] == SearchQuery(query_text="a").top_k


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_a_question_that_is_interrupted_leaves_nothing(tmp_path, server, number):
    asked = threading.Event()
    server.script(lambda _: asked.set() or answer("too late", delay=600))
    command = ("-m", "evograft", "playbook", "run", QUERY, *model(server))
    environment = {**os.environ, "TMPDIR": str(tmp_path), "OPENAI_API_KEY": "sk-0123456789abcdef"}
    process = PythonProcess(*command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while not asked.wait(0.2):
            assert process.poll() is None, process.stderr.read()
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())


OWN_AGENT = """
from evograft_playbook.types import Trajectory

class MyAgent:
    def __init__(self, store, search, model, prompts, *, top_k, max_tokens, language):
        self.store = store

    def run(self, query, dataset):
        found = [bullet.id for bullet in self.store.load().active]
        return Trajectory(query=query, dataset=dataset, generated_answer="mine", reasoning_steps=["looked"],
                          used_bullet_ids=found, status="success", confidence=0.5)

def nothing(*parts, **limits):
    return MyAgent(*parts, **limits).store

class Wrong(MyAgent):
    def run(self, query, dataset):
        return "text"
"""


def test_an_agent_of_ones_own_answers_where_it_is_named(evo, tmp_path):
    (tmp_path / "own_agent.py").write_text(OWN_AGENT)
    data = json.loads(evo(QUERY, "--generator", "own_agent:MyAgent", "--json").stdout)
    assert (data["generated_answer"], data["confidence"]) == ("mine", 0.5)
    assert data["used_bullet_ids"] == ["aup-00001", "shr-00001"]


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("own_agent", UserError, "is not of the form MODULE:NAME"),
        ("no_such_module:MyAgent", UserError, "there is no module 'no_such_module'"),
        ("own_agent:Missing", UserError, "own_agent has no 'Missing' that can be called"),
        ("own_agent:Wrong", PluginError, "answers with str, which is no Trajectory"),
        ("own_agent:nothing", PluginError, "failed: AttributeError"),
    ],
)
def test_an_agent_of_ones_own_that_is_none_is_said_to_be_so(evo, tmp_path, name, error, said):
    (tmp_path / "own_agent.py").write_text(OWN_AGENT)
    raised = evo(QUERY, "--generator", name).exception
    assert isinstance(raised, error)
    assert said in str(raised)


@pytest.mark.parametrize(
    ("module", "text", "said"),
    [
        ("takes_nothing", "class MyAgent: pass", "cannot be made: TypeError: MyAgent() takes no arguments"),
        ("breaks_when_made", "def MyAgent(*parts, **limits): {}['key']", "cannot be made: KeyError: 'key'"),
        ("exits_when_imported", "import sys; sys.exit(0)", "cannot be imported: SystemExit: 0"),
        (
            "exits_when_asked",
            "import sys\nclass MyAgent:\n    def __init__(self, *parts, **limits): pass\n    def run(self, *asked): sys.exit()",
            "failed: SystemExit",
        ),
    ],
)
def test_an_agent_that_breaks_or_exits_is_named(evo, tmp_path, module, text, said):
    (tmp_path / f"{module}.py").write_text(text)
    path = [*sys.path]
    raised = evo(QUERY, "--generator", f"{module}:MyAgent").exception
    assert isinstance(raised, PluginError)
    assert f"--generator '{module}:MyAgent' {said}" in str(raised)
    assert sys.path == path


def test_an_agent_may_import_its_neighbours_when_it_is_asked(evo, tmp_path):
    (tmp_path / "neighbour_of_agent.py").write_text("ANSWER = 'from next door'")
    late = OWN_AGENT.replace('"mine"', '__import__("neighbour_of_agent").ANSWER')
    (tmp_path / "late_agent.py").write_text(late)
    assert evo(QUERY, "--generator", "late_agent:MyAgent").stdout == "from next door\n"


def test_shipped_templates_are_written_out_and_none_that_is_there_is_replaced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mine = tmp_path / "prompts" / "generator" / "default.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    done = CliRunner().invoke(cli, ["playbook", "templates", "--language", "en"])
    assert done.exit_code == 0, done.output
    assert "wrote prompts/generator/appworld.txt" in done.stdout
    assert "is there already, and stays as it is" in done.stderr
    assert mine.read_text() == "mine"
    assert "{context}" in mine.with_name("appworld.txt").read_text()


def test_export_to_a_dash_is_to_standard_output(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with PlaybookStore(path) as store, store.changing("test") as draft:
        draft.add("shr", "Read the limits first.")
    done = CliRunner().invoke(cli, ["playbook", "export", "-", "--playbook", str(path)])
    assert "Read the limits first." in done.stdout
    assert not (tmp_path / "-").exists()
