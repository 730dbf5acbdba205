"""A plugin that breaks is named with its distribution, its hook and the cause, at the moment that its kind of breaking shows."""

import json
import re
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
    def select(self, ctx, committed):
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
        # Compiled files are told apart by second and size: the next variant may be written in the same second.
        monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
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
    "unknown argument": (
        changed("def select(self, ctx, committed)", "def select(self, ctx, tolld)"),
        ["select", "tolld"],
    ),
    "no manifest": (changed("    manifest = ", "    manifesto = "), ["has no `manifest`"]),
    "no options": (changed("    Options = NoOptions", "    Optional = NoOptions"), ["has no `Options`"]),
    "other name": (changed('name="broken"', 'name="borken"'), ["'borken'", "must agree"]),
    "newer contract": (changed("contract=CONTRACT", "contract=99"), ["contract 99", "upgrade evograft"]),
    "older contract": (changed("contract=CONTRACT", "contract=1"), ["contract 1", "has 2", "upgrade the plugin"]),
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
    "select raises": (changed("return Selection(parents=(0,))", "return committed[99]"), "select", "IndexError"),
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
    "evaluate exits": (
        changed("        return Evaluation(", "        raise SystemExit(0)\n        return Evaluation("),
        "evaluate",
        "raised SystemExit",
    ),
    "evaluate slips NaN past": (
        changed(
            'return Evaluation(status="ok", score=float(candidate.source))',
            'return Evaluation(status="ok", score=1.0).model_copy(update={"score": float("nan")})',
        ),
        "evaluate",
        "invalid Evaluation",
    ),
    "mutate changes the kind": (
        changed('kind="k", operator=proposal.operator', 'kind="z", operator=proposal.operator'),
        "mutate",
        "made a 'z'",
    ),
    "evaluate returns NaN": (
        changed("score=float(candidate.source)", 'score=float("nan")'),
        "evaluate",
        "ValidationError",
    ),
}


@pytest.mark.parametrize(("source", "hook", "words"), DURING.values(), ids=DURING)
def test_what_breaks_stops_the_run_with_that_trial_uncommitted_and_before_trials_leaves_none(
    broken, runs, tmp_path, source, hook, words
):
    done = broken(source)
    assert done.returncode == 3, done.stderr
    error = done.stderr.strip().splitlines()[-1]
    assert_one_line(error, [f"hook {hook}", words, *([] if hook == "analyze" else ["in trial"])])
    if words != "id 'p'":
        assert_one_line(error, ["'broken'", "broken-dist 2.0"])
    assert "complete" not in done.stdout
    broken.install = None
    (tmp_path / "site" / "broken.py").write_text(BASE)
    assert (tmp_path / "run").exists() == (hook != "analyze")
    again = ("run", "p.json", "--run-dir") if hook == "analyze" else ("resume",)
    mended = runs.evo_apart(*again, tmp_path / "run")
    assert mended.returncode == 0, mended.stderr
    assert len(runs.trials(tmp_path / "run")) == 12


def assert_one_line(text, words):
    assert len(text.strip().splitlines()) == 1
    assert "Traceback" not in text
    for word in words:
        assert word in text


def test_one_that_is_only_installed_is_a_row_of_evo_plugins_and_harms_nobody(broken, runs):
    broken.install("raise ValueError('half installed')\n" + BASE)
    listed = runs.evo_apart("plugins")
    assert listed.returncode == 0
    assert "broken-dist 2.0" in listed.stdout
    assert "half installed" in listed.stdout
    rows = {row["name"]: row for row in json.loads(runs.evo_apart("plugins", "--json").stdout)}
    assert "half installed" in rows["broken"]["problem"]
    assert rows["islands"]["problem"] == ""


def test_the_list_of_plugins_follows_their_files_although_it_is_cached(broken, runs, tmp_path):
    broken.install(BASE)

    def listed():
        return {row["name"]: row for row in json.loads(runs.evo_apart("plugins", "--json").stdout)}["broken"]

    assert listed()["operators"] == ["step"]
    assert listed()["operators"] == ["step"]
    file = tmp_path / "site" / "broken.py"
    file.write_text(changed('Operator(name="step")', 'Operator(name="stride")'))
    assert listed()["operators"] == ["stride"]
    file.write_text("import nothing_like_it\n")
    assert "nothing_like_it" in listed()["problem"]
    file.write_text(BASE)
    assert listed()["problem"] == ""


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


EXITS = {
    "code 0": "import os; os._exit(0)",
    "a signal": "import os; os.kill(os.getpid(), 9)",
    # The child of a fork holds whatever its parent had open.
    "code 0 with a child": "import os, time; os.fork() or time.sleep(3); os._exit(0)",
}


@pytest.mark.long
@pytest.mark.parametrize("way", EXITS)
def test_a_worker_that_ends_in_a_task_is_lost_at_once_whatever_its_exit_code(broken, runs, tmp_path, way):
    ending = changed("    def evaluate(self, candidate):", f"    def evaluate(self, candidate):\n        {EXITS[way]}")
    done = broken(
        ending, deadlines={"evaluate": 100_000}, executor={"driver": "processes", "workers": 1}, budget={"trials": 1}
    )
    assert "Bug" not in done.stderr
    (trial,) = runs.trials(tmp_path / "run")
    assert trial["evaluation"]["status"] == "failed"
    assert "worker process ended with exit code" in trial["evaluation"]["reason"]


@pytest.mark.parametrize("driver", ["threads", "processes"])
def test_an_evaluation_that_hangs_is_rejected_at_its_deadline(runs, driver):
    path = runs.run(
        "run", trials=20, executor={"driver": driver, "workers": 3}, deadlines={"evaluate": 3}, with_={"hang_at": [7]}
    )
    trials = runs.trials(path)
    assert [trial["number"] for trial in trials if "time-out" in trial["evaluation"]["reason"]] == [7]
    assert trials[7]["evaluation"]["status"] == "rejected"


@pytest.mark.parametrize("workers", [1, 4])
def test_a_few_hanging_calls_cost_their_trials_whatever_the_number_of_workers(runs, workers):
    settings = {"trials": 20, "deadlines": {"evaluate": 1.5}, "with_": {"hang_at": [5, 9]}}
    path = runs.run("run", executor={"workers": workers}, **settings)
    assert [t["number"] for t in runs.trials(path) if "time-out" in t["evaluation"]["reason"]] == [5, 9]


def test_when_as_many_calls_hang_as_the_window_holds_the_run_stops_and_says_so(runs, tmp_path):
    pipeline = runs.write(
        trials=20, window=3, executor={"workers": 2}, deadlines={"evaluate": 0.3}, with_={"hang_at": list(range(5, 20))}
    )
    done = runs.evo("run", pipeline, "--run-dir", tmp_path / "run")
    assert done.returncode == 3
    # Two may run out of time in the same moment.
    assert re.search(r"plugin 'lab' \(lab 1\.0\): hook evaluate has not returned from [345] calls", done.stderr)
    assert f"evo resume {tmp_path / 'run'}" in done.stderr


def test_a_call_that_returns_late_is_rejected_and_its_thread_is_hung_no_longer(runs):
    with_ = {"late_at": [5, 15], "late_seconds": 1.8}
    path = runs.run("run", trials=40, executor={"workers": 3}, deadlines={"evaluate": 1.5}, with_=with_)
    late = [trial["number"] for trial in runs.trials(path) if "time-out" in trial["evaluation"]["reason"]]
    assert late == [5, 15]


def test_one_hanging_call_of_a_plugin_that_is_not_thread_safe_costs_one_trial(broken, runs, tmp_path):
    hang = changed(
        "        return Evaluation(",
        "        if candidate.source == '5': import threading; threading.Event().wait()\n        return Evaluation(",
    )
    done = broken(hang, deadlines={"evaluate": 3.0})
    assert done.returncode == 0, done.stderr
    assert [t["number"] for t in runs.trials(tmp_path / "run") if t["evaluation"]["status"] == "rejected"] == [5]


@pytest.mark.long
def test_waiting_for_the_lock_of_plugins_without_thread_safety_costs_no_deadline(broken, runs, tmp_path):
    slow = changed("        return Evaluation(", "        import time; time.sleep(0.5)\n        return Evaluation(")
    done = broken(slow, deadlines={"evaluate": 3.0}, executor={"workers": 8})
    assert done.returncode == 0, done.stderr
    assert {t["evaluation"]["status"] for t in runs.trials(tmp_path / "run")} == {"ok"}


DEGRADED = """    @hookimpl
    def setup_env(self):
        facts = {"exit_code": 3, "token": "a-key-of-the-user"}
        return EnvironmentReport(status="degraded", done=("looked",), errors=("no compiler",), facts=facts)

    @hookimpl
    def analyze(self):"""


def test_what_a_run_does_without_is_told_by_its_status(broken, runs, tmp_path, monkeypatch):
    monkeypatch.setenv("USER_API_KEY", "a-key-of-the-user")
    done = broken(changed("    @hookimpl\n    def analyze(self):", DEGRADED))
    assert done.returncode == 0, done.stderr
    standing = json.loads(runs.evo("status", tmp_path / "run", "--json").stdout)
    (report,) = standing["environment"].values()
    assert (report["status"], report["done"], report["errors"]) == ("degraded", ["looked"], ["no compiler"])
    assert report["facts"]["exit_code"] == 3
    assert "a-key-of-the-user" not in (tmp_path / "run" / "environment.json").read_text()
    assert "environment\n  broken: no compiler\n" in runs.evo("status", tmp_path / "run").stdout
    (tmp_path / "run" / "environment.json").write_text('{"broken": 1}')
    assert json.loads(runs.evo("status", tmp_path / "run", "--json").stdout)["environment"] == {}


def test_an_environment_that_fails_says_why(broken, tmp_path):
    failing = changed(
        "    @hookimpl\n    def analyze(self):",
        """    @hookimpl
    def setup_env(self):
        return EnvironmentReport(status="failed", errors=("no C++ compiler: install g++",))

    @hookimpl
    def analyze(self):""",
    )
    done = broken(failing)
    assert done.returncode == 4
    assert_one_line(done.stderr.splitlines()[-1], ["'broken'", "no C++ compiler: install g++", "no run was kept"])


@pytest.mark.parametrize("reason", ["''", "'bad \\udcff byte'", "ValueError('x')", "'two\\nlines'"])
@pytest.mark.parametrize("hook", ["mutate", "evaluate"])
def test_any_reason_of_a_rejection_can_be_logged(broken, runs, tmp_path, hook, reason):
    anchor = "        return Candidate.of(" if hook == "mutate" else "        return Evaluation("
    done = broken(changed(anchor, f"        raise CandidateRejected({reason})\n{anchor}"))
    # Where every evaluation rejects, the seed program is rejected too, and there is nothing to evolve.
    first, code = (1, 0) if hook == "mutate" else (0, 3)
    assert done.returncode == code, done.stderr
    assert all(t["evaluation"]["status"] == "rejected" for t in runs.trials(tmp_path / "run")[first:])


def test_a_copy_of_a_parent_with_other_files_is_another_candidate(broken, runs, tmp_path):
    copying = changed(
        'return Candidate.of(str(ctx.trial), kind="k", operator=proposal.operator, trial=ctx.trial, parents=(0,))',
        "assert parents[0].candidate.id\n        "
        'return parents[0].candidate.model_copy(update={"files": {"main": str(ctx.trial)}, "trial": ctx.trial, '
        '"operator": proposal.operator, "parents": (0,)})',
    )
    assert broken(copying).returncode == 0
    assert [t["duplicate_of"] for t in runs.trials(tmp_path / "run")] == [None] * 12


def test_finished_evaluations_of_others_survive_the_failure_of_one(broken, runs, tmp_path):
    failing = changed(
        "        return Evaluation(",
        "        if candidate.source == '1': raise RuntimeError('gpu lost')\n        import time; time.sleep(0.2)\n        return Evaluation(",
    ).replace('operators=(Operator(name="step"),)', 'operators=(Operator(name="step"),), thread_safe=True')
    done = broken(failing, executor={"workers": 8})
    assert done.returncode == 3
    assert {t["number"] for t in runs.trials(tmp_path / "run")} == {0, 2, 3, 4, 5, 6, 7, 8}


def test_a_slow_start_of_workers_costs_no_candidate(broken, runs, tmp_path):
    slow = changed(
        "    @hookimpl\n    def analyze(self):",
        """    @hookimpl
    def setup_env(self, ctx):
        import time
        if ctx.role == "worker":
            time.sleep(4)

    @hookimpl
    def analyze(self):""",
    )
    done = broken(slow, deadlines={"evaluate": 3.0}, executor={"driver": "processes", "workers": 2})
    assert done.returncode == 0, done.stderr
    assert {t["evaluation"]["status"] for t in runs.trials(tmp_path / "run")} == {"ok"}


def test_workers_that_die_while_they_start_end_the_run_with_the_reason(broken):
    dying = changed(
        "    @hookimpl\n    def analyze(self):",
        """    @hookimpl
    def setup_env(self, ctx):
        if ctx.role == "worker":
            import os
            os._exit(7)

    @hookimpl
    def analyze(self):""",
    )
    done = broken(dying, executor={"driver": "processes", "workers": 2})
    assert done.returncode in (0, 4), done.stderr  # 0: every trial failed, and says so
    assert "Bug" not in done.stderr
    assert "worker process" in done.stderr


def test_an_idle_worker_that_dies_costs_nothing(broken, runs, tmp_path):
    killing = changed(
        "        return Candidate.of(",
        """        import os, signal, subprocess, time
        if ctx.trial == 5:
            listed = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], text=True, capture_output=True)
            for line in listed.stdout.splitlines():
                if "spawn_main" in line:
                    os.kill(int(line.split()[0]), signal.SIGKILL)
            time.sleep(1)
        return Candidate.of(""",
    )
    done = broken(killing, executor={"driver": "processes", "workers": 2}, window=1)
    assert done.returncode == 0, done.stderr
    assert {t["evaluation"]["status"] for t in runs.trials(tmp_path / "run")} == {"ok"}


def test_two_starts_in_one_folder_make_one_run(runs, tmp_path):
    import threading

    pipeline, outcomes = runs.write(trials=20), []
    threads = [
        threading.Thread(
            target=lambda: outcomes.append(runs.evo_apart("run", pipeline, "--run-dir", tmp_path / "run").returncode)
        )
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == [0, 2, 2]
    assert runs.evo_apart("resume", tmp_path / "run").returncode == 0
    assert len(runs.trials(tmp_path / "run")) == 20


def test_a_worker_that_cannot_be_built_is_said(broken):
    failing = changed(
        "    @hookimpl\n    def analyze(self):",
        """    @hookimpl
    def setup_env(self, ctx):
        if ctx.role == "worker":
            raise OSError("no scratch disk")

    @hookimpl
    def analyze(self):""",
    )
    done = broken(failing, executor={"driver": "processes", "workers": 2})
    assert done.returncode == 3
    assert "hook setup_env raised OSError: no scratch disk" in done.stderr


def test_a_judgement_that_hangs_is_given_up_and_the_run_is_complete(broken):
    hanging = changed(
        "    def evaluate(self, candidate):",
        "    def evaluate(self, ctx, candidate):\n        if ctx.purpose == 'final': import threading; threading.Event().wait()",
    )
    done = broken(hanging, deadlines={"final": 0.5})
    assert done.returncode == 0, done.stderr
    assert "time-out" in done.stdout


def test_the_judgement_has_generators_of_its_own(runs):
    from evograft.log.records import FinalEvaluation, Finished
    from evograft.runs.reader import open_journal

    path = runs.run("run", trials=20)
    with open_journal(path) as journal:
        records = list(journal.records())
    (judged,) = [record.evaluation for record in records if isinstance(record, FinalEvaluation)]
    assert judged.score not in [record.trial.evaluation.score for record in records if isinstance(record, Finished)]
