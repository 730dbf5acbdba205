"""`evo playbook feedback`, with a server that plays the model."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner
from fault_server import FaultServer, answer, status

from evograft.cli import cli
from evograft.errors import ServiceError, UserError
from evograft_playbook.learning.findings import MOST, read_findings
from evograft_playbook.learning.reflector import AnswerFeedback, Reflector
from evograft_playbook.store import PlaybookStore
from evograft_playbook.types import Trajectory

BULLETS = ("Wait between retries.", "Retry at once.", "Print the tree.")


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    with FaultServer() as server:
        yield server


@pytest.fixture
def evo(path, tmp_path, monkeypatch):
    with PlaybookStore(path) as store, store.changing("test") as draft:
        for content in BULLETS:
            draft.add("shr", content)
    monkeypatch.chdir(tmp_path)

    def run(*arguments, stdin=None):
        command = ["playbook", "feedback", *arguments, "--playbook", str(path)]
        return CliRunner().invoke(cli, command, standalone_mode=False, input=stdin)

    return run


@pytest.fixture
def counts(path):
    def read():
        with PlaybookStore(path) as store:
            return {each.id: (each.helpful, each.harmful) for each in store.load().active}

    return read


def trajectory(*used, **more):
    fields = {"query": "How?", "dataset": "d", "generated_answer": "Wait.", "reasoning_steps": [], "status": "success"}
    return Trajectory(**{**fields, "used_bullet_ids": list(used), **more}).model_dump_json()


def model(server):
    return ("--llm=openai:some-model", f"--set=llm.base_url={server.base_url}", "--set=llm.retries=0")


def test_bullets_are_counted_by_the_sign_of_the_feedback(evo, counts):
    done = evo("shr-00001", "shr-00003", "--helpful")
    assert (done.return_value, done.stdout) == (0, "counted shr-00001\ncounted shr-00003\n")
    evo("shr-00003", "--harmful")
    assert counts() == {"shr-00001": (1, 0), "shr-00002": (0, 0), "shr-00003": (1, 1)}


@pytest.mark.parametrize("way", ["file", "standard input"])
def test_the_bullets_of_an_answer_are_counted_as_far_as_they_are_there(evo, counts, tmp_path, way):
    (tmp_path / "answer.json").write_text(trajectory("shr-00002", "zzz-00001", "../../etc"))
    arguments = ("answer.json",) if way == "file" else ("-",)
    done = evo(*arguments, "--harmful", stdin=(tmp_path / "answer.json").read_text())
    assert done.stdout == "counted shr-00002\n"
    assert done.stderr.count("there is no such bullet") == 2
    assert counts()["shr-00002"] == (0, 1)


def test_text_that_no_model_reads_is_said_to_teach_nothing(evo):
    done = evo("shr-00001", "--helpful", "--text", "Just what I needed.", "--json")
    taught = json.loads(done.stdout)
    assert taught["outcome"]["counted"] == ["shr-00001"]
    assert "the text of the feedback teaches nothing" in taught["skipped"][0]
    assert done.return_value == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("shr-00001",), "say --helpful or --harmful"),
        (("shr-00001", "--text", "good"), "say --helpful or --harmful"),
        (("shr-00009", "--helpful"), "there is no bullet 'shr-00009'"),
        (("nowhere.json", "--helpful"), "is no bullet's id, and cannot be read"),
        (("failed.json", "--helpful"), "is of an answer that failed"),
        (("other.json", "--helpful"), "is no answer of evo playbook run --json"),
        (("failed.json", "other.json", "--helpful"), "are two answers"),
    ],
)
def test_what_says_nothing_or_is_about_nothing_is_an_error_and_changes_nothing(evo, counts, tmp_path, arguments, told):
    (tmp_path / "failed.json").write_text(trajectory("shr-00001", status="failure", error_message="down"))
    (tmp_path / "other.json").write_text('{"query": 1}')
    done = evo(*arguments)
    assert isinstance(done.exception, UserError)
    assert told in str(done.exception)
    assert set(counts().values()) == {(0, 0)}


def test_a_model_says_which_bullets_were_at_work_and_what_is_to_be_learned(evo, counts, server, tmp_path, path):
    found = {
        "bullets": [
            {"id": "shr-00001", "effect": "helpful"},
            {"id": "shr-00002", "effect": "none"},
            {"id": "shr-00003", "effect": "harmful"},
            {"id": "shr-00001", "effect": "helpful"},
        ],
        "lessons": [{"section": "mis", "content": "A 429 names the seconds to wait."}],
        "edits": [{"id": "shr-00001", "content": "Wait longer between retries."}],
        "retire": [{"id": "shr-00002", "reason": "servers ban those who retry at once"}],
    }
    server.script(answer(f"So:\n```json\n{json.dumps(found)}\n```\nThat is {{all}}."))
    (tmp_path / "answer.json").write_text(trajectory("shr-00001", "shr-00002"))
    done = evo("answer.json", "--text", "It {{bullets}} waited.", *model(server))
    assert done.return_value == 0, done.output
    assert counts() == {"mis-00001": (0, 0), "shr-00001": (1, 0), "shr-00003": (0, 0)}
    with PlaybookStore(path) as store:
        assert store.get("shr-00001").content == "Wait longer between retries."
        assert store.history("shr-00002")[0].source == "feedback: servers ban those who retry at once"
    assert "the model was not shown this bullet" in done.stderr
    assert "it is there twice" in done.stderr
    prompt = server.asked()[0].prompt
    for told in ("How?", "[shr-00001] Wait between retries.", "It {{bullets}} waited."):
        assert told in prompt
    assert "Print the tree." not in prompt


@pytest.mark.parametrize("nonsense", ["", "I don't know.", "{" * 1000, "[1, 2]", '{"lessons": NaN}', '{"other": []}'])
def test_a_models_nonsense_changes_nothing_and_the_exit_code_says_so(evo, counts, server, nonsense):
    server.script(answer(nonsense))
    done = evo("shr-00001", "--helpful", *model(server))
    assert done.return_value == 4
    assert "holds no JSON of the form that was asked for" in done.stderr
    assert set(counts().values()) == {(0, 0)}


@pytest.mark.parametrize("found", ['{"lessons": []}', '{"bullets": [{"id": "shr-00001", "effect": "none"}]}'])
def test_a_model_that_finds_nothing_changes_nothing_and_that_is_said(evo, counts, server, found):
    server.script(answer(found))
    done = evo("shr-00001", "--helpful", *model(server))
    assert (done.return_value, done.stdout, done.stderr) == (0, "", "nothing was changed\n")
    assert set(counts().values()) == {(0, 0)}


def test_a_playbook_grows_to_the_bounds_that_are_set(evo, counts, server):
    server.script(answer('{"lessons": [{"section": "shr", "content": "Wait for the tree."}]}'))
    done = evo("shr-00001", "--helpful", *model(server), "--set=plugins.playbook.with.bounds.in_all=3")
    assert done.stdout == "added shr-00004\nretired shr-00001\n"
    assert sorted(counts()) == ["shr-00002", "shr-00003", "shr-00004"]


def test_a_model_is_offered_all_sections_of_the_playbook(evo, path, server):
    with PlaybookStore(path) as store, store.changing("test") as draft:
        draft.add("aup", "Something else.")
    server.script(answer('{"lessons": []}'))
    evo("shr-00001", "--helpful", *model(server))
    assert "aup, cod, exa, mis, shr" in server.asked()[0].prompt


def test_a_setting_alone_asks_no_model(evo, counts):
    done = evo("shr-00001", "--helpful", "--set=plugins.playbook.with.bounds.in_all=3")
    assert (done.return_value, done.stdout) == (0, "counted shr-00001\n")


def test_feedback_that_is_no_text_reaches_the_model_as_what_it_is(evo, server):
    server.script(answer('{"lessons": []}'))
    assert evo("shr-00001", "--helpful", "--text", "caf\udce9", *model(server)).return_value == 0
    assert "caf\\udce9" in server.asked()[0].prompt


def test_a_model_that_is_down_changes_nothing(evo, counts, server):
    server.script(status(500))
    done = evo("shr-00001", "--helpful", *model(server))
    assert isinstance(done.exception, ServiceError)
    assert set(counts().values()) == {(0, 0)}


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"bullets": [{"id": "shr-00001", "effect": "wonderful"}]}, "effect: Extra inputs"),
        ({"bullets": [{"id": ["shr-00001"], "effect": "helpful"}]}, "was not shown"),
        ({"bullets": ["shr-00001"]}, "it is no object"),
        ({"bullets": {"id": "shr-00001"}}, "it is no list"),
        ({"lessons": [{"section": "shr"}]}, "content: Input should be a valid string"),
        ({"lessons": [{"section": "shr", "content": {"a": 1}}]}, "content: Input should be a valid string"),
        ({"retire": [{"id": "shr-00001"}]}, "reason: Input should be a valid string"),
        ({"lessons": [{"section": "shr", "content": ""}] * (MOST + 1)}, f"the first {MOST} are looked at"),
    ],
)
def test_an_entry_of_an_answer_that_is_none_is_left_out_with_the_reason(entry, reason):
    found = read_findings(json.dumps(entry), shown_ids={"shr-00001"}, counts=True)
    assert found.deltas == ()
    assert reason in found.dropped[0].reason


@pytest.mark.parametrize(("language", "told"), [("en", "The verdict of"), ("ja", "質問者の評価")])
def test_prompts_are_in_the_language_that_is_asked_for_and_nothing_in_them_is_left_open(language, told):
    class Model:
        def complete(self, request):
            self.prompt = request.messages[0].content
            raise AssertionError

    asked = Model()
    with pytest.raises(AssertionError):
        Reflector(asked, language=language).on_feedback(AnswerFeedback((), True))
    assert told in asked.prompt
    assert "{{" not in asked.prompt


FEEDBACK = """
import sys
from evograft.cli import cli

sys.stdin.readline()
for turn in range(125):
    arguments = ["feedback", f"shr-0000{turn % 3 + 1}", "--helpful" if turn % 2 else "--harmful"]
    cli.main(["playbook", *arguments, "--playbook", sys.argv[1], "--json"], standalone_mode=False)
"""


@pytest.mark.slow
def test_of_1000_feedbacks_that_8_processes_give_through_the_command_none_is_lost(evo, counts, path):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    started = [subprocess.Popen([sys.executable, "-c", FEEDBACK, str(path)], text=True, **pipes) for _ in range(8)]
    for process in started:
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.communicate(timeout=300)[1] for process in started] == [""] * 8
    assert sum(map(sum, counts().values())) == 1000
    assert sum(helpful for helpful, _ in counts().values()) == 8 * 62
