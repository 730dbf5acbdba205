"""`evograft.evolve`: runs from paths, texts and functions, the same as the command's."""

import json
import math
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

import evograft
from evograft.errors import PluginError, UserError

SQUARES = 2


def distance(program_path):
    """Find x and y with the smallest distance from the origin."""
    names = {}
    exec(Path(program_path).read_text(), names)
    x, y = names["point"]()
    return {"combined_score": -math.sqrt(abs(x) ** SQUARES + abs(y) ** SQUARES), "x": x}


@pytest.fixture
def halved(halved):
    """The plugin that improves programs, with evaluations by this one."""
    return {**halved, "progress": "quiet"}


def test_a_text_and_a_function_are_a_task_like_two_files(halved, program, runs):
    run = evograft.evolve(program, distance, trials=3, **halved)
    assert (run.name, run.status.state, run.status.trials) == ("distance-1", "complete", 3)
    assert run.best.score == -math.hypot(1.75, 4.5)
    assert (run.best.trial, dict(run.best.metrics)) == (1, {"combined_score": run.best.score, "x": 1.75})
    assert run.best.source == program.replace("3.5", "1.75")
    assert sorted(path.name for path in run.folder.rglob("*.py")) == ["evaluate.py", "program.py"]
    assert json.loads(runs.evo("status", run.folder, "--json").stdout)["best_score"] == run.best.score
    assert list(run.trials["metric.x"])[:2] == [3.5, 1.75]
    again = evograft.resume(run.folder, settings={"budget.trials": 5}, progress="quiet")
    assert again.status.trials == 5


def test_two_files_are_recognised_as_the_command_does_and_progress_is_shown(halved, task, capsys):
    run = evograft.evolve(
        task / "program.py", str(task / "evaluate.py"), trials=4, folder="here", **{**halved, "progress": "plain"}
    )
    lines = capsys.readouterr().err.splitlines()
    assert "evaluator: OpenEvolve's style: it defines evaluate(program_path)" in lines
    assert any(line.startswith("trial 4/4") for line in lines)
    assert (run.folder.name, run.status.limit) == ("here", 4)


def test_a_page_and_a_table_are_what_a_notebook_shows(halved, program):
    run = evograft.evolve(program, distance, trials=3, **halved)
    page = run.report()
    assert page._repr_html_().startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    page.save(run.folder / "page.html")
    assert "<th>best</th>" in run._repr_html_()
    assert repr(run) == f"<run {run.name}: complete, 3 trials, best {run.best.score:.6g}>"


def test_a_run_of_any_plugin_is_opened_and_resumed(runs):
    folder = runs.run("lab", trials=5)
    run = evograft.open(folder)
    assert (run.name, run.status.trials, len(run.trials)) == ("lab", 5, 5)
    assert evograft.resume(folder, settings={"budget.trials": 8}, progress="quiet").status.trials == 8


def test_a_broken_evaluator_is_blamed_and_leaves_no_temporary_files(halved, program):
    with pytest.raises(PluginError, match="the seed program was rejected"):
        evograft.evolve(program, "def evaluate(program_path):\n    return {'error': 'broken'}\n", trials=3, **halved)


def test_what_is_not_there_is_refused_by_name(halved, program, tmp_path):
    with pytest.raises(UserError, match="there is no option 'trial'; did you mean 'trials'"):
        evograft.evolve(program, distance, trial=3)
    with pytest.raises(UserError, match=r"style='shinkas': one of openevolve, shinka, gepa, container, function, comm"):
        evograft.evolve(program, distance, style="shinkas", **halved)
    with pytest.raises(UserError, match=r"program 'nowhere\.py': No such file or directory"):
        evograft.evolve("nowhere.py", distance, **halved)
    assert list(tmp_path.iterdir()) == []


def test_off_the_main_thread_a_run_is_stopped_by_a_call(halved, program, tmp_path):
    thread = threading.Thread(
        target=lambda: evograft.evolve(program, distance, trials=10**6, folder=tmp_path / "threaded", **halved)
    )
    thread.start()
    while not (tmp_path / "threaded" / "pipeline.lock.yaml").exists():
        thread.join(0.01)
        assert thread.is_alive()
    run = evograft.open(tmp_path / "threaded")
    while run.status.trials < 3:
        thread.join(0.01)
        assert thread.is_alive()
    run.stop()
    thread.join()
    assert run.status.last_stop == "stopped by run.stop()"


ENDLESS = """
import sys
import evograft

def distance(program_path):
    return {"combined_score": 0.0}

run = evograft.evolve(
    sys.argv[1], distance, trials=10**6, folder="endless", plugins=["halving"],
    progress="plain", background="background" in sys.argv,
)
print(run.status.state, run.status.trials >= 1, len(run.trials) == run.status.trials)
"""


@pytest.fixture
def endless(halved, program, runs):
    """A script whose run would never end, once it works on it."""
    (runs.folder / "endless.py").write_text(ENDLESS)
    process = runs.start("endless.py", program)
    while "run endless in" not in process.stderr.readline():
        assert process.poll() is None
    return process


def test_ctrl_c_stops_the_run_and_returns_it(endless, runs):
    while not trials_of(runs.folder / "endless"):
        assert endless.poll() is None
        time.sleep(0.02)
    endless.send_signal(signal.SIGINT)
    assert endless.communicate()[0] == "stopped by SIGINT True True\n"
    assert endless.returncode == 0
    resumed = runs.evo("resume", "endless", "--set", f"budget.trials={trials_of(runs.folder / 'endless') + 2}")
    assert resumed.returncode == 0, resumed.stderr


def test_a_killed_run_goes_on_where_its_log_ends(endless, runs):
    while trials_of(runs.folder / "endless") < 3:
        assert endless.poll() is None
        time.sleep(0.02)
    runs.kill(endless)
    finished = trials_of(runs.folder / "endless")
    run = evograft.resume(runs.folder / "endless", settings={"budget.trials": finished + 20}, progress="quiet")
    numbers = run.trials["number"]
    assert numbers.is_unique
    assert len(numbers) >= finished


def test_a_run_in_the_background_outlives_the_script_that_started_it(halved, program, runs):
    (runs.folder / "endless.py").write_text(ENDLESS)
    script = runs.start("endless.py", program, "background")
    assert script.communicate()[0].startswith("running")
    run = evograft.open("endless")
    run.stop()
    while run.status.writer is not None:
        time.sleep(0.02)
    assert run.status.last_stop == "stopped by run.stop()"


def test_a_run_in_the_background_that_has_ended_leaves_no_zombie(halved, program):
    before = set(psutil.Process().children())
    run = evograft.evolve(program, distance, trials=10**6, background=True, **halved)
    (worker,) = set(psutil.Process().children()) - before
    reapers = [thread for thread in threading.enumerate() if thread.name == "reap"]
    run.stop()
    for thread in reapers:
        thread.join()
    assert not worker.is_running()
    assert run.status.last_stop == "stopped by run.stop()"


def trials_of(folder):
    return evograft.open(folder).status.trials


def test_the_import_costs_next_to_nothing(runs):
    code = "import sys; before = set(sys.modules); import evograft; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=runs.folder)
    assert done.stdout.split() == ["__future__", "evograft"]
