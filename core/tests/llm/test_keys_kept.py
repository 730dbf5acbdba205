"""A key is in the environment and nowhere else, whatever a server makes of it."""

import json
import os

import pytest
from asking import KEY, climb
from fault_server import answer, raw, status

from evograft.text.masking import Keys
from evograft_hookspecs import CandidateRejected, Evaluation, hookimpl

LLM = {"retries": 1, "backoff": 0.001}


def echoed(seen):
    return f"you sent {seen.headers['authorization']}, or {KEY[:-4]}…"


ECHOES = {
    "401": lambda seen: status(401, echoed(seen)),
    "500": lambda seen: status(500, echoed(seen)),
    "500 with a page": lambda seen: raw(f"<html>{echoed(seen)}</html>", status=500),
    "400": lambda seen: status(400, echoed(seen)),
    "a code": lambda seen: status(400, "no", error=echoed(seen)),
    "a redirect": lambda seen: raw("", status=307, headers={"Location": f"https://else.example/?key={KEY}"}),
    "an error in a success": lambda seen: raw({"error": {"message": echoed(seen), "code": 401}}),
    "no choices": lambda seen: raw({"choices": [], "said": echoed(seen)}),
    "no JSON": lambda seen: raw(f"{echoed(seen)} {{"),
    "a header": lambda seen: status(500, headers={"X-Echo": echoed(seen), "Retry-After": KEY}),
}


@pytest.fixture
def clean(asking, key):
    """Looks for the key in all that a run has left."""

    def check(path, *texts):
        for file in [file for file in path.rglob("*") if file.is_file()]:
            assert key.encode() not in file.read_bytes(), file
        if (path / "log.sqlite").exists():
            assert key not in asking.texts(path)
        for text in texts:
            assert key not in text

    return check


@pytest.mark.long
@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("echo", ECHOES)
def test_a_key_that_a_server_echoes_is_shown_nowhere(asking, server, clean, monkeypatch, echo, debug):
    monkeypatch.setenv("EVO_DEBUG", "1" if debug else "")
    server.usual = ECHOES[echo]
    path = asking.folder / "run"
    done = asking.evo("run", asking.write(llm=LLM), "--run-dir", path)
    assert done.returncode == 4
    assert ("Traceback" in done.stderr) == debug
    export, status_ = asking.evo("export", path), asking.evo("status", path)
    clean(path, done.stdout, done.stderr, export.stdout, export.stderr, status_.stdout, status_.stderr)


def test_a_process_shows_no_key_even_when_it_debugs(asking, server, clean):
    server.usual = ECHOES["401"]
    path = asking.folder / "run"
    done = asking.evo_process("--debug", "run", asking.write(llm=LLM), "--run-dir", path)
    assert done.returncode == 4
    assert "Traceback" in done.stderr
    clean(path, done.stdout, done.stderr)


def test_a_key_in_refusals_is_in_no_record(asking, server, clean):
    path = asking.run("run", trials=1)
    server.usual = ECHOES["400"]
    done = asking.evo("resume", path, "--set", "budget.trials=6")
    assert done.returncode == 0, done.stderr
    assert "you sent Bearer ***" in str(asking.trials(path)[5]["evaluation"]["reason"])
    assert "you sent Bearer ***" in asking.answers(path)[-1].refused
    export, shown = asking.evo("export", path), asking.evo("show", path, "5")
    clean(path, done.stdout, done.stderr, export.stdout, shown.stdout, shown.stderr)


def test_a_key_in_an_answer_is_in_no_record(asking, server, clean):
    server.usual = lambda seen: answer(echoed(seen))
    path = asking.folder / "run"
    done = asking.evo("run", asking.write(trials=6), "--run-dir", path)
    assert done.returncode == 0, done.stderr
    export = asking.evo("export", path)
    clean(path, done.stdout, done.stderr, export.stdout)
    assert not any(KEY in seen.prompt for seen in server.asked()), "a mender was shown the key"


def test_an_answer_that_looks_like_a_key_and_is_none_is_left_alone(asking, server):
    server.usual = lambda seen: answer("sk-learn-0.1234567")
    path = asking.run("run", trials=1)
    assert "sk-learn-0.1234567" in server.asked()[-1].prompt
    assert "sk-learn-0.1234567" in asking.texts(path)


LITERAL = [
    {"api_key": KEY},
    {"api_key_env": KEY},
    {"key": KEY},
    {"base_url": f"http://me:{KEY}@127.0.0.1:1/v1"},
    {"base_url": f"http://127.0.0.1:1/v1?key={KEY}"},
    {"extra": {"api_key": KEY}},
    {"extra": {"headers": {"Authorization": f"Bearer {KEY}"}}},
]


@pytest.mark.parametrize("literal", LITERAL, ids=str)
def test_a_key_that_is_written_into_the_pipeline_is_refused(asking, server, clean, literal):
    path = asking.folder / "run"
    done = asking.evo("run", asking.write("with-key.json", llm=literal), "--run-dir", path)
    assert done.returncode == 2, done.stderr
    assert server.asked() == []
    assert not path.exists()
    assert KEY not in done.stdout + done.stderr


@pytest.mark.parametrize("name", ["gsk_0123456789abcdefghij", "hf_abcdefghijklmnopqrstuvwxyz"])
def test_a_key_that_could_be_the_name_of_a_variable_is_refused(asking, name):
    path = asking.folder / "run"
    done = asking.evo("run", asking.write(llm={"api_key_env": name}), "--run-dir", path)
    assert done.returncode == 2
    assert name not in done.stderr
    assert not path.exists()


def test_a_key_that_is_set_on_resume_is_refused(asking, server, clean):
    path = asking.run("run", trials=3)
    for setting in (
        f"llm.api_key={KEY}",
        f"llm.api_key_env={KEY}",
        f"llm.base_url=http://me:{KEY}@127.0.0.1:1/v1",
        f"llm.extra={{a: {{b: {KEY}}}}}",
    ):
        done = asking.evo("resume", path, "--set", setting)
        assert done.returncode == 2
        clean(path, done.stdout, done.stderr)


def test_the_name_of_a_variable_in_capitals_is_shown(asking, monkeypatch):
    monkeypatch.delenv("HF_API_TOKEN_OF_THE_GROUP", raising=False)
    llm = {"api_key_env": "HF_API_TOKEN_OF_THE_GROUP"}
    done = asking.evo("run", asking.write(llm=llm), "--run-dir", asking.folder / "run")
    assert done.returncode == 4
    assert "set the environment variable HF_API_TOKEN_OF_THE_GROUP" in done.error


def test_a_sound_run_holds_no_key(asking, server, clean):
    server.usual = climb
    path = asking.run("run", trials=10, with_={"questions": 2, "analyzing": True})
    assert {seen.authorization for seen in server.asked()} == {f"Bearer {KEY}"}
    export = asking.evo("export", path)
    assert len(export.stdout.splitlines()) == 10
    clean(path, export.stdout, (path / "pipeline.lock.yaml").read_text(), json.dumps(asking.trials(path)))


def test_without_the_key_that_a_pipeline_names_nothing_is_asked(asking, server, monkeypatch):
    monkeypatch.delenv("OTHER_KEY", raising=False)
    done = asking.evo("run", asking.write(llm={"api_key_env": "OTHER_KEY"}), "--run-dir", asking.folder / "run")
    assert done.returncode == 4
    assert "set the environment variable OTHER_KEY" in done.error
    assert server.asked() == []


def evaluating(monkeypatch, evaluate):
    from asker import Asker

    monkeypatch.setattr(Asker, "evaluate", hookimpl(evaluate))


def rejecting(self, candidate):
    raise CandidateRejected(f"cannot log in with {os.environ['OPENAI_API_KEY']}")


def remarking(self, candidate):
    key = os.environ["OPENAI_API_KEY"]
    return Evaluation(status="ok", score=1.0, feedback=f"read {key}", metrics={"found": 1.0})


@pytest.mark.parametrize("evaluate", [rejecting, remarking])
def test_a_key_that_an_evaluation_finds_is_in_no_record_and_no_prompt(asking, server, clean, monkeypatch, evaluate):
    evaluating(monkeypatch, evaluate)
    path = asking.run("run", trials=6)
    assert "***" in str(asking.trials(path)[-1]["evaluation"])
    assert not any(KEY in seen.prompt for seen in server.asked()), "a mender was shown the key"
    export, report = asking.evo("export", path), asking.evo("show", path, "5")
    clean(path, export.stdout, report.stdout)


def test_a_key_in_the_reason_why_a_run_fails_is_not_shown(asking, clean, monkeypatch):
    def broken(self, candidate):
        raise ValueError(f"no such login: {os.environ['OPENAI_API_KEY']}")

    evaluating(monkeypatch, broken)
    path = asking.folder / "run"
    done = asking.evo("run", asking.write(), "--run-dir", path)
    assert done.returncode == 3
    clean(path, done.stdout, done.stderr)


def test_a_key_in_an_instruction_reaches_neither_the_inbox_nor_the_log_nor_a_prompt(asking, server, clean):
    path = asking.run("run", trials=3)
    told = asking.evo("tell", path, f"log in with {KEY}, then try a beam")
    clean(path, told.stdout, told.stderr)
    asking.resume(path, "budget.trials=40")
    assert any("log in with ***, then try a beam" in seen.prompt for seen in server.asked())
    assert not any(KEY in seen.prompt for seen in server.asked())
    clean(path, asking.evo("export", path).stdout)


NAMED = "hunter-12"


@pytest.fixture
def named(monkeypatch):
    """A short key in a variable that is not named like one."""
    monkeypatch.setenv("MY_CRED", NAMED)
    return {**LLM, "api_key_env": "MY_CRED"}


@pytest.mark.parametrize("debug", ["", "1"])
@pytest.mark.parametrize("echo", [lambda _: status(401, f"no {NAMED}"), lambda _: status(500, f"no {NAMED}")])
def test_the_key_of_a_variable_that_an_option_names_is_shown_nowhere(asking, server, named, monkeypatch, echo, debug):
    monkeypatch.setenv("EVO_DEBUG", debug)
    server.usual = echo
    path = asking.folder / "run"
    done = asking.evo("run", asking.write(llm=named), "--run-dir", path)
    assert done.returncode == 4
    assert "no ***" in done.stderr
    assert NAMED not in done.stdout + done.stderr
    assert not any(NAMED.encode() in file.read_bytes() for file in path.rglob("*") if file.is_file())
    assert NAMED not in asking.texts(path)


def test_the_key_of_a_variable_that_an_option_names_is_in_no_record_however_short(asking, server, named):
    server.usual = lambda seen: answer(f"you sent {NAMED}")
    path = asking.run("run", trials=5, llm=named)
    assert not any(NAMED in seen.prompt for seen in server.asked())
    assert NAMED not in asking.evo("export", path).stdout
    assert not any(NAMED.encode() in file.read_bytes() for file in path.rglob("*") if file.is_file())
    assert NAMED not in asking.texts(path)
    for setting in (f"llm.extra.user={NAMED}", f"plugins.asker.with.tool={NAMED}"):
        done = asking.evo("resume", path, "--set", setting)
        assert done.returncode == 2
        assert "the key that stands in the environment as MY_CRED" in done.error
    done = asking.evo("run", asking.write(llm={**named, "extra": {"user": NAMED}}), "--run-dir", asking.folder / "new")
    assert done.returncode == 2
    assert not (asking.folder / "new").exists()


def test_a_run_that_met_a_key_goes_on_as_if_it_had_not_been_cut(asking, server, monkeypatch):
    evaluating(monkeypatch, remarking)
    path = asking.run("run", trials=12)
    for after in range(2, asking.rows(path), 3):
        cut = asking.cut(path, f"cut-{after}", after=after)
        asking.resume(cut)
        assert asking.trials(cut) == asking.trials(path)


@pytest.mark.parametrize("value", ["EMPTY", "none", "12345678", "0", "x", "rejected"])
def test_what_servers_without_keys_are_given_stays_in_programs(value):
    keys = Keys(["MY_CRED"], {"MY_CRED": value})
    line = json.dumps({"status": value, "number": 12345678})
    assert keys.masked_lines(line) is line
    assert keys.masked(f"x = {value}") == f"x = {value}"


@pytest.mark.parametrize("value", ['a"b\\c-12', "schlüssel-12", "1234-5678"])
def test_keys_are_found_as_json_writes_them(value):
    keys = Keys(["MY_CRED"], {"MY_CRED": value})
    for line in (json.dumps({"a": [f"<{value}>"]}), json.dumps({"a": [f"<{value}>"]}, ensure_ascii=False)):
        assert json.loads(keys.masked_lines(f"{line}\n{line}").split("\n")[1]) == {"a": ["<***>"]}
