"""What a user gets wrong is one clear line with a hint and exit code 2, before anything ran."""

import json

import pytest

MISTAKES = {
    "misspelt key": ({"windoww": 4}, ["unknown key 'windoww'", "did you mean 'window'"]),
    "misspelt key inside": ({"budget": {"trails": 4}}, ["'budget.trails'", "did you mean 'trials'"]),
    "wrong type": ({"window": "eight"}, ["window", "whole number", "'eight'"]),
    "out of range": ({"window": 0}, ["window", "greater than or equal to 1"]),
    "no stop at all": ({"budget": {}}, ["at least one of trials"]),
    "unknown plugin": ({"plugins": ["labb"]}, ["'labb' is not installed", "did you mean 'lab'"]),
    "plugin twice": ({"plugins": ["lab", "lab"]}, ["'lab' is listed twice"]),
    "no plugins": ({"plugins": []}, ["plugins", "at least 1"]),
    "plugin's option": ({"plugins": [{"name": "lab", "with": {"sedes": 1}}]}, ["'sedes'", "did you mean 'seeds'"]),
    "two owners": ({"plugins": ["lab", "islands"]}, ["lab and islands both answer 'select'", "set owners.select"]),
    "owner that does not answer": (
        {"owners": {"evaluate": "islands"}, "plugins": ["lab"]},
        ["owners.evaluate", "'islands'"],
    ),
    "verb without owner": ({"plugins": ["islands"]}, ["answers 'analyze'"]),
    "unknown verb": ({"owners": {"selct": "lab"}}, ["owners.selct"]),
    "unknown operator": ({"operators": {"lab.stepp": 2.0}}, ["operators.lab.stepp", "did you mean 'lab.step'"]),
    "unknown driver": ({"executor": {"driver": "thread"}}, ["executor.driver", "did you mean 'threads'"]),
    "driver's option": ({"executor": {"driver": "threads", "wrkers": 2}}, ["'wrkers'", "did you mean 'workers'"]),
    "driver's option of another": (
        {"llm": {"driver": "manual", "base_url": "http://localhost"}},
        ["'base_url'", "--set 'llm={driver: manual}'"],
    ),
    "number without a point": ({"deadlines": {"mutate": "1e-9"}}, ["should be a number", "'1e-9'", "write 1.0e-09"]),
    "text for a number": ({"deadlines": {"mutate": "soon"}}, ["should be a number, not 'soon'\n"]),
    "bad name": ({"name": "../up"}, ["name: should be letters, digits, `-` and `_`", "'../up'"]),
    "one of our plugins that is not there": ({"plugins": ["ahcc"]}, ["'ahcc' is not installed", "did you mean 'ahc'"]),
    "too many trials": ({"budget": {"trials": 10**20}}, ["budget.trials"]),
    "nobody to select": ({"plugins": ["trivial"]}, ["answers 'select'", "such as islands"]),
}


@pytest.mark.parametrize(("settings", "words"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_in_a_pipeline(runs, tmp_path, settings, words):
    (tmp_path / "p.json").write_text(json.dumps({**runs.pipeline(), **settings}))
    assert_refused(runs.evo("run", "p.json"), words, tmp_path)


COMMANDS = {
    "missing file": (["run", "missing.yaml"], ["'missing.yaml'", "No such file"]),
    "nothing named": (["run"], ["--plugin NAME"]),
    "unknown command": (["rnu"], ["'rnu'", "did you mean 'run'"]),
    "unknown preset": (["run", "--plugin", "island"], ["'island' is not installed", "did you mean 'islands'"]),
    "--set without value": (["run", "--plugin", "lab", "--set", "window"], ["KEY=VALUE"]),
    "--set of nothing": (["run", "--plugin", "lab", "--set", "windwo=3"], ["did you mean 'window'"]),
    "--set of no plugin": (["run", "--plugin", "lab", "--set", "plugins.lba.with.seeds=3"], ["did you mean 'lab'"]),
    "--set not YAML": (["run", "--plugin", "lab", "--set", "window=["], ["not valid YAML"]),
    "--set of a wrong value": (["run", "--plugin", "lab", "--set", "seed=-1"], ["seed"]),
    "--llm without driver": (["run", "--plugin", "lab", "--llm", ":m"], ["--llm ':m'", "DRIVER:MODEL"]),
    "--llm without model": (["run", "--plugin", "lab", "--llm", "openai:"], ["--llm 'openai:'", "DRIVER:MODEL"]),
    "--llm of nothing": (["run", "--plugin", "lab", "--llm", ""], ["--llm ''", "DRIVER:MODEL"]),
    "--llm of a model": (["run", "--plugin", "lab", "--llm", "gpt-5"], ["name its driver too: --llm openai:gpt-5"]),
    "--llm misspelt": (["run", "--plugin", "lab", "--llm", "opnai"], ["did you mean 'openai'"]),
    "--trials of text": (["run", "--plugin", "lab", "--trials", "abc"], ["'abc' is not a whole number from 1 to 1"]),
    "--trials beyond all bounds": (["run", "--plugin", "lab", "--trials", "9" * 20], ["is not a whole number"]),
    "--llm replay of nothing": (["run", "--llm", "replay"], ["replay:RUN"]),
    "unknown run": (["status", "nobody-1"], ["no run 'nobody-1'"]),
    "no run yet": (["resume"], ["no runs in ./runs: start one with evo run"]),
    "unknown setting": (["config", "runsdir"], ["did you mean 'runs_dir'"]),
    "setting of a wrong type": (["config", "progress", "loud"], ["progress", "'loud'"]),
}


@pytest.mark.parametrize(("arguments", "words"), COMMANDS.values(), ids=COMMANDS)
def test_mistakes_on_the_command_line(runs, tmp_path, arguments, words):
    assert_refused(runs.evo(*arguments), words, tmp_path)


def test_a_key_given_twice_is_not_dropped_silently(runs, tmp_path):
    (tmp_path / "p.yaml").write_text("plugins: [lab]\nseed: 1\nseed: 2\n")
    assert_refused(runs.evo("run", "p.yaml"), ["'seed' is given twice", "line 3"], tmp_path)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"- a\n- b\n", b"plugins: [", b"", b"&a [*a]", b"1: 2"])
def test_files_that_are_no_pipeline(runs, tmp_path, content):
    (tmp_path / "p.yaml").write_bytes(content)
    assert_refused(runs.evo("run", "p.yaml"), ["p.yaml"], tmp_path)


def test_seed_and_owners_are_fixed_for_the_life_of_a_run(runs):
    path = runs.run("run", trials=10)
    for change in ("seed=5", "generation_size=3", "plugins=[asker]", "owners.select=lab", "name=other"):
        done = runs.evo("resume", path, "--set", change)
        assert_refused(done, ["fixed for the life of a run"], path)
    assert len(runs.trials(path)) == 10


def assert_refused(done, words, folder):
    assert done.returncode == 2, (done.returncode, done.stderr)
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    for word in words:
        assert word in done.stderr
    assert not (folder / "runs").exists()
