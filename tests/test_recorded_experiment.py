"""An experiment that a strong model answered, repeated from its log, and the same one with a worthless model next to it."""

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from fault_server import FaultServer, answer

from evograft.runs.reader import open_journal
from evograft_graph_invariant.records.summary.reader import read_summary

RECORDED = Path(__file__).parent / "recorded_experiment"
STRONG, WORTHLESS, FALLBACK = "strong", "worthless", "costly"
ANSWERS = 40
ISLANDS = range(4)
NOVEL = 3


@dataclass(frozen=True)
class Glance:
    """What tells experiments apart in their summaries."""

    best: float
    operator: str
    model: str
    accepted: dict[str, tuple[int, int]]
    """By model: candidates that were accepted, of all."""
    fallbacks: set[str]

    @classmethod
    def of(cls, summary):
        return cls(
            best=round(summary.best.score, 4),
            operator=summary.best.operator,
            model=summary.best.model,
            accepted={row.model: (row.accepted, row.trials) for row in summary.by_model},
            fallbacks={event.kind for event in summary.fallbacks},
        )


@pytest.fixture
def recorded(unpacked):
    return unpacked(RECORDED / "run.tar.gz")


@pytest.fixture
def worthless(monkeypatch):
    """Two models that write no program, whatever they are asked."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    with FaultServer() as server:
        server.usual = answer("I would rather talk about the weather.", usage=(400, 100))
        # Two calls at a time, so that a trial sees the whole generation before its own.
        yield {"driver": "openai", "base_url": server.base_url, "concurrency": 2, "models": models(WORTHLESS)}


def models(name):
    free = {"prompt": 0.0, "completion": 0.0}
    return [{"name": name, "price": free}, {"name": FALLBACK, "weight": 0, "price": free}]


def carry_out(runs, name, model):
    """The summary of the recorded experiment with another model."""
    experiment = yaml.safe_load((RECORDED / "experiment.yaml").read_text(encoding="utf-8"))
    file = runs.folder / f"{name}.json"
    file.write_text(json.dumps({**experiment, "artifacts": name, "model": model}))
    done = runs.evo_apart("graph", "phase1", "--config", file)
    assert done.returncode == 0, done.stderr
    return read_summary(runs.folder / name / "phase1_summary.json")


def exchanges(path):
    with open_journal(path) as journal:
        return {key: journal.exchange(seq)[:2] for seq, key in journal.places("answer")}


@pytest.mark.long
def test_summaries_of_the_same_experiment_tell_a_strong_model_from_a_worthless_one(runs, recorded, worthless):
    replay = {"driver": "replay", "run": str(recorded), "concurrency": 4, "models": models(STRONG)}
    strong, stub = carry_out(runs, "strong", replay), carry_out(runs, "stub", worthless)
    assert runs.trials(runs.folder / "strong" / "run") == runs.trials(recorded)
    assert exchanges(runs.folder / "strong" / "run") == exchanges(recorded)

    assert Glance.of(strong) == Glance(
        best=0.6485,
        operator="operators.diff",
        model=STRONG,
        accepted={STRONG: (ANSWERS, ANSWERS)},  # no line for the fallback model, which was not asked
        fallbacks=set(),
    )
    uses = sum(event.kind == "fallback_model" for event in stub.fallbacks)
    assert uses
    assert Glance.of(stub) == Glance(
        best=0.6382,
        operator="kernel.seed",
        model="",
        accepted={WORTHLESS: (0, ANSWERS - uses), FALLBACK: (0, uses)},
        fallbacks={"constrained_on", "fallback_model"},
    )
    assert round(abs(strong.best.test.rho), 4) > round(abs(stub.best.test.rho), 4)

    begun = {event.island: event.generation for event in stub.fallbacks if event.kind == "constrained_on"}
    assert begun == dict.fromkeys(ISLANDS, 5), "after five dry generations"
    used = [(event.generation, event.island) for event in stub.fallbacks if event.kind == "fallback_model"]
    assert used[0] == (9, NOVEL), "three more dry generations, then one with the fallback model"


def test_every_candidate_of_the_recorded_experiment_is_a_formula_of_the_strong_model_and_none_comes_twice(
    runs, recorded
):
    trials = runs.trials(recorded)
    written = [trial for trial in trials if trial["selection"]]
    assert len(written) == ANSWERS
    assert {trial["model"] for trial in written} == {STRONG}
    assert {trial["model"] for trial in trials if not trial["selection"]} == {""}
    assert {trial["evaluation"]["status"] for trial in written} == {"ok"}
    formulas = Counter(re.sub(r"\s", "", trial["candidate"]["files"]["main"]) for trial in trials)
    assert set(formulas.values()) == {1}
    operators = {trial["proposal"]["operator"].partition(".")[2] for trial in written}
    assert operators == {"diff", "rewrite", "crossover", "fresh"}


def test_the_answers_in_the_log_are_those_that_can_be_read_beside_it(recorded):
    written = Counter(path.read_text(encoding="utf-8") for path in (RECORDED / "answers").iterdir())
    assert Counter(answer.text for _, answer in exchanges(recorded).values()) == written


def test_prompts_of_the_recorded_experiment_tell_how_much_each_part_of_the_score_weighs(recorded):
    prompts = [request.messages[-1].content for request, _ in exchanges(recorded).values()]
    assert all("0.6 |rho| on validation + 0.2 simplicity + 0.2 novelty" in prompt for prompt in prompts)
    assert all("novelty, which is 1 less its largest |rho| with a known invariant" in prompt for prompt in prompts)
