"""A plugin that breaks is named with its distribution, its hook and the cause, at the moment that its kind of breaking shows."""

import json
import sys

import pytest

BASE = """
from evograft_hookspecs import *

class Broken:
    manifest = Manifest(name="broken", contract=CONTRACT, operators=(Operator(name="step"),))
    Options = NoOptions

    def __init__(self, options):
        pass

    @hookimpl
    def analyze(self):
        return Problem(name="p", statement="s", kind="k", objective="o", seeds=({"main": "0"},))

    @hookimpl
    def select(self, ctx, told):
        return Selection(parents=(0,))

    @hookimpl
    def propose(self):
        return (Proposal(id="p", operator="broken.step"),)

    @hookimpl
    def mutate(self, ctx, proposal, parents):
        return Candidate.of(str(ctx.trial), kind="k", operator=proposal.operator, trial=ctx.trial, parents=(0,))

    @hookimpl
    def evaluate(self, candidate):
        return Evaluation(status="ok", score=float(candidate.source))
"""


@pytest.fixture
def broken(runs, tmp_path, monkeypatch):
    """Installs a variant of the plugin above, as the distribution `broken-dist 2.0`, and runs it."""

    def install(source, target="broken:Broken"):
        site = tmp_path / "site"
        info = site / "broken_dist-2.0.dist-info"
        info.mkdir(parents=True)
        (site / "broken.py").write_text(source)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-dist\nVersion: 2.0\n")
        (info / "entry_points.txt").write_text(f"[evograft.plugins]\nbroken = {target}\n")
        monkeypatch.setenv("PYTHONPATH", str(site))
        monkeypatch.syspath_prepend(str(site))
        monkeypatch.delitem(sys.modules, "broken", raising=False)

    def run(source, target="broken:Broken", **settings):
        install(source, target)
        pipeline = {"name": "b", "plugins": ["broken"], "budget": {"trials": 12}, **settings}
        (tmp_path / "p.json").write_text(json.dumps(pipeline))
        return runs.evo("run", "p.json", "--run-dir", tmp_path / "run")

    run.install = install
    return run


def changed(old, new):
    assert old in BASE
    return BASE.replace(old, new)


def test_the_plugin_works_before_it_is_broken(broken):
    assert broken(BASE).returncode == 0


BEFORE = {
    "fails to import": ("raise ValueError('half installed')\n" + BASE, ["cannot be imported", "half installed"]),
    "misspelt hook": (
        changed("def evaluate(self", "def evalute(self"),
        ["'evalute' is no hook", "did you mean 'evaluate'"],
    ),
    "async def": (changed("def evaluate(self", "async def evaluate(self"), ["hook evaluate", "async def"]),
    "unknown argument": (changed("def select(self, ctx, told)", "def select(self, ctx, tolld)"), ["select", "tolld"]),
    "no manifest": (changed("    manifest = ", "    manifesto = "), ["has no `manifest`"]),
    "no options": (changed("    Options = NoOptions", "    Optional = NoOptions"), ["has no `Options`"]),
    "other name": (changed('name="broken"', 'name="borken"'), ["'borken'", "must agree"]),
    "newer contract": (changed("contract=CONTRACT", "contract=99"), ["contract 99", "upgrade evograft"]),
    "init raises": (changed("        pass", "        1 / 0"), ["__init__ raised ZeroDivisionError"]),
}


@pytest.mark.parametrize(("source", "words"), BEFORE.values(), ids=BEFORE)
def test_what_cannot_be_imported_or_fitted_ends_the_command_before_there_is_a_run(broken, tmp_path, source, words):
    done = broken(source)
    assert done.returncode == 3, done.stderr
    assert_one_line(done.stderr, ["'broken'", "broken-dist 2.0", *words])
    assert not (tmp_path / "run").exists()


DURING = {
    "analyze raises": (
        changed('return Problem(name="p"', 'raise OSError("no data"); Problem(name="p"'),
        "analyze",
        "OSError: no data",
    ),
    "analyze returns a dict": (
        changed('return Problem(name="p"', 'return dict(name="p"'),
        "analyze",
        "returned dict, expected Problem",
    ),
    "select raises": (changed("return Selection(parents=(0,))", "return told[99]"), "select", "IndexError"),
    "select returns None": (
        changed("return Selection(parents=(0,))", "pass"),
        "select",
        "returned NoneType, expected Selection",
    ),
    "select names the future": (
        changed(
            "parents=(0,)",
            "parents=(77,)",
        ),
        "select",
        "trial 77",
    ),
    "propose returns text": (
        changed('return (Proposal(id="p", operator="broken.step"),)', 'return "step"'),
        "propose",
        "returned str",
    ),
    "propose names nobody's operator": (
        changed('operator="broken.step"', 'operator="broken.stop"'),
        "propose",
        "did you mean 'broken.step'",
    ),
    "propose repeats an id": (
        changed(
            'return (Proposal(id="p", operator="broken.step"),)',
            'return (Proposal(id="p", operator="broken.step"),) * 2',
        ),
        "propose",
        "id 'p'",
    ),
    "mutate raises": (
        changed("return Candidate.of(str(ctx.trial)", "raise KeyError('model'); Candidate.of(str(ctx.trial)"),
        "mutate",
        "KeyError",
    ),
    "mutate forgets its trial": (changed("trial=ctx.trial,", "trial=0,"), "mutate", "candidate of trial 0"),
    "evaluate raises": (
        changed('return Evaluation(status="ok"', 'raise RuntimeError("gpu lost"); Evaluation(status="ok"'),
        "evaluate",
        "gpu lost",
    ),
    "evaluate returns a float": (
        changed('return Evaluation(status="ok", score=float(candidate.source))', "return 1.0"),
        "evaluate",
        "returned float, expected Evaluation",
    ),
    "evaluate returns NaN": (
        changed("score=float(candidate.source)", 'score=float("nan")'),
        "evaluate",
        "ValidationError",
    ),
}


@pytest.mark.parametrize(("source", "hook", "words"), DURING.values(), ids=DURING)
def test_what_breaks_in_a_trial_stops_the_run_with_that_trial_uncommitted(broken, runs, tmp_path, source, hook, words):
    done = broken(source)
    assert done.returncode == 3, done.stderr
    error = done.stderr.strip().splitlines()[-1]
    assert_one_line(error, [f"hook {hook}", words])
    if words not in ("trial 77", "id 'p'"):
        assert_one_line(error, ["'broken'", "broken-dist 2.0"])
    assert "complete" not in done.stdout
    broken.install = None
    (tmp_path / "site" / "broken.py").write_text(BASE)
    mended = runs.evo("resume", tmp_path / "run")
    assert mended.returncode == 0, mended.stderr
    assert len(runs.trials(tmp_path / "run")) == 12


def assert_one_line(text, words):
    assert len(text.strip().splitlines()) == 1
    assert "Traceback" not in text
    for word in words:
        assert word in text


def test_one_that_is_only_installed_is_a_row_of_evo_plugins_and_harms_nobody(broken, runs):
    broken.install("raise ValueError('half installed')\n" + BASE)
    listed = runs.evo("plugins")
    assert listed.returncode == 0
    assert "broken-dist 2.0" in listed.stdout
    assert "half installed" in listed.stdout
    rows = {row["name"]: row for row in json.loads(runs.evo("plugins", "--json").stdout)}
    assert "half installed" in rows["broken"]["problem"]
    assert rows["islands"]["problem"] == ""


def test_an_observer_that_fails_is_reported_once_and_left_out(runs, tmp_path):
    told = tmp_path / "told.txt"
    pipeline = runs.write(trials=40, more=[{"name": "watcher", "with": {"file": str(told), "fail_at": 10}}])
    done = runs.evo("run", pipeline, "--run-dir", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("watcher broken on demand") == 1
    assert "plugin 'watcher' (lab 1.0): hook observe" in done.stderr
    assert [line.split()[1] for line in told.read_text().splitlines()] == [str(number) for number in range(10)]
    assert len(runs.trials(tmp_path / "run")) == 40


def test_observers_are_told_every_commit_in_order_and_again_on_resume(runs, tmp_path):
    told = tmp_path / "told.txt"
    more = [{"name": "watcher", "with": {"file": str(told)}}]
    path = runs.run("run", trials=30, more=more)
    first = [line.split() for line in told.read_text().splitlines()]
    assert [int(number) for _, number, _ in first] == list(range(30))
    assert {replayed for _, _, replayed in first} == {"False"}
    runs.resume(path, "budget.trials=50")
    again = [line.split() for line in told.read_text().splitlines()][30:]
    assert [row[:2] for row in again[:30]] == [row[:2] for row in first]
    assert [replayed for _, _, replayed in again] == ["True"] * 30 + ["False"] * 20


def test_a_worker_that_dies_once_costs_nothing(runs, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    executor = {"driver": "processes", "workers": 2}
    path = runs.run("run", trials=30, executor=executor, with_={"die_once_at": [9], "notes": str(notes)})
    assert runs.trials(path) == runs.trials(runs.run("sound", trials=30))


def test_a_worker_that_always_dies_costs_one_failed_trial(runs):
    path = runs.run("run", trials=30, executor={"driver": "processes", "workers": 2}, with_={"die_at": [9]})
    trials = runs.trials(path)
    assert [trial["number"] for trial in trials if trial["evaluation"]["status"] == "failed"] == [9]
    assert "worker process ended" in trials[9]["evaluation"]["reason"]


@pytest.mark.parametrize("driver", ["threads", "processes"])
def test_an_evaluation_that_hangs_is_rejected_at_its_deadline(runs, driver):
    path = runs.run(
        "run", trials=20, executor={"driver": driver, "workers": 3}, deadlines={"evaluate": 3}, with_={"hang_at": [7]}
    )
    trials = runs.trials(path)
    assert [trial["number"] for trial in trials if "time-out" in trial["evaluation"]["reason"]] == [7]
    assert trials[7]["evaluation"]["status"] == "rejected"


def test_when_as_many_threads_hang_as_there_are_workers_the_run_stops_and_says_so(runs, tmp_path):
    pipeline = runs.write(
        trials=20, executor={"workers": 2}, deadlines={"evaluate": 0.3}, with_={"hang_at": [5, 6, 7, 8, 9]}
    )
    done = runs.evo("run", pipeline, "--run-dir", tmp_path / "run")
    assert done.returncode == 3
    assert "never returned from 2 calls" in done.stderr
