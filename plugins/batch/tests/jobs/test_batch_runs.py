"""A batch from its beginning to its end: what it makes, what it says, and what fails for itself alone."""

import json
import os
import pty
import re

import psutil
import pytest
from python_process import PythonProcess

from evograft_batch.folder import BatchFolder
from evograft_batch.plan.batch_file import parse_batch
from evograft_batch.results.run_results import RunRow, save_results


def test_a_batch_runs_every_combination_as_it_would_run_alone(batches):
    done = batches.begin(matrix={"window": [2, 5]}, seeds=[3, 4], parallel=2)
    assert done.returncode == 0, done.stderr
    rows = batches.rows()
    assert list(rows[0]) == [
        "run", "problem", "window", "seed", "state", "trials", "limit", "best_score", "final_score", "elapsed",
        "prompt_tokens", "completion_tokens", "dollars", "exit_code", "error",
    ]  # fmt: skip
    assert [(row["run"], row["window"], row["seed"]) for row in rows] == [
        ("window-2_seed-3", "2", "3"),
        ("window-2_seed-4", "2", "4"),
        ("window-5_seed-3", "5", "3"),
        ("window-5_seed-4", "5", "4"),
    ]
    for row in rows:
        trials = batches.trials(row["run"])
        assert trials == batches.undisturbed(trials=40, window=int(row["window"]), seed=int(row["seed"]))
        best = max(trial["evaluation"]["score"] for trial in trials if trial["evaluation"]["status"] == "ok")
        assert (row["state"], row["trials"], row["exit_code"], row["error"]) == ("complete", "40", "0", "")
        assert (float(row["best_score"]), row["dollars"]) == (best, "0.0")
        assert float(row["final_score"]) < 0.01
        assert "complete: all trials are done" in (batches.folder / "output" / f"{row['run']}.txt").read_text()


def test_as_many_runs_are_worked_on_at_a_time_as_parallel_says(batches):
    done = batches.begin(matrix={"window": [1, 2, 3, 4]}, parallel=2)
    assert done.returncode == 0, done.stderr
    at_work, most = 0, 0
    for word in re.findall(r"^(started|complete) ", done.stderr, re.MULTILINE):
        at_work += 1 if word == "started" else -1
        most = max(most, at_work)
    assert most == 2


def test_a_combination_that_fails_costs_the_others_nothing(batches):
    done = batches.begin(matrix={"plugins.lab.with.broken_at": [None, 20, 1000]}, parallel=2)
    assert done.returncode == 3
    sound, broken, late = batches.rows()
    assert (broken["state"], broken["exit_code"]) == ("failed", "3")
    assert "plugin 'lab' (lab 1.0): hook evaluate" in broken["error"]
    assert [sound["state"], late["state"]] == ["complete", "complete"]
    assert batches.trials("broken_at-1000") == batches.trials("broken_at-null") == batches.undisturbed(trials=40)
    assert "broken_at-20: plugin 'lab'" in done.stdout
    assert "worst: broken_at-20 with exit code 3" in done.stderr
    assert "2 of 3 runs are complete; go on with: evo batch --resume" in done.stderr


def test_the_exit_code_is_that_of_the_run_that_ended_worst(batches):
    ways = [{"plugins.lab.with.broken_at": 8}, {"plugins.lab.with.die_at": [12]}, {"window": 3}]
    done = batches.begin(include=ways)
    codes = {row["run"]: row["exit_code"] for row in batches.rows()}
    assert codes == {"broken_at-8": "3", "die_at-12": "137", "window-3": "0"}
    assert done.returncode == 4
    assert "die_at-12: killed by SIGKILL" in done.stdout
    assert "worst: die_at-12 with exit code 137" in done.stderr


def test_problems_come_first_and_their_settings_reach_their_runs(batches):
    problems = [{"name": "wide", "set": {"plugins.lab.with.seeds": 5}}, {"name": "narrow"}]
    assert batches.begin(problems=problems, set={"plugins.lab.with.seeds": 2}, trials=10).returncode == 0
    assert [(row["run"], row["problem"]) for row in batches.rows()] == [("wide", "wide"), ("narrow", "narrow")]
    seeds = [sum(trial["selection"] is None for trial in batches.trials(name)) for name in ("wide", "narrow")]
    assert seeds == [5, 2]


@pytest.mark.slow
def test_several_seeds_are_summed_up_for_each_combination(batches):
    done = batches.begin("--json", matrix={"window": [2, 5]}, seeds=2, trials=12)
    result = json.loads(done.stdout)
    assert done.stderr == ""
    assert result == {**json.loads((batches.folder / "results.json").read_text())}
    assert [each["settings"] for each in result["summary"]] == [{"window": 2}, {"window": 5}]
    for each in result["summary"]:
        scores = [row["best_score"] for row in result["runs"] if row["settings"] == each["settings"]]
        assert (each["runs"], each["scored"]) == (2, 2)
        assert (each["min"], each["max"]) == (min(scores), max(scores))
        assert each["mean"] == pytest.approx(sum(scores) / 2)


@pytest.mark.slow
def test_a_table_of_runs_and_one_over_seeds_is_printed(batches):
    done = batches.begin(matrix={"plugins.lab.with.seeds": [2, 3]}, seeds=2, trials=12)
    runs, over_seeds = (block.splitlines() for block in done.stdout.split("\n\n"))
    assert runs[0].split() == ["seeds", "seed", "state", "trials", "best", "final", "elapsed", "exit"]
    assert [line.split()[:4] for line in runs[1:]] == [
        [seeds, seed, "complete", "12/12"] for seeds in "23" for seed in "01"
    ]
    assert over_seeds[0].split() == ["seeds", "runs", "mean", "best", "min", "max"]
    assert [line.split()[:2] for line in over_seeds[1:3]] == [["2", "2"], ["3", "2"]]
    assert over_seeds[-1] == f"batch = {batches.folder}"


def test_what_is_not_known_to_be_spent_is_called_unknown(tmp_path):
    folder = BatchFolder(tmp_path, parse_batch({"plugin": "lab"}, source="test"))
    spent = RunRow("a", "", {"x": [1]}, 0, "complete", dollars=None, prompt_tokens=7, error='said "no", twice')
    save_results(folder, [spent, RunRow("b", "", {}, 0, "waiting")])
    assert (tmp_path / "results.csv").read_text().splitlines()[1:] == [
        'a,,[1],0,complete,0,,,,0.0,7,0,unknown,,"said ""no"", twice"',
        "b,,,0,waiting,0,,,,0.0,0,0,0.0,,",
    ]
    assert [row["dollars"] for row in json.loads((tmp_path / "results.json").read_text())["runs"]] == [None, 0.0]


@pytest.mark.slow
def test_batches_are_numbered_beside_the_runs(batches, tmp_path):
    file = batches.write(name="compare", trials=5)
    for number in (1, 2):
        assert batches.runs.evo("batch", file).returncode == 0
        assert (tmp_path / "runs" / f"compare-{number}" / "results.csv").is_file()
    assert batches.runs.evo("batch", "--resume", "compare-2").returncode == 0


def test_a_pipeline_file_is_found_beside_the_batch_file_and_a_preset_by_its_plugin(batches, tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "p.json").write_text(json.dumps(batches.runs.pipeline(trials=5)))
    (tmp_path / "deep" / "b.json").write_text('{"name": "filed", "pipeline": "p.json"}')
    (tmp_path / "c.json").write_text('{"name": "preset", "plugin": "lab", "set": {"budget.trials": 5}}')
    for file in ("deep/b.json", "c.json"):
        done = batches.runs.evo("batch", file)
        assert done.returncode == 0, done.stderr
    assert batches.runs.trials(tmp_path / "runs/filed-1/runs/run") == batches.runs.trials(
        tmp_path / "runs/preset-1/runs/run"
    )


MISTAKES = {
    "misspelt key": ({"matrx": {"window": [2]}}, ["unknown key 'matrx'", "did you mean 'matrix'"]),
    "misspelt setting": ({"matrix": {"windwo": [2]}}, ["run windwo-2", "did you mean 'window'"]),
    "misspelt option": (
        {"problems": [{"name": "a"}, {"name": "b", "set": {"plugins.lab.with.sedes": 2}}]},
        ["run b", "'sedes'", "did you mean 'seeds'"],
    ),
    "unknown driver": ({"matrix": {"executor.driver": ["threads", "thread"]}}, ["run driver-thread", "executor.driver"]),
    "owner": ({"matrix": {"owners.select": ["lab", "nobody"]}}, ["run select-nobody", "owners.select"]),
}  # fmt: skip


@pytest.mark.parametrize(("content", "words"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_one_combination_is_said_before_the_first_run(batches, content, words):
    assert_refused(batches.begin(**content), words)
    assert not batches.folder.exists()


COMMANDS = {
    "nothing named": ([], ["name a batch file"]),
    "missing file": (["missing.yaml"], ["'missing.yaml'", "No such file"]),
    "no batch": (["--resume", "."], ["'.' is no batch"]),
    "folder twice": (["--resume", ".", "--run-dir", "x"], ["leave out --run-dir"]),
    "none at a time": (["missing.yaml", "--parallel", "0"], ["--parallel"]),
}


@pytest.mark.parametrize(("arguments", "words"), COMMANDS.values(), ids=COMMANDS)
def test_mistakes_on_the_command_line(batches, arguments, words):
    assert_refused(batches.runs.evo("batch", *arguments), words)


@pytest.mark.parametrize("content", ["- a", "", "{plugin: lab", "{pipeline: missing.yaml}", "{pipeline: b.yaml}"])
def test_files_that_are_no_batch(batches, tmp_path, content):
    (tmp_path / "a.yaml").write_text(content)
    (tmp_path / "b.yaml").write_text("- lab")
    assert_refused(batches.runs.evo("batch", "a.yaml"), [".yaml"])
    assert not (tmp_path / "runs").exists()


def assert_refused(done, words):
    assert done.returncode == 2, (done.returncode, done.stderr)
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    for word in words:
        assert word in done.stderr


def test_on_a_terminal_the_runs_are_shown_live_and_the_results_as_a_table(batches):
    file = batches.write(matrix={"window": [2, 5]}, trials=30, with_={"durations": "adversarial"})
    reader, terminal = pty.openpty()
    command = ("-m", "evograft", "batch", file, "--run-dir", batches.folder)
    process = PythonProcess(*command, cwd=batches.home, stdout=terminal, stderr=terminal, stdin=terminal)
    os.close(terminal)
    shown = b""
    while chunk := read_some(reader):
        shown += chunk
    assert process.wait(timeout=60) == 0
    text = shown.decode()
    assert "complete     window-2: 30/30 trials" in text
    assert re.search(r"│\s*2\s*│\s*0\s*│\s*complete\s*│", text), text
    os.close(reader)


def read_some(reader):
    try:
        return os.read(reader, 4096)
    except OSError:  # Linux says so when the other end is closed
        return b""


def test_no_process_is_left_when_the_results_cannot_be_written(batches):
    file = batches.write(matrix={"window": [2, 3]}, trials=1_000_000, parallel=2, with_={"durations": "adversarial"})
    process = batches.start(file, "--run-dir", batches.folder)
    lines = iter(process.stderr.readline, "")
    assert next(line for line in lines if line.startswith("started      window-3"))
    below = psutil.Process(process.pid).children()
    assert len(below) == 2
    (batches.folder / "results.json").unlink(missing_ok=True)
    (batches.folder / "results.json").mkdir()
    below[0].kill()
    assert process.wait(timeout=60) == 4
    assert "cannot write" in process.stderr.read()
    _, alive = psutil.wait_procs(below, timeout=120)
    assert alive == []
