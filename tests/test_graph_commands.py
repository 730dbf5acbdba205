"""`evo graph`: experiments from a file to their records, through kills, refusals and benchmarks."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from python_process import run_evo
from waiting import wait_until

from evograft.drivers.llm.prompt_files import find_waiting, write_answer
from evograft.runs.lock_file import LOCK_FILE
from evograft_graph_invariant.records.summary.reader import read_summary

pytestmark = pytest.mark.long

FIELDS = {
    "generation",
    "island",
    "timestamp",
    "prompt",
    "llm_response",
    "extracted_code",
    "train_score",
    "val_score",
    "simplicity",
    "status",
    "error",
}
"""As specified."""
WHO = {"operator", "model"}
"""Who made the candidate, behind the specified fields."""
SMALL = {
    "experiment_id": "small",
    "model": "none",
    "objective": "rho",
    "generations": 4,
    "explore": {"slice": 300},
    "baselines": ["linear", "best_single"],
    "train": 10,
    "validation": 25,
    "test": 25,
    "large": 5,
    "extreme": 4,
}
"""Not good at anything but being over soon."""


def write(folder, name="small.json", **settings):
    path = folder / name
    path.write_text(json.dumps({**SMALL, **settings}))
    return path


def graph(runs, *arguments, code=0):
    done = runs.evo_apart("graph", *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def events(artifacts):
    return [json.loads(line) for line in (artifacts / "events.jsonl").read_text().splitlines()]


def comparable(artifacts):
    """The records without what differs from run to run: times, the run's id and its place."""
    summary = read_summary(artifacts / "phase1_summary.json")
    lines = [{**line, "timestamp": None} for line in events(artifacts)]
    folder = artifacts / "checkpoints" / "small"
    states = {path.name: {**json.loads(path.read_text()), "run": None} for path in folder.iterdir()}
    return summary.model_copy(update={"run": None}), lines, states


@pytest.fixture(scope="module")
def ended(tmp_path_factory, cache):
    """An experiment of phase 1 that has ended, for all tests of this file."""
    folder = tmp_path_factory.mktemp("ended")
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "XDG_STATE_HOME": str(folder / "state")}
    done = run_evo("graph", "phase1", "--config", write(folder), cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    assert "artifacts = " in done.stdout
    return folder


@pytest.fixture
def experiment(runs, ended):
    """A copy of it in the test's folder: its file and its artifacts."""
    artifacts = runs.folder / "artifacts" / "small"
    shutil.copytree(ended / "artifacts" / "small", artifacts)
    return write(runs.folder), artifacts


def test_an_experiment_leaves_the_records_that_were_specified(runs, experiment):
    _, artifacts = experiment
    lines = events(artifacts)
    assert all(set(line) == FIELDS | WHO for line in lines)
    assert all(line["operator"] and line["model"] is None for line in lines), "this experiment has no model"
    trials = runs.trials(artifacts / "run")
    assert [line["extracted_code"] for line in lines] == [
        each["candidate"]["files"]["main"] if each["candidate"] else None for each in trials
    ]
    assert {line["generation"] for line in lines} == set(range(5))
    checkpoints = sorted((artifacts / "checkpoints" / "small").iterdir())
    assert [path.name for path in checkpoints] == ["gen_2.json", "gen_3.json", "gen_4.json"]
    state = json.loads(checkpoints[-1].read_text())
    assert state["rng_state"] == {"seed": 0, "trial": len(trials)}
    assert [island["number"] for island in state["islands"]] == [0, 1, 2, 3]
    assert all(elite["score"] is not None for island in state["islands"] for elite in island["elites"])


def test_the_summary_tells_the_figures_of_the_log(runs, experiment):
    _, artifacts = experiment
    from evograft.log.records import FinalEvaluation
    from evograft.runs.reader import open_journal

    with open_journal(artifacts / "run") as journal:
        (judged,) = (record for record in journal.records() if isinstance(record, FinalEvaluation))
    summary = read_summary(artifacts / "phase1_summary.json")
    assert (summary.schema_version, summary.phase, summary.generations_run) == (3, 1, 4)
    assert summary.notes == ()
    best, metrics = summary.best, judged.evaluation.metrics
    assert best is not None
    assert best.trial == judged.trial
    assert best.test is not None
    assert best.test.rho == metrics["test_rho"]
    assert best.test.low <= best.test.rho <= best.test.high
    assert best.total == metrics["total"]
    assert {name: score.rho for name, score in best.ood.items()} == {name: metrics[f"{name}_rho"] for name in best.ood}
    assert {len(values.true) for name, values in best.graphs.items() if name == "test"} == {25}
    assert [row.name for row in summary.baselines] == ["LinearRegression", "best single"]
    assert summary.baselines[0].rho["test"] == metrics["test_rho_LinearRegression"]
    assert summary.verdicts is not None
    assert summary.success is summary.verdicts.success.holds
    assert all(len(island.best_by_generation) == 5 for island in summary.islands)
    assert all(point.novelty is not None for point in summary.map_points)
    ood = json.loads(graph(runs, "ood", artifacts, "--json").stdout)
    assert ood["ood"]["large_random"]["rho"] == best.ood["large_random"].rho


@pytest.mark.slow
def test_a_run_without_records_has_an_ood_table_too(runs, experiment):
    _, artifacts = experiment
    judged = json.loads(graph(runs, "ood", artifacts / "run", "--json").stdout)
    told = json.loads(graph(runs, "ood", artifacts, "--json").stdout)
    assert judged["ood"] == told["ood"]
    assert "| special_topology | 18 |" in graph(runs, "ood", artifacts).stdout


def test_an_experiment_that_is_killed_goes_on_to_the_same_records(runs, experiment):
    _, undisturbed = experiment
    whole = len(events(undisturbed))
    file = write(runs.folder, "killed.json", artifacts="killed")
    artifacts = runs.folder / "killed"
    process = runs.start("-m", "evograft", "graph", "phase1", "--config", file)
    wait_until((artifacts / "checkpoints" / "small" / "gen_1.json").exists)
    runs.kill(process)
    assert 28 <= len((artifacts / "events.jsonl").read_bytes().splitlines()) < whole
    with (artifacts / "events.jsonl").open("ab") as torn:
        torn.write(b'{"generation": 1, "isl')
    newest = max((artifacts / "checkpoints" / "small").iterdir())
    graph(runs, "phase1", "--config", file, "--resume", newest)
    assert comparable(artifacts) == comparable(undisturbed)
    assert runs.trials(artifacts / "run") == runs.trials(undisturbed / "run")


@pytest.mark.slow
def test_records_that_cannot_be_written_are_said_to_be_incomplete_and_come_with_the_next_resume(runs, experiment):
    _, undisturbed = experiment
    file = write(runs.folder, "full.json", artifacts="full")
    artifacts = runs.folder / "full"
    process = runs.start("-m", "evograft", "graph", "phase1", "--config", file)
    wait_until((artifacts / "checkpoints" / "small" / "gen_1.json").exists)
    (artifacts / "phase1_summary.json").mkdir()
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 4, errors
    assert "the records are incomplete (Is a directory): --resume writes them" in errors
    assert f"Error: {artifacts / 'phase1_summary.json'} could not be written" in errors
    (artifacts / "phase1_summary.json").rmdir()
    graph(runs, "phase1", "--config", file, "--resume", artifacts / "checkpoints" / "small" / "gen_1.json")
    assert comparable(artifacts) == comparable(undisturbed)


def test_a_summary_of_an_earlier_session_is_gone_while_the_experiment_goes_on(runs, experiment):
    _, artifacts = experiment
    more = write(runs.folder, generations=60)
    process = runs.start("-m", "evograft", "graph", "phase1", "--config", more, "--resume", checkpoints(artifacts)[-1])
    wait_until((artifacts / "checkpoints" / "small" / "gen_5.json").exists)
    assert not (artifacts / "phase1_summary.json").exists(), "the newest checkpoint stands in for it"
    runs.kill(process)
    unfinished = graph(runs, "ood", artifacts, code=2)
    assert f"its best so far is judged by: evo graph ood {artifacts / 'run'}" in unfinished.stderr


def test_a_checkpoint_of_more_than_the_log_holds_goes_on_from_the_log_and_says_so(runs, experiment):
    file, artifacts = experiment
    checkpoint = checkpoints(artifacts)[-1]
    state = json.loads(checkpoint.read_text())
    state["run"]["commits"] = 1000
    checkpoint.write_text(json.dumps(state))
    done = graph(runs, "phase1", "--config", file, "--resume", checkpoint)
    assert "stands for 1000 trials, and the log holds only 88: it goes on from the log" in done.stderr


def checkpoints(artifacts):
    return sorted((artifacts / "checkpoints" / "small").iterdir())


def test_records_that_are_lost_are_written_again_from_the_log(runs, experiment):
    file, artifacts = experiment
    before = comparable(artifacts)
    checkpoint = artifacts / "kept" / "apart" / "gen_4.json"
    checkpoint.parent.mkdir(parents=True)
    shutil.copy(artifacts / "checkpoints" / "small" / "gen_4.json", checkpoint)
    for name in ("events.jsonl", "phase1_summary.json"):
        (artifacts / name).unlink()
    shutil.rmtree(artifacts / "checkpoints")
    graph(runs, "phase1", "--config", file, "--resume", checkpoint)
    assert comparable(artifacts) == before


@pytest.mark.slow
def test_more_generations_go_on_from_the_log_whatever_the_checkpoint(runs, experiment):
    _, artifacts = experiment
    more = write(runs.folder, generations=5)
    older = artifacts / "checkpoints" / "small" / "gen_3.json"
    done = graph(runs, "phase1", "--config", more, "--resume", older)
    assert re.search(r"gen_3\.json stands for \d+ trials, and the log holds \d+", done.stderr)
    assert read_summary(artifacts / "phase1_summary.json").generations_run == 5
    moved = runs.folder / "moved"
    artifacts.rename(moved)
    newest = moved / "checkpoints" / "small" / "gen_5.json"
    graph(runs, "phase1", "--config", more, "--resume", newest)
    assert not artifacts.exists(), "records stay beside their run"
    other = graph(runs, "phase1", "--config", write(runs.folder, level="degrees"), "--resume", newest, code=2)
    assert "graph_invariant.level would change, which makes another experiment of it" in other.stderr
    (moved / "run" / LOCK_FILE).unlink()
    gone = graph(runs, "phase1", "--config", more, "--resume", newest, code=2)
    assert "a checkpoint alone does not" in gone.stderr


def test_the_files_of_an_experiment_are_not_overwritten_by_another(runs, experiment):
    file, artifacts = experiment
    refused = graph(runs, "phase1", "--config", file, code=2)
    assert f"--resume {artifacts / 'checkpoints' / 'small' / 'gen_4.json'}" in refused.stderr
    phase2 = graph(runs, "phase2", "--config", file, "--resume", artifacts / "checkpoints/small/gen_4.json", code=2)
    assert "phase 1" in phase2.stderr


def test_the_records_of_a_search_for_bounds_have_no_correlations(runs):
    graph(runs, "phase1", "--config", write(runs.folder, mode="upper", generations=1))
    summary = read_summary(runs.folder / "artifacts" / "small" / "phase1_summary.json")
    assert (summary.notes, summary.success, summary.verdicts, summary.baselines) == ((), None, None, ())
    assert summary.best.formula
    assert summary.best.test is None


@pytest.mark.slow
def test_phase_2_does_not_start_after_a_phase_1_that_failed(runs, experiment):
    _, artifacts = experiment
    assert read_summary(artifacts / "phase1_summary.json").verdicts.phase_two.holds is None, "no symbolic baseline ran"
    quick = {"sizes": [30, 60], "extra_test": 5, "extra_test_sizes": [60, 70], "generations": 1}
    after = write(
        runs.folder, "two.json", experiment_id="two", phase1_summary=str(artifacts / "phase1_summary.json"), **quick
    )
    refused = graph(runs, "phase2", "--config", after, code=2)
    assert "phase 1 did not succeed" in refused.stderr
    assert not (runs.folder / "artifacts" / "two").exists()
    graph(runs, "phase2", "--config", after, "--force")
    summary = read_summary(runs.folder / "artifacts" / "two" / "phase2_summary.json")
    assert (summary.phase, summary.target, summary.best.test.graphs) == (2, "algebraic_connectivity", 30)


@pytest.mark.slow
def test_yaml_and_json_say_the_same_and_the_module_is_the_command(runs, experiment):
    _, artifacts = experiment
    text = "\n".join(f"{key}: {json.dumps(value)}" for key, value in SMALL.items())
    (runs.folder / "small.yaml").write_text(f"{text}\nartifacts: again\n")
    process = runs.start("-m", "evograft_graph_invariant.cli", "phase1", "--config", "small.yaml")
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    assert "best test rho" in output
    assert comparable(runs.folder / "again") == comparable(artifacts)


def test_a_mistake_in_the_file_is_said_before_anything_is_made(runs):
    refused = graph(runs, "phase1", "--config", write(runs.folder, genrations=3), code=2)
    assert "small.json: unknown key 'genrations'; did you mean 'generations'?" in refused.stderr
    islands = [{"name": "one", "strat": "refine"}]
    refused = graph(runs, "phase1", "--config", write(runs.folder, islands=islands), code=2)
    assert "did you mean 'strategy'?" in refused.stderr
    assert not (runs.folder / "artifacts").exists()


def test_no_choice_depends_on_the_graphs_of_the_judgement(runs, experiment):
    _, artifacts = experiment
    sizes = {"extra_test_sizes": [40, 50], "large_sizes": [100, 120]}
    judged_otherwise = {"test": 10, "extra_test": 5, "large": 10, "extreme": 8, **sizes}
    graph(runs, "phase1", "--config", write(runs.folder, artifacts="other", **judged_otherwise))
    other = runs.folder / "other"
    assert runs.trials(other / "run") == runs.trials(artifacts / "run")
    here, there = (read_summary(path / "phase1_summary.json") for path in (artifacts, other))
    assert here.master_seed == there.master_seed
    assert here.best.code == there.best.code
    assert here.best.graphs["validation"] == there.best.graphs["validation"]
    assert here.best.test.rho != there.best.test.rho, "that alone is another one"


def test_calls_of_a_model_are_lines_with_prompt_and_answer(runs):
    file = write(runs.folder, model="manual", generations=1)
    process = runs.start("-m", "evograft", "graph", "phase1", "--config", file)
    run = runs.folder / "artifacts" / "small" / "run"
    given = set()

    def answer_all():
        prompts = find_waiting(run) if (run / LOCK_FILE).exists() else ()
        for prompt in prompts:
            if prompt.name not in given:
                given.add(prompt.name)
                write_answer(
                    run, prompt.name, f"```python\ndef new_invariant(G):\n    return n(G) / {len(given)}\n```\n"
                )
        return process.poll() is not None

    wait_until(answer_all)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, output + errors
    lines = events(runs.folder / "artifacts" / "small")
    summary = read_summary(runs.folder / "artifacts" / "small" / "phase1_summary.json")
    called = [line for line in lines if line["prompt"] is not None]
    assert len(called) == len(given) == summary.cost.calls
    assert all("new_invariant" in line["prompt"] and "```python" in line["llm_response"] for line in called)
    assert all(line["extracted_code"] in line["llm_response"] for line in called if line["status"] == "success")
    others = [line for line in lines if line["prompt"] is None]
    assert [(line["operator"], line["model"]) for line in others] == [("kernel.seed", None)] * len(others)
    assert len(others) == len(lines) - len(given) > 0, "every trial has a line"


@pytest.mark.slow
def test_a_benchmark_compares_variants_and_methods_over_seeds_and_goes_on_after_a_kill(runs):
    settings = {
        "experiment_id": "bench",
        "seeds": [3, 4],
        "parallel": 1,
        "generations": 1,
        "ablate": {"plain": {"explore": {"weight": 0}}},
    }
    file = write(runs.folder, "bench.json", **settings)
    folder = runs.folder / "artifacts" / "bench"
    process = runs.start("-m", "evograft", "graph", "benchmark", "--config", file)
    wait_until((folder / "batch" / "runs" / "full_seed-3" / "phase1_summary.json").exists)
    runs.kill(process)
    first = (folder / "batch" / "runs" / "full_seed-3" / "phase1_summary.json").stat().st_mtime_ns
    done = graph(runs, "benchmark", "--config", file, "--json")
    found = json.loads(done.stdout)
    assert (folder / "batch" / "runs" / "full_seed-3" / "phase1_summary.json").stat().st_mtime_ns == first
    assert found == json.loads((folder / "benchmark.json").read_text())
    rows = {row["name"]: row for row in found["entries"]}
    assert list(rows) == ["full", "plain", "LinearRegression", "best single"]
    assert found["seeds"] == [3, 4]
    summaries = [read_summary(folder / f"batch/runs/full_seed-{seed}/phase1_summary.json") for seed in (3, 4)]
    rhos = [abs(summary.best.test.rho) for summary in summaries]
    assert rows["full"]["rho"]["test"]["mean"] == pytest.approx(sum(rhos) / 2)
    assert rows["full"]["rho"]["test"]["low"] < min(rhos)
    assert len({summary.master_seed for summary in summaries}) == 2, "each seed has graphs of its own"
    assert rows["full"]["success"] == {"holds": 0, "decided": 0}, "no symbolic baseline ran"
    assert rows["full"]["strict"]["decided"] == 2
    text = (folder / "benchmark.md").read_text()
    assert "| LinearRegression | 2 |" in text
    changed = write(runs.folder, "bench.json", **{**settings, "seeds": [3]})
    assert "changed since" in graph(runs, "benchmark", "--config", changed, code=2).stderr


def test_the_report_of_an_experiment_is_written_beside_its_records(runs, experiment):
    _, artifacts = experiment
    done = graph(runs, "report", "--artifacts", artifacts, "--language", "en")
    pages = re.findall(r"^report = (.+)$", done.stdout, re.MULTILINE)
    assert {path.rsplit(".", 1)[1] for path in pages} == {"md", "html"}
    assert "small" in (artifacts / "report.md").read_text()


def test_help_lists_the_commands_and_loads_nothing_heavy(runs):
    assert {"phase1", "phase2", "benchmark", "ood", "report"} <= set(graph(runs, "--help").stdout.split())
    script = (
        "import sys, evograft_graph_invariant.cli; "
        "assert not {'numpy', 'networkx', 'scipy', 'sympy', 'yaml'} & set(sys.modules), 'heavy'"
    )
    done = subprocess.run([sys.executable, "-c", script], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
