"""A run of any plugin as scripts and notebooks see it: its trials, its picture and its report."""

import sys

import matplotlib as mpl
import pandas as pd
import pytest

import evograft
from evograft.errors import UserError


@pytest.fixture
def run(runs):
    return evograft.open(runs.run("lab", trials=12))


def test_trials_are_a_table_of_pandas_with_the_columns_of_the_export(run, runs):
    trials = run.trials
    assert isinstance(trials, pd.DataFrame)
    exported = runs.evo("export", run.folder, "--format", "csv")
    assert exported.returncode == 0, exported.stderr
    assert list(trials.columns) == exported.stdout.splitlines()[0].split(",")
    assert sorted(trials["number"]) == list(range(12))
    assert trials["score"].max() == run.best.score


def test_without_pandas_trials_are_a_list_of_dicts(run, monkeypatch):
    table = run.trials
    monkeypatch.setitem(sys.modules, "pandas", None)
    rows = run.trials
    assert [row["number"] for row in rows] == list(table["number"])


def test_the_picture_has_every_score_and_the_best_so_far_over_whole_trials(run):
    mpl.use("agg")
    from matplotlib import pyplot as plt

    figure, given = plt.subplots()
    axes = run.plot(given)
    best, scores = axes.lines
    scored = run.trials.dropna(subset="score").sort_values("number")
    assert axes is given
    assert list(scores.get_xdata()) == list(scored["number"])
    assert list(best.get_ydata()) == list(scored["score"].cummax())
    assert all(float(tick).is_integer() for tick in axes.get_xticks())
    plt.close(figure)


def test_what_is_not_installed_is_named_with_what_to_install(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UserError, match=r"^run\.plot\(\) needs matplotlib: pip install matplotlib$"):
        run.plot()
    monkeypatch.setattr("evograft.python.report.installed", lambda _group: {})
    with pytest.raises(UserError, match=r"^run\.report\(\) needs a package that is missing: pip install evograft-rep"):
        run.report()


def test_a_run_that_is_not_there_is_refused_by_name(runs):
    with pytest.raises(UserError, match="nowhere"):
        evograft.open("nowhere")
