"""`evo answer`: what waits, and answers from files, pipes and programs."""

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import asdict

import pytest
from click.testing import CliRunner

from evograft.cli.answer import answer
from evograft.config.loading import pipeline_from
from evograft.drivers.llm.prompt_files import find_prompt, find_waiting, write_answer, write_prompt
from evograft.errors import UserError
from evograft.runs.folder import make_folder
from evograft.runs.mailbox import InFlightTrial
from evograft.runs.writer_lock import WriterLock
from evograft_hookspecs import LlmCall, LlmRequest, Message


@pytest.fixture
def run_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = make_folder(pipeline_from({"plugins": ["lab"], "name": "coins"}, source="test"), runs=tmp_path / "runs")
    folder.save()
    return folder.path


@pytest.fixture
def prompt(run_folder):
    request = LlmRequest(messages=(Message(role="user", content="Sort.\n\nQuickly."),), max_tokens=5, model="me")
    return write_prompt(run_folder, LlmCall(request=request, key=f"7/mutate/lab/0:{request.digest()}:0", trial=7))


@pytest.fixture
def evo():
    def call(*arguments, stdin=None):
        return CliRunner().invoke(answer, list(map(str, arguments)), input=stdin, catch_exceptions=False)

    return call


def test_what_waits_is_listed_for_people_and_programs(evo, run_folder, prompt):
    os.utime(prompt.path, (time.time() - 3601, time.time() - 3601))
    assert evo("coins-1").stdout == f"{prompt.name}  {prompt.path}  Sort. (60 min ago)\n"
    assert json.loads(evo("coins-1", "--json").stdout) == [
        {
            "name": prompt.name,
            "path": str(prompt.path),
            "answer_path": str(prompt.answer_path),
            "first_line": "Sort.",
            "text": "Sort.\n\nQuickly.\n",
            "operator": None,
            "parent": None,
            "parent_score": None,
            "written_at": prompt.written_at,
        }
    ]
    write_answer(run_folder, prompt.name, "done")
    assert evo().stdout == ""
    assert "no prompt waits" in evo().stderr
    assert json.loads(evo("--json").stdout) == []


def test_what_waits_in_a_live_run_is_told_apart_by_operator_parent_and_score(evo, run_folder, prompt):
    running = InFlightTrial(trial=7, operator="lab.jump", model="me", repairs=0, since=0.0, parent=3, parent_score=0.5)
    with WriterLock(run_folder) as lock:
        lock.note(json.dumps({"began": 0.0, "in_flight": [asdict(running)]}))
        assert "  lab.jump, parent 3 (score 0.5), " in evo("coins-1").stdout
        (listed,) = json.loads(evo("coins-1", "--json").stdout)
    assert (listed["operator"], listed["parent"], listed["parent_score"]) == ("lab.jump", 3, 0.5)


def test_an_answer_under_another_name_is_noticed(evo, prompt):
    wrong = prompt.path.with_name(f"{prompt.name}_answer.md")
    wrong.write_text("print(1)")
    listed = evo("--json")
    assert [each["name"] for each in json.loads(listed.stdout)] == [prompt.name]
    assert f"{wrong.name!r} answers no prompt; did you mean {prompt.answer_path.name!r}?" in listed.stderr


def test_a_run_without_prompts_has_nothing_to_answer(evo, run_folder):
    assert evo("coins-1").stdout == ""
    assert json.loads(evo(run_folder, "--json").stdout) == []


def test_a_prompt_is_printed_as_it_can_be_pasted(evo, prompt):
    assert evo("coins-1", "--show", prompt.name).stdout == "Sort.\n\nQuickly.\n"
    with pytest.raises(UserError, match=f"did you mean '{prompt.name}'"):
        evo("--show", prompt.name[:-1])


def test_an_answer_comes_from_a_file(evo, run_folder, prompt, tmp_path):
    (tmp_path / "mine.md").write_text("print('größer')\n", encoding="utf-8")
    done = evo("coins-1", prompt.name, "--file", tmp_path / "mine.md")
    assert done.stdout == f"answered in {prompt.answer_path}\n"
    assert find_prompt(run_folder, prompt.name).answer() == "print('größer')\n"


def test_an_answer_comes_from_standard_input(evo, run_folder, prompt):
    assert evo("latest", prompt.name, "--stdin", stdin=b"from a pipe").exit_code == 0
    assert find_prompt(run_folder, prompt.name).answer() == "from a pipe"


def test_mistakes_are_told_and_leave_no_answer(evo, prompt, tmp_path):
    (tmp_path / "latin").write_bytes(b"\xe9")
    (tmp_path / "empty").write_bytes(b"")
    for arguments, message in (
        (("coins-2",), "no run 'coins-2'"),
        (("coins-1", prompt.name), "answer with one of --file FILE and --stdin"),
        (("coins-1", prompt.name, "--file", tmp_path / "empty", "--stdin"), "answer with one of"),
        (("coins-1", "--stdin"), "which prompt is answered"),
        (("coins-1", "../x", "--stdin"), "no prompt '../x'"),
        (("coins-1", prompt.name, "--file", tmp_path / "missing"), "cannot read"),
        (("coins-1", prompt.name, "--file", tmp_path / "latin"), "not UTF-8"),
        (("coins-1", prompt.name, "--file", tmp_path / "empty"), "the answer is empty"),
    ):
        with pytest.raises(UserError, match=message):
            evo(*arguments, stdin=b"text")
    assert prompt.answer() is None
    write_answer(prompt.path.parent.parent, prompt.name, "first")
    with pytest.raises(UserError, match="answered already"):
        evo("coins-1", prompt.name, "--stdin", stdin=b"second")


def test_the_command_is_one_of_evo_and_its_help_imports_no_driver(runs):
    assert "--stdin" in runs.evo("answer", "--help").stdout
    code = """
import sys
from evograft.cli import cli
cli.main(["--help"], standalone_mode=False)
heavy = {"httpx", "httpcore", "litellm", "ollama", "openai", "evograft.drivers"} & set(sys.modules)
assert not heavy, heavy
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "answer" in done.stdout


@pytest.fixture
def conversation(tmp_path, monkeypatch):
    """A folder such as that of `evo playbook run --llm manual`, with a prompt in it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    folder = tmp_path / "temporary" / "evograft-playbook-x" / "question"
    folder.mkdir(parents=True)
    folder.parent.chmod(0o700)
    request = LlmRequest(messages=(Message(role="user", content="Why?"),), max_tokens=5, model="me")
    write_prompt(folder, LlmCall(request=request, key=f"7/converse/lab/0:{request.digest()}:0", trial=7))
    return folder


@contextmanager
def worked_on(folder):
    """Another process holds the lock of a folder meanwhile."""
    code = "import sys, pathlib; from evograft.runs.writer_lock import WriterLock\nwith WriterLock(pathlib.Path(sys.argv[1])): print(flush=True); input()"
    command = [sys.executable, "-c", code, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        yield
        process.communicate("\n")


def test_without_a_run_the_prompts_of_a_conversation_that_goes_on_are_listed(evo, conversation, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match="no runs in"):
        evo()  # nobody waits for it
    with worked_on(conversation):
        done = evo()
    (prompt,) = find_waiting(conversation)
    assert done.stdout.startswith(f"{prompt.name}  {prompt.path}  Why? (")
    assert f"answer with: evo answer {conversation} NAME --file FILE" in done.stderr


@pytest.mark.parametrize("trap", ["link to the folder", "link to the prompts", "open to all"])
def test_conversations_that_somebody_else_may_have_put_there_are_not_listed(
    evo, conversation, tmp_path, monkeypatch, trap
):
    monkeypatch.chdir(tmp_path)
    parent = conversation.parent
    if trap == "open to all":
        parent.chmod(0o777)
    elif trap == "link to the folder":
        parent.symlink_to(parent.rename(tmp_path / "elsewhere"))
    else:
        conversation.symlink_to(conversation.rename(tmp_path / "elsewhere"))
    with worked_on(conversation), pytest.raises(UserError, match="no runs in"):
        evo()


def test_without_a_run_all_places_with_prompts_are_listed(evo, run_folder, prompt, conversation):
    with worked_on(conversation):
        listed = evo()
        data = json.loads(evo("--json").stdout)
    paths = [str(prompt.path), str(find_waiting(conversation)[0].path)]
    assert [line.split("  ")[1] for line in listed.stdout.splitlines()] == paths
    assert "evo answer coins-1 NAME" in listed.stderr
    assert [each["path"] for each in data] == paths
