"""Who makes the candidates of an experiment with a model, and what its records say about that."""

from __future__ import annotations

import json
import socket
from collections import Counter
from importlib.resources import files

import pytest
import yaml
from asking import Asking
from fault_server import FaultServer, answer

from evograft_graph_invariant.records.summary.reader import read_summary

SMALL = {
    "experiment_id": "small",
    "objective": "rho",
    "population_size": 1,
    "baselines": [],
    "train": 10,
    "validation": 25,
    "test": 25,
    "large": 5,
    "extreme": 4,
    "max_nodes": 15,
}
ISLANDS = 4
NOVEL = 3
LOCAL, FALLBACK = "local", "costly"
PRICE = {"prompt": 0.5, "completion": 2.0}
COST = (400 * PRICE["prompt"] + 100 * PRICE["completion"]) * 1e-6
FREE = {"prompt": 0.0, "completion": 0.0}
RUBBISH = answer("I would rather talk about the weather.", usage=(400, 100))


class Experiments(Asking):
    """Experiments of phase 1, as `evo graph` makes them."""

    def phase1(self, *, apart=False, **settings):
        """Carries one out, in a process of its own where the driver leaves connections; returns its artifacts."""
        llm = {
            "driver": "openai",
            "base_url": self.server.base_url,
            "models": [{"name": LOCAL, "price": FREE}, {"name": FALLBACK, "weight": 0, "price": PRICE}],
            "backoff": 0.01,
            "concurrency": 2,
        }
        file = self.folder / "small.json"
        artifacts = self.folder / "artifacts"
        known = {"model": llm, "artifacts": str(artifacts), "set": {"order": "trial"}}
        file.write_text(json.dumps({**SMALL, **known, **settings}))
        done = (self.evo_process if apart else self.evo)("graph", "phase1", "--config", file)
        assert done.returncode == 0, done.stderr
        return artifacts

    def calls(self, model=None):
        seen = self.server.asked("/chat/completions")
        return [each for each in seen if model in (None, each.body["model"])]


@pytest.fixture
def experiments(runs, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    with FaultServer() as server:
        server.usual = RUBBISH
        yield Experiments(runs, server)


def formula(number):
    return answer(f"```python\ndef new_invariant(G):\n    return math.log(n(G)) / density(G) ** 0.{number}\n```")


def events(artifacts):
    return [json.loads(line) for line in (artifacts / "events.jsonl").read_text().splitlines()]


def generation_of_fifth_dry(lines, island):
    """Counted anew from the records: the fifth generation in which the island's model gave nothing valid."""
    tried = {line["generation"] for line in lines if line["island"] == island and line["model"]}
    return sorted(tried)[4]


def test_a_model_that_is_configured_writes_every_candidate_of_phase_one_at_the_islands_temperatures(experiments):
    experiments.server.usual = lambda _: formula(100 + len(experiments.server.seen))
    artifacts = experiments.phase1(generations=3)
    summary = read_summary(artifacts / "phase1_summary.json")
    made = [trial for trial in experiments.trials(artifacts / "run") if trial["selection"]]
    assert {trial["model"] for trial in made} == {LOCAL}
    assert [(row.model, row.trials, row.accepted) for row in summary.by_model] == [(LOCAL, 12, 12)]
    assert {row.operator.partition(".")[0] for row in summary.by_operator} == {"kernel", "operators"}
    assert {call.body["temperature"] for call in experiments.calls()} == {0.3, 0.8, 1.2}, "as specified"
    combined = [trial["proposal"]["operator"] for trial in made if trial["selection"]["island_name"] == "combine"]
    assert set(combined) == {"operators.crossover"}


def test_calls_that_correct_candidates_are_some_of_the_experiments_and_not_more(experiments):
    artifacts = experiments.phase1(generations=4)
    summary = read_summary(artifacts / "phase1_summary.json")
    assert len(experiments.calls()) == summary.cost.calls == 4 * ISLANDS
    assert "calls" in summary.stop_reason
    (row,) = summary.by_model
    assert row.trials < 4 * ISLANDS, "most of them took two calls"


def test_records_tell_a_worthless_model_at_a_glance_and_the_fallbacks_come_as_specified(experiments):
    artifacts = experiments.phase1(
        generations=16,
        self_correction=False,
        explore={"slice": 200, "weight_with_model": 0.4},
        fallbacks={"model": FALLBACK, "max_tokens": 500},
        early_stop=0,
    )
    summary, lines = read_summary(artifacts / "phase1_summary.json"), events(artifacts)
    rows = {row.model: row for row in summary.by_model}
    assert set(rows) == {LOCAL, FALLBACK, ""}
    assert rows[LOCAL].accepted == rows[FALLBACK].accepted == 0
    assert rows[""].accepted > 0
    assert rows[""].calls == 0
    assert (summary.best.operator, summary.best.model) == ("graph_invariant.explore", "")
    explored = next(row for row in summary.by_operator if row.operator == "graph_invariant.explore")
    assert (explored.calls, explored.trials) == (0, rows[""].trials)

    begun = {each.island: each.generation for each in summary.fallbacks if each.kind == "constrained_on"}
    assert begun == {island: generation_of_fifth_dry(lines, island) for island in range(ISLANDS)}
    used = [each for each in summary.fallbacks if each.kind == "fallback_model"]
    assert {each.island for each in used} == {NOVEL}
    assert used[0].generation == begun[NOVEL] + 4, "three more dry generations, then one with the fallback model"
    assert "constrained_off" not in {each.kind for each in summary.fallbacks}, "formulas of no model free no island"

    assert len(lines) == summary.run.trials
    assert Counter(line["model"] for line in lines if line["prompt"]) == {
        LOCAL: rows[LOCAL].calls,
        FALLBACK: rows[FALLBACK].calls,
    }
    assert summary.cost.dollars == pytest.approx(len(experiments.calls(FALLBACK)) * COST)
    pool = [call.prompt for call in experiments.calls() if "sum mean max min" in call.prompt]
    assert pool
    assert not any("spectral_radius(G)" in prompt or "functions of `nx`" in prompt for prompt in pool)

    assert experiments.evo("graph", "report", "--artifacts", artifacts).returncode == 0
    report = (artifacts / "report.md").read_text()
    assert "Who made what" in report
    assert "| no model |" in report
    status = json.loads(experiments.evo("status", artifacts / "run", "--json").stdout)
    assert {each["model"]: each["ok"] for each in status["models"]} == {
        LOCAL: 0,
        FALLBACK: 0,
        "": rows[""].accepted,
    }
    exported = experiments.evo("export", artifacts / "run", "--format", "csv").stdout
    assert exported.count(f",{FALLBACK},") == rows[FALLBACK].trials


@pytest.mark.long
def test_a_fallback_model_that_nobody_answers_for_is_a_refused_use_and_the_experiment_continues(
    experiments, monkeypatch
):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound and not listening: every connection is refused
        monkeypatch.setenv("OPENAI_API_BASE", experiments.server.base_url)
        monkeypatch.setenv("OLLAMA_API_BASE", f"http://127.0.0.1:{closed.getsockname()[1]}")
        local, unreachable = "openai/local", "ollama_chat/fallback"
        models = [{"name": local, "price": FREE}, {"name": unreachable, "weight": 0}]
        artifacts = experiments.phase1(
            apart=True,
            generations=6,
            self_correction=False,
            early_stop=0,
            model={"driver": "litellm", "models": models, "backoff": 0.01, "retries": 1},
            fallbacks={"model": unreachable, "max_tokens": 500, "constrained_after": 1, "model_after": 1},
        )
        summary = read_summary(artifacts / "phase1_summary.json")
        assert summary.generations_run == 6
        refused = [each for each in summary.fallbacks if each.kind == "refused"]
        assert refused
        assert not [each for each in summary.fallbacks if each.kind == "fallback_model"]
        assert "ollama_chat/fallback gave no answer" in refused[0].reason
        assert {row.model: row.trials for row in summary.by_model} == {local: 6 * ISLANDS, unreachable: 0}
        run = artifacts / "run"
        copy = experiments.cut(run, "copy", after=experiments.rows(run) * 2 // 3)
        done = experiments.evo_process("resume", copy)
        assert done.returncode == 0, done.stderr
        assert experiments.trials(copy) == experiments.trials(run)


@pytest.mark.parametrize("name", ["map_elites", "bounds", "ood"])
def test_a_ready_experiment_runs_to_its_end(runs, name):
    ready = yaml.safe_load((files("evograft_graph_invariant") / "experiments" / "ready" / f"{name}.yaml").read_text())
    tiny = {**SMALL, "generations": 1, "model": "none", "explore": {"slice": 200}, "artifacts": "here"}
    (runs.folder / "tiny.yaml").write_text(yaml.safe_dump({**tiny, **ready, "large": 5, "extreme": 4}))
    done = runs.evo_apart("graph", "phase1", "--config", "tiny.yaml")
    assert done.returncode == 0, done.stderr
    summary = read_summary(runs.folder / "here" / "phase1_summary.json")
    assert (summary.experiment_id, summary.generations_run) == (name, 1)
    assert all(len(each.seeds) == each.graphs for each in summary.data if each.nodes), "the seed of every graph"
