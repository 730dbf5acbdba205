"""`evo report`: where it writes, in which language, of which runs, and how it fails."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter

import pytest
from logbook import figures_at
from pagereader import Page
from python_process import PythonProcess
from waiting import wait_until


@pytest.fixture
def finished(runs):
    """A run that the kernel has made, with rejected trials and duplicates."""
    return runs.run("finished", trials=120)


def test_the_page_lies_in_the_run_s_folder_and_is_written_anew_each_time(runs, finished):
    done = runs.evo("report", finished, "--language", "en")
    assert (done.returncode, done.stdout) == (0, f"page = {finished / 'report.html'}\n")
    first = (finished / "report.html").read_text()
    assert runs.evo("report", finished, "--language", "en").returncode == 0
    assert (finished / "report.html").read_text() == first
    assert len(list(finished.iterdir())) < 10
    assert runs.evo("resume", finished, "--set", "budget.trials=130").returncode == 0


def test_the_figures_are_those_of_the_trials(runs, finished):
    trials = runs.trials(finished)
    data = json.loads(runs.evo("report", finished, "--json").stdout)
    assert not (finished / "report.html").exists()
    assert [point["trial"] for point in data["points"]] == list(range(120))
    assert data["head"]["trials"] == 120
    assert data["head"]["best_score"] == max(trial["evaluation"]["score"] or -1e9 for trial in trials)
    drawn = Counter(trial["proposal"]["operator"] if trial["proposal"] else "kernel.seed" for trial in trials)
    assert {each["operator"]: each["trials"] for each in data["operators"]} == drawn
    duplicates = sum(trial["duplicate_of"] is not None for trial in trials)
    assert duplicates == sum(each["duplicates"] for each in data["operators"]) > 0
    rejected = sum(trial["evaluation"]["status"] == "rejected" for trial in trials)
    assert data["failures"]["trials"] == rejected == 7
    line = [step["trial"] for step in data["lineage"]["newest"]]
    assert line == sorted(line, reverse=True)
    assert line[-1] < 3


def test_json_with_an_output_writes_the_page_too(runs, finished, tmp_path):
    done = runs.evo("report", finished, "--json", "--output", tmp_path / "new" / "page.html")
    assert json.loads(done.stdout)["head"]["state"] == "complete"
    assert (tmp_path / "new" / "page.html").exists()


@pytest.mark.parametrize(
    ("options", "lang", "language"),
    [([], "ja_JP.UTF-8", "ja"), ([], "C.UTF-8", "en"), (["--language", "en"], "ja_JP.UTF-8", "en")],
)
def test_the_language_is_the_locale_s_unless_it_is_named(runs, finished, options, lang, language):
    done = runs.evo_apart("report", finished, *options, env={**os.environ, "LC_ALL": lang})
    assert done.returncode == 0, done.stderr
    assert f'<html lang="{language}">' in (finished / "report.html").read_text()


def test_plots_are_written_as_svg_and_png(runs, finished, tmp_path):
    done = runs.evo("report", finished, "--plots", tmp_path / "plots")
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (tmp_path / "plots").iterdir()}
    assert {f"{name}.{ending}" for name in ("scores", "spending", "outcomes") for ending in ("svg", "png")} <= names


def test_without_what_draws_png_nothing_is_written_and_it_is_said_what_to_do(runs, finished, tmp_path):
    # A module of this name that cannot be imported comes first.
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "resvg_py.py").write_text("raise ImportError('not here')")
    hidden = os.pathsep.join([str(tmp_path / "hidden"), os.environ["PYTHONPATH"]])
    env = {**os.environ, "PYTHONPATH": hidden}
    done = runs.evo_apart("report", finished, "--plots", tmp_path / "plots", env=env)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "evograft with its extra [report]" in done.stderr
    assert not (tmp_path / "plots").exists()
    assert not (finished / "report.html").exists()
    done = runs.evo_apart("report", finished, "--plots", tmp_path / "plots", "--plot-format", "svg", env=env)
    assert done.returncode == 0, done.stderr


def test_a_place_that_cannot_be_written_is_an_error_in_one_line(runs, finished, tmp_path):
    (tmp_path / "file").write_text("")
    done = runs.evo("report", finished, "--output", tmp_path / "file" / "page.html")
    assert done.returncode == 2
    assert "cannot write" in done.stderr
    done = runs.evo("report", finished, "--output", tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_an_unknown_run_is_an_error(runs):
    assert runs.evo("report", "nowhere").returncode == 2


# -- live, changed and damaged runs -----------------------------------------------------------------------------------


@pytest.fixture
def live(runs, tmp_path):
    """A run in another process that waits for one trial for ever, all it can do beside it done."""
    path = tmp_path / "live"
    pipeline = runs.write(trials=1000, with_={"hang_at": [40]}, executor={"workers": 4})
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = PythonProcess("-m", "evograft", "run", pipeline, "--run-dir", path, cwd=tmp_path, **quiet)
    wait_until(lambda: logged(path) >= 47, process)
    yield path
    process.send_signal(signal.SIGKILL)
    process.wait()


def logged(path):
    if not (path / "pipeline.lock.yaml").exists():
        return 0
    with sqlite3.connect(path / "log.sqlite") as db:
        return db.execute("SELECT count(*) FROM rows WHERE kind = 'trial'").fetchone()[0]


def test_a_live_run_has_a_page_and_says_that_it_is_running(runs, live):
    done = runs.evo("report", live, "--language", "en")
    assert done.returncode == 0, done.stderr
    page = Page((live / "report.html").read_text())
    assert " running " in page.text
    assert " works on it" in page.text
    figures = figures_at(live)
    assert figures.head.trials == 47
    assert [point.trial for point in figures.points] == [*range(40), *range(41, 48)]


def test_changed_settings_are_told_with_what_they_were(runs):
    path = runs.run("run", trials=40)
    runs.resume(path, "budget.trials=60", "window=4")
    history = figures_at(path).history
    assert [(each.kind, each.text) for each in history.events] == [("settings", "budget.trials=60\nwindow=4")]
    (change,) = history.periods[1:]
    assert {(each.key, each.before, each.after) for each in change.changes} == {
        ("budget.trials", "40", "60"),
        ("window", "8", "4"),
    }


def test_a_run_that_repeats_another_one_has_the_same_figures(runs, tmp_path):
    from evograft.runs.index import open_run
    from evograft.session.session import open_session
    from evograft.session.start import repeat_run

    path = runs.run("first", trials=60)
    copy = repeat_run(open_run(path), runs=tmp_path, folder=tmp_path / "second")
    with open_session(copy) as kernel:
        kernel.run()
    first, second = figures_at(path), figures_at(copy.path)
    assert [(p.trial, p.score, p.is_best) for p in first.points] == [
        (p.trial, p.score, p.is_best) for p in second.points
    ]
    assert first.head.limit == second.head.limit == 60


@pytest.mark.parametrize("damage", ["UPDATE rows SET body = 'x' WHERE seq = 9", "DELETE FROM rows WHERE seq = 9"])
def test_a_damaged_log_is_an_error_and_no_page(runs, finished, damage):
    with sqlite3.connect(finished / "log.sqlite") as db:
        db.execute(damage)
    done = runs.evo("report", finished)
    assert done.returncode == 4
    assert "evo export" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (finished / "report.html").exists()


def test_a_program_that_was_lost_is_an_error(runs):
    path = runs.run("long", trials=30, with_={"padding": 5000})
    (path / "artifacts.sqlite").unlink()
    done = runs.evo("report", path)
    assert done.returncode == 4
    assert "artifacts.sqlite" in done.stderr


def test_the_list_of_commands_needs_none_of_what_draws(runs):
    code = "import sys; from evograft.cli import cli; cli.main(['--help'], standalone_mode=False); import json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "report" in done.stdout
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert not loaded & {"jinja2", "markupsafe", "yaml", "evograft.report", "evograft_report.cli", "tree_sitter"}
