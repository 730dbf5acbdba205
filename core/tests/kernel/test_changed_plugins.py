"""Plugins that are changed on resume make the trials behind those that may be in flight, and no others."""

import re
import shutil
import sqlite3
from contextlib import closing

import pytest
from asking import evo

from evograft.kernel import plugin_sets
from evograft.runs.index import open_run

WINDOW = 4
DONE = 20
"""Trials before the change."""
BOUNDARY = DONE + WINDOW
TRIALS = 60

EXECUTORS = [{"driver": "threads", "workers": 4}, {"driver": "processes", "workers": 2}]
CHANGES = {
    "option": ("plugins.lab.with.padding=9",),
    "adviser": ("plugins=[{name: lab}, {name: adviser}]",),
    "weights too": ("plugins.lab.with.padding=9", "operators.lab.jump=0", "window=6"),
}


def is_changed(trial):
    advised = trial["proposal"] and any(advice["id"] == "advice" for advice in trial["proposal"]["advice"])
    padded = trial["candidate"] and trial["candidate"]["files"]["main"].endswith("#########")
    return bool(advised or padded)


def changed_run(runs, name, changes, **settings):
    path = runs.run(name, trials=DONE, window=WINDOW, **settings)
    runs.resume(path, *changes, f"budget.trials={TRIALS}")
    return path


@pytest.mark.long
@pytest.mark.parametrize("executor", EXECUTORS, ids=lambda executor: executor["driver"])
@pytest.mark.parametrize("change", CHANGES)
def test_trials_below_the_boundary_are_those_of_an_unchanged_run_and_those_above_are_the_new_plugins(
    runs, executor, change
):
    unchanged = runs.trials(runs.run("unchanged", trials=TRIALS, window=WINDOW))
    path = changed_run(runs, "changed", CHANGES[change], executor=executor)
    trials = runs.trials(path)
    assert [epoch.first_trial for epoch in open_run(path).epochs] == [0, BOUNDARY]
    assert trials[:BOUNDARY] == unchanged[:BOUNDARY]
    valid = [trial for trial in trials[BOUNDARY:] if trial["candidate"] is not None]
    assert len(trials) == TRIALS
    assert len(valid) > 20
    assert all(map(is_changed, valid))


@pytest.mark.parametrize("change", CHANGES)
def test_killed_around_the_boundary_and_resumed_it_is_the_same(runs, change):
    path = changed_run(runs, "changed", CHANGES[change])
    places = rows_of_trials(path)
    for number in range(DONE, BOUNDARY + 8, 2):
        cut = cut_behind(runs, path, places[number])
        runs.resume(cut)
        assert runs.trials(cut) == runs.trials(path), f"cut behind trial {number}"


def test_evaluations_below_the_boundary_are_the_old_plugins_in_worker_processes_too(runs):
    for executor in EXECUTORS:
        path = runs.run(executor["driver"], trials=DONE, window=WINDOW, executor=executor)
        done = evo("resume", path, "--set", "plugins.lab.with.broken_at=0", "--set", f"budget.trials={TRIALS}")
        assert done.returncode == 3
        failed = re.search(r"in trial (\d+) raised RuntimeError: broken on demand", done.stderr)
        assert failed, done.stderr
        # Of two workers either may be the first to fail.
        assert int(failed[1]) in range(BOUNDARY, BOUNDARY + WINDOW)
        below = runs.trials(path)[:BOUNDARY]
        assert below == runs.trials(runs.run(f"{path.name}-whole", trials=BOUNDARY, window=WINDOW))


def test_a_plugin_that_joins_has_been_told_everything_from_the_first_trial(runs):
    path = changed_run(runs, "changed", CHANGES["adviser"])
    for trial in runs.trials(path)[BOUNDARY:]:
        (advice,) = (advice for advice in trial["proposal"]["advice"] if advice["id"] == "advice")
        assert advice["text"] == f"be bold after {trial['view']}"


def test_plugins_may_change_again_and_again(runs):
    path = runs.run("run", trials=20, window=WINDOW)
    before = runs.trials(path)
    runs.resume(path, "plugins.lab.with.padding=9", "budget.trials=40")
    runs.resume(path, "plugins=[{name: lab}, {name: adviser}]", "budget.trials=60")
    runs.resume(path, "plugins=[{name: lab}]", "budget.trials=80")
    trials = runs.trials(path)
    assert [epoch.first_trial for epoch in open_run(path).epochs] == [0, 24, 44, 64]
    assert trials[:20] == before
    changed = [trial["number"] for trial in trials if trial["candidate"] is not None and is_changed(trial)]
    assert set(changed) <= set(range(24, 64))
    assert len(changed) > 30
    for number in (21, 43, 45, 63, 66):
        cut = cut_behind(runs, path, rows_of_trials(path)[number])
        runs.resume(cut)
        assert runs.trials(cut) == trials


def test_a_change_that_is_killed_before_its_boundary_and_changed_again_holds_from_each_boundary(runs):
    path = runs.run("run", trials=20, window=WINDOW)
    runs.resume(path, "plugins.lab.with.padding=9", "budget.trials=22")
    runs.resume(path, "plugins=[{name: lab}, {name: adviser}]", "budget.trials=60")
    firsts = [epoch.first_trial for epoch in open_run(path).epochs]
    assert firsts == [0, 24, 26]
    trials = runs.trials(path)
    assert [is_changed(trial) for trial in trials[20:40] if trial["candidate"]] == [
        trial["number"] >= 24 for trial in trials[20:40] if trial["candidate"]
    ]
    assert "adviser" not in str(open_run(path).epochs[1].pipeline.plugins)


def test_a_long_log_is_told_to_both_sets_of_plugins_in_pieces(runs, monkeypatch):
    path = changed_run(runs, "changed", CHANGES["option"])
    trials = runs.trials(path)
    monkeypatch.setattr(plugin_sets, "TOLD_AT_ONCE", 3)
    again = changed_run(runs, "again", CHANGES["option"])
    assert runs.trials(again) == trials
    cut = cut_behind(runs, path, rows_of_trials(path)[BOUNDARY + 3])
    runs.resume(cut)
    assert runs.trials(cut) == trials


def test_a_change_before_anything_was_analyzed_leaves_the_analysis_to_the_first_plugins(runs):
    path = runs.run("run", trials=1, window=WINDOW)
    header = cut_behind(runs, path, 0)
    runs.resume(header, "plugins.lab.with.seeds=1", "budget.trials=20")
    unchanged = runs.trials(runs.run("unchanged", trials=20, window=WINDOW))
    assert runs.trials(header)[:WINDOW] == unchanged[:WINDOW]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ("plugins=[{name: asker}]", "owners are fixed for the life of a run"),
        ("plugins=[{name: lab}, {name: asker}]", "both answer"),
        ("plugins=[{name: adviser}]", "no plugin of the pipeline answers"),
        ("plugins=[{name: lab}, {name: lab}]", "listed twice"),
        ("plugins.lab.with.paddin=9", "did you mean 'padding'"),
        ("plugins.asker.with.questions=2", "no plugin 'asker' in the pipeline"),
    ],
)
def test_a_change_that_does_not_fit_the_run_is_refused_and_changes_nothing(runs, change, error):
    path = runs.run("run", trials=5)
    lock = (path / "pipeline.lock.yaml").read_bytes()
    done = evo("resume", path, "--set", change, "--set", "budget.trials=9")
    assert done.returncode == 2
    assert error in done.stderr
    assert (path / "pipeline.lock.yaml").read_bytes() == lock
    assert len(runs.trials(path)) == 5


def rows_of_trials(path):
    with closing(sqlite3.connect(path / "log.sqlite")) as db:
        return {int(key): seq for seq, key in db.execute("SELECT seq, key FROM rows WHERE kind = 'trial'")}


def cut_behind(runs, path, row):
    """A copy of a run as it was when its process was killed right after a row."""
    copy = runs.folder / f"{path.name}-cut-{row}"
    shutil.copytree(path, copy)
    with closing(sqlite3.connect(copy / "log.sqlite")) as db, db:
        db.execute("DELETE FROM rows WHERE seq > ?", (row,))
    (copy / "log.head").unlink()
    return copy
