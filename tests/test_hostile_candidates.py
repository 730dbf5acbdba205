"""A hostile program costs exactly one rejected trial: the run goes on to its full count and leaves nothing behind."""

import importlib.util
import json
import os
from pathlib import Path

import psutil
import pytest

from evograft.plugin.loading import preset_data

LAB = Path(__file__).parent / "lab"


def attacks():
    spec = importlib.util.spec_from_file_location("attacker_names", LAB / "attacker.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ATTACKS


@pytest.mark.long
@pytest.mark.parametrize("driver", ["threads", pytest.param("processes", marks=pytest.mark.slow)])
def test_every_attack_is_one_rejected_trial_and_nothing_else(runs, tmp_path, driver):
    names = list(attacks())
    pipeline = {
        **preset_data("graph_invariant"),
        "plugins": [
            {"name": "graph_invariant", "with": {"explore": {"weight": 0, "fit_weight": 0}}},
            "attacker",
        ],
        "executor": {"driver": driver, "workers": 2},
    }
    (tmp_path / "p.json").write_text(json.dumps(pipeline))
    seeds = len(seed_programs(runs, tmp_path))
    total = seeds + 2 * len(names)
    done = runs.evo_apart("run", "p.json", "--trials", str(total), "--run-dir", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    trials = runs.trials(tmp_path / "run")
    assert len(trials) == total
    outcomes = {name: trials[seeds + 2 * index]["evaluation"] for index, name in enumerate(names)}
    assert {name for name, outcome in outcomes.items() if outcome["status"] != "rejected"} == set()
    assert all(outcome["reason"] for outcome in outcomes.values())
    harmless = [trial["evaluation"] for trial in trials[seeds + 1 :: 2]]
    assert [evaluation["reason"] for evaluation in harmless if evaluation["status"] != "ok"] == []
    assert processes_in(tmp_path) == []


def seed_programs(runs, tmp_path):
    done = runs.evo_apart("run", "p.json", "--trials", "1", "--run-dir", tmp_path / "probe", "--json")
    assert done.returncode == 0, done.stderr
    from evograft.runs.reader import open_journal
    from evograft_hookspecs import Problem

    with open_journal(tmp_path / "probe") as journal:
        return next(record for record in journal.records() if isinstance(record, Problem)).seeds


def processes_in(folder):
    """The command lines of processes that were started in a folder: those of the run and all below it."""
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()) == folder and process.pid != os.getpid():
                found.append(process.cmdline())
        except (psutil.NoSuchProcess, psutil.ZombieProcess, psutil.AccessDenied):
            continue
    return found
