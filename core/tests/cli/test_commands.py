"""What the commands print, for people and for programs."""

import csv
import errno
import io
import json
import os
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
from python_process import PythonProcess, run_evo

from evograft.cli import _run, cli
from evograft.runs.index import open_run


@pytest.fixture
def finished(runs, tmp_path):
    done = runs.evo("run", runs.write(trials=40))
    assert done.returncode == 0, done.stderr
    return tmp_path / "runs" / "lab-1"


def test_runs_are_numbered_and_found_by_name_id_path_and_latest(runs, finished, tmp_path):
    runs.evo("run", runs.write(trials=12))
    assert (tmp_path / "runs" / "lab-2").is_dir()
    by_name = json.loads(runs.evo("status", "lab-1", "--json").stdout)
    assert by_name["trials"] == 40
    assert json.loads(runs.evo("status", by_name["id"], "--json").stdout) == by_name
    assert json.loads(runs.evo("status", finished, "--json").stdout) == by_name
    assert json.loads(runs.evo("status", "--json").stdout)["run"] == "lab-2"
    listed = json.loads(runs.evo("status", "--all", "--json").stdout)
    assert [standing["run"] for standing in listed] == ["lab-1", "lab-2"]


def test_a_run_in_another_place_is_found_through_the_index_and_again_when_the_index_is_lost(
    runs, tmp_path, private_home
):
    elsewhere = tmp_path / "elsewhere" / "mine"
    assert runs.evo("run", runs.write(trials=12), "--run-dir", elsewhere).returncode == 0
    assert json.loads(runs.evo("status", "mine", "--json").stdout)["folder"] == str(elsewhere)
    for index in private_home.rglob("runs.txt"):
        index.unlink()
    assert runs.evo("status", "mine").returncode == 2
    assert runs.evo("status", elsewhere).returncode == 0
    assert runs.evo("status", "mine").returncode == 0


def test_latest_means_the_latest_here_before_the_latest_anywhere(runs, finished, tmp_path):
    assert runs.evo("run", runs.write(trials=5), "--run-dir", tmp_path / "elsewhere" / "newer").returncode == 0
    assert json.loads(runs.evo("status", "latest", "--json").stdout)["run"] == "lab-1"


def test_status_is_readable(runs, finished):
    text = runs.evo("status", "lab-1").stdout
    assert "trials    40/40" in text
    assert "state     complete" in text
    assert str(finished) in text


def test_show_prints_a_pipeline_that_runs_to_the_same_trials(runs, finished, tmp_path):
    shown = runs.evo("show", "lab-1")
    (tmp_path / "again.yaml").write_text(shown.stdout)
    assert yaml.safe_load(shown.stdout)["window"] == 8
    assert json.loads(runs.evo("show", "lab-1", "--json").stdout) == yaml.safe_load(shown.stdout)
    assert runs.evo("run", "again.yaml", "--run-dir", tmp_path / "again").returncode == 0
    assert runs.trials(tmp_path / "again") == runs.trials(finished)


def test_show_prints_a_trial_and_the_best_one(runs, finished):
    best = json.loads(runs.evo("show", "lab-1", "--trial", "best", "--json").stdout)
    scores = [trial["evaluation"]["score"] for trial in runs.trials(finished) if trial["evaluation"]["status"] == "ok"]
    assert best["evaluation"]["score"] == max(scores)
    assert "# trial 2: ok" in runs.evo("show", "lab-1", "--trial", "2").stdout
    assert runs.evo("show", "lab-1", "--trial", "4000").returncode == 2
    assert runs.evo("show", "lab-1", "--trial", "worst").returncode == 2


def test_exports_hold_every_trial_in_three_formats(runs, finished, tmp_path):
    lines = [json.loads(line) for line in runs.evo("export", "lab-1").stdout.splitlines()]
    assert sorted(line["number"] for line in lines) == list(range(40))
    rows = list(csv.DictReader(io.StringIO(runs.evo("export", "lab-1", "--format", "csv").stdout)))
    assert [int(row["number"]) for row in rows] == [line["number"] for line in lines]
    assert runs.evo("export", "lab-1", "--format", "parquet", "-o", "t.parquet").returncode == 0
    table = pq.read_table(tmp_path / "t.parquet").to_pylist()
    assert [row["number"] for row in table] == [line["number"] for line in lines]
    assert [row["score"] for row in table] == [line["evaluation"]["score"] for line in lines]
    assert runs.evo("export", "lab-1", "--format", "parquet").returncode == 2
    assert runs.evo("export", "lab-1", "-o", "no/such/folder/file").returncode == 2


MEASURING = """
from evograft_hookspecs import CONTRACT, Evaluation, Manifest, NoOptions, hookimpl


class Measuring:
    manifest = Manifest(name="measuring", contract=CONTRACT)
    Options = NoOptions

    def __init__(self, options):
        pass

    @hookimpl
    def evaluate(self, ctx, candidate):
        extra = {"even": ctx.trial % 2 == 0} if ctx.trial else {}
        score = -abs(float(candidate.source) - 30)
        return Evaluation(status="ok", score=score, metrics={"size": 1.5, **extra}, feedback="fine\\nso far")
"""


@pytest.fixture
def measured(runs, tmp_path, monkeypatch):
    """A run whose evaluations have metrics and feedback."""
    folder = tmp_path / "measuring"
    metadata = folder / "measuring-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / "measuring.py").write_text(MEASURING)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: measuring\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[evograft.plugins]\nmeasuring = measuring:Measuring\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ["PYTHONPATH"]]))
    file = runs.write(trials=20, more=["measuring"], owners={"evaluate": "measuring"})
    done = runs.evo("run", file)
    assert done.returncode == 0, done.stderr
    return tmp_path / "runs" / "lab-1"


def test_metrics_and_feedback_are_shown_and_metrics_are_columns(runs, measured, tmp_path):
    shown = runs.evo("show", "lab-1", "--trial", "1").stdout
    assert "# metric size: 1.5\n# metric even: 0\n# feedback: fine\n# feedback: so far\n" in shown
    text = runs.evo("export", "lab-1", "--format", "csv").stdout
    rows = {int(row["number"]): row for row in csv.DictReader(io.StringIO(text))}
    assert text.splitlines()[0].endswith(",at,metric.even,metric.size")
    assert [rows[number]["metric.even"] for number in (0, 1, 2)] == ["", "0.0", "1.0"]
    assert runs.evo("export", "lab-1", "--format", "parquet", "-o", "t.parquet").returncode == 0
    table = {row["number"]: row for row in pq.read_table(tmp_path / "t.parquet").to_pylist()}
    assert [table[number]["metric.even"] for number in (0, 1, 2)] == [None, 0.0, 1.0]
    assert runs.evo("report", "lab-1", "-o", "page.html").returncode == 0
    assert "<h2>Metrics</h2>" in (tmp_path / "page.html").read_text()


def test_the_result_as_json_is_one_object_and_nothing_else(runs):
    done = runs.evo("run", runs.write(trials=20), "--json")
    result = json.loads(done.stdout)
    assert (result["outcome"], result["trials"]) == ("complete", 20)
    assert result["best"]["evaluation"]["status"] == "ok"
    assert done.stderr == ""


def test_settings_are_shown_and_set_and_used(runs, tmp_path):
    assert "runs_dir = runs" in runs.evo("config").stdout
    assert runs.evo("config", "runs_dir", "other").returncode == 0
    assert json.loads(runs.evo("config", "--json").stdout)["runs_dir"] == "other"
    assert runs.evo("run", runs.write(trials=5)).returncode == 0
    assert (tmp_path / "other" / "lab-1").is_dir()
    assert runs.evo("config", "progress", "quiet").returncode == 0
    assert runs.evo("run", runs.write(trials=5)).stderr == ""


def test_set_reaches_plugins_budget_and_operators(runs, tmp_path):
    done = runs.evo(
        "run", runs.write(trials=30), "--run-dir", tmp_path / "run", "--seed", "4",
        "--set", "plugins.lab.with.seeds=1", "--set", "operators.lab.jump=0", "--set", "operators.lab.reevaluate=0.5",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    trials = runs.trials(tmp_path / "run")
    assert [trial["number"] for trial in trials if trial["selection"] is None] == [0]
    assert {trial["proposal"]["operator"] for trial in trials if trial["proposal"]} == {"lab.step"}
    assert json.loads(runs.evo("show", tmp_path / "run", "--json").stdout)["seed"] == 4


def test_another_llm_driver_leaves_the_options_of_the_former_one(runs, tmp_path):
    llm = {"driver": "openai", "base_url": "http://localhost:1/v1", "concurrency": 3}
    pipeline = runs.write(trials=10, llm=llm)
    for name, given in {"none": "none", "same": "openai:coder"}.items():
        done = runs.evo("run", pipeline, "--llm", given, "--run-dir", tmp_path / name)
        assert done.returncode == 0, done.stderr
    none, same = (open_run(tmp_path / name).pipeline.llm for name in ("none", "same"))
    assert (none.driver, none.options, none.concurrency) == ("none", {}, 3)
    assert (same.options, same.models[0].name) == ({"base_url": llm["base_url"]}, "coder")
    changed = runs.evo("resume", tmp_path / "same", "--set", "llm.driver=none")
    assert changed.returncode == 2
    assert "--set 'llm={driver: none}'" in changed.stderr
    assert runs.evo("resume", tmp_path / "same", "--set", "llm={driver: none}").returncode == 0


def test_help_says_something_for_every_command(runs):
    text = runs.evo("--help").stdout
    for command in ("run", "resume", "status", "show", "export", "plugins", "config"):
        assert f"  {command} " in text
        assert "Usage: evo" in runs.evo(command, "--help").stdout


def test_without_a_command_the_help_is_shown_as_it_is(runs):
    done = runs.evo()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == runs.evo("--help").stdout


@pytest.fixture
def ended_by(monkeypatch, capsys):
    """What becomes of a command that raises something: exit code, and what it says on standard error."""

    def end(err):
        def fail(**_):
            raise err

        monkeypatch.setattr(cli, "main", fail)
        return _run(), capsys.readouterr().err

    return end


def test_what_is_interrupted_says_so_in_a_line(ended_by):
    assert ended_by(KeyboardInterrupt()) == (130, "interrupted\n")


def test_a_file_that_the_user_has_no_right_to_is_no_bug_of_ours(ended_by):
    denied = PermissionError(errno.EACCES, "Permission denied", "/their/file")
    assert ended_by(denied) == (2, "Error: cannot read or write '/their/file': Permission denied\n")
    code, said = ended_by(PermissionError(errno.EPERM, "Operation not permitted"))
    assert (code, said.partition(":")[0]) == (1, "Bug in evograft")


def test_a_reader_that_goes_away_is_no_error(runs, finished):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with PythonProcess("-m", "evograft", "export", finished, **pipes) as export:
        export.stdout.close()
        assert export.stderr.read() == b""
    assert export.returncode == 0


@pytest.mark.parametrize("command", ["status", "export"])
def test_an_output_that_cannot_be_written_is_said_in_one_line(finished, command):
    with Path("/dev/full").open("w") as full:
        done = run_evo(command, finished, stdout=full)
    assert (done.returncode, done.stderr) == (4, "Error: cannot write the output: No space left on device\n")


def test_an_export_is_utf8_and_people_see_what_their_terminal_can_show(runs):
    path = runs.run("run", trials=10)
    runs.evo("tell", path, "焼きなまし")
    runs.resume(path, "budget.trials=60")
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    exported = runs.evo_apart("export", path, env=plain, encoding="utf-8")
    assert exported.returncode == 0, exported.stderr
    assert "焼きなまし" in exported.stdout
    latin = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    shown = runs.evo_apart("show", path, "--trial", "59", "--json", env=latin)
    assert shown.returncode == 0, shown.stderr
    assert ascii("焼きなまし")[1:-1] in shown.stdout


def test_a_run_can_be_read_while_it_is_written(runs, tmp_path):
    from evograft.runs.index import open_run
    from evograft.session.session import open_session

    path = runs.run("live", trials=30)
    with open_session(open_run(path)):
        standing = json.loads(runs.evo("status", path, "--json").stdout)
        assert standing["trials"] == 30
        assert standing["writer"] is not None
        assert len(runs.evo("export", path).stdout.splitlines()) == 30
