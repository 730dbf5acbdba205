"""What cannot work is refused before it starts, with its cause in one line, and leaves no folder."""

import json
import os

import pytest

MODEL = {"driver": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1", "api_key_env": "NO_SUCH_KEY"}
MARKED = "def solve(values):\n    # EVOLVE-BLOCK-START\n    return sum(values)\n"


def write(runs, **settings):
    path = runs.folder / "pipeline.json"
    path.write_text(json.dumps({"name": "triv", "plugins": plugins(), "budget": {"trials": 9}, **settings}))
    return path


def plugins(**with_):
    return [{"name": "trivial", "with": with_}, "islands", "operators"]


def assert_refused(done, code, words, folder):
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    error = done.stderr.strip().splitlines()[-1]
    assert error.startswith("Error: ")
    for word in words:
        assert word in error
    assert not (folder / "runs").exists()


REFUSED = {
    "programs and no model": (
        {},
        2,
        ["candidates are python programs and no model is set: add --llm DRIVER:MODEL (or --llm manual)"],
    ),
    "no operators at all": ({"plugins": plugins()[:2]}, 2, ["no plugin has an operator for them"]),
    "no key": ({"llm": MODEL}, 4, ["no API key", "NO_SUCH_KEY"]),
    "no key that litellm needs": (
        {"llm": {"driver": "litellm", "model": "anthropic/claude-sonnet-4-5"}},
        4,
        ["no API key", "ANTHROPIC_API_KEY"],
    ),
    "no provider that litellm knows": (
        {"llm": {"driver": "litellm", "model": "nobodys-model"}},
        4,
        ["'nobodys-model'", "name it with its provider"],
    ),
    "no server": (
        {"llm": {"driver": "ollama", "model": "m", "host": "http://127.0.0.1:9"}},
        4,
        ["no Ollama server answers at http://127.0.0.1:9", "ollama serve"],
    ),
    "broken marks": (
        {"plugins": plugins(seeds=[{"main.py": MARKED}]), "llm": "manual"},
        2,
        ["seed program 0", "main.py, line 2", "EVOLVE-BLOCK-START without EVOLVE-BLOCK-END", "no run was kept"],
    ),
    "prompts that cannot be read": (
        {"plugins": [*plugins()[:2], {"name": "operators", "with": {"prompts": "nowhere"}}], "llm": "manual"},
        4,
        ["nowhere", "no run was kept"],
    ),
}


@pytest.mark.parametrize(("settings", "code", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_work_is_refused_and_leaves_no_folder(runs, monkeypatch, settings, code, words):
    if "litellm" in str(settings):
        pytest.importorskip("litellm")
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    assert_refused(runs.evo("run", write(runs, **settings)), code, words, runs.folder)


def test_a_folder_that_was_there_stays_and_nothing_in_it(runs):
    (runs.folder / "mine").mkdir()
    done = runs.evo("run", write(runs), "--run-dir", "mine")
    assert_refused(done, 2, ["no model is set"], runs.folder)
    assert list((runs.folder / "mine").iterdir()) == []


@pytest.mark.parametrize("is_log", [True, False], ids=["of a run whose other files are lost", "of another program"])
def test_a_log_that_was_there_is_neither_overwritten_nor_removed(runs, is_log):
    log = runs.folder / "mine" / "log.sqlite"
    log.parent.mkdir()
    log.write_bytes((runs.run("whole", trials=4) / "log.sqlite").read_bytes() if is_log else b"precious")
    before = log.read_bytes()
    done = runs.evo("run", runs.write(trials=4), "--run-dir", "mine")
    assert_refused(done, 2, ["holds a log.sqlite that would be overwritten", "evo export"], runs.folder)
    assert log.read_bytes() == before


def test_folders_on_the_way_to_a_refused_run_are_removed_too(runs):
    assert_refused(runs.evo("run", write(runs), "--run-dir", "a/b/c"), 2, ["no model is set"], runs.folder)
    assert not (runs.folder / "a").exists()


def test_a_refused_run_in_the_background_says_why_and_leaves_no_folder(runs):
    done = runs.evo("run", write(runs), "--background")
    assert_refused(done, 2, ["no model is set", "no run was kept"], runs.folder)


def test_seeds_alone_need_no_model(runs):
    done = runs.evo("run", write(runs, budget={"trials": 1}))
    assert done.returncode == 0, done.stderr


def test_a_run_that_fails_at_its_first_trial_can_be_resumed_and_names_the_line(runs):
    done = runs.evo("run", runs.write(trials=4, with_={"broken_at": 0}))
    assert done.returncode == 3
    error = done.stderr.strip().splitlines()[-1]
    assert "RuntimeError: broken on demand (lab.py:" in error
    assert error.endswith("fix this, then run: evo resume lab-1 (with a traceback: evo --debug resume lab-1)")
    assert (runs.folder / "runs" / "lab-1").exists()


def test_a_folder_that_holds_no_run_is_not_offered_for_resuming(runs):
    (runs.folder / "full").mkdir()
    (runs.folder / "full" / "notes.txt").touch()
    error = runs.evo("run", runs.write(), "--run-dir", "full").stderr
    assert "not empty: name another folder\n" in error
