"""Runs whose model answers rubbish: what is done about the islands that run dry, and that a kill changes nothing of it."""

from __future__ import annotations

import itertools
import json
import os
import signal
import threading
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime

import pytest
from asking import Asking
from fault_server import FaultServer, answer, cut
from platformdirs import user_state_path

from evograft.config.loading import pipeline_from
from evograft.log.records import BillableCall, FailedCharge, Finished
from evograft.runs.reader import open_journal
from evograft.session.start import start_run
from evograft.store.sqlite import SqliteStore
from evograft_graph_invariant.constrained.events import find_fallback_events
from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_graph_invariant.constrained.proposal_facts import CONSTRAINED
from evograft_hookspecs import NoOptions

SIZE = 4
"""Candidates of a generation, one of each island."""
GENERATIONS = 22
POOL = "+ - * / log sqrt ** sum mean max min"
LOCAL, FALLBACK = "local", "costly"
PRICE = {"prompt": 0.5, "completion": 2.0}
COST = (400 * PRICE["prompt"] + 100 * PRICE["completion"]) * 1e-6
VALID = "```python\ndef new_invariant(G):\n    n = G.number_of_nodes()\n    m = G.number_of_edges()\n    return math.log(n) / math.log(2 * m / n)\n```"

OPTIONS = {"model": FALLBACK, "max_tokens": 500}
QUICK = {"constrained_after": 1, "model_after": 1}
"""Constrained after the first generation, and then every other one with the fallback model."""
SHORT = {"generations": 9}
"""Enough for three uses."""


class Dry(Asking):
    """Runs of graph_invariant in which all candidates are the model's."""

    def pipeline(self, *, fallbacks=None, options=None, **settings):
        small = {"train": 10, "validation": 25, "baselines": [], "master_seed": 1, "level": "degrees"}
        return {
            "name": "dry",
            "plugins": [
                {
                    "name": "graph_invariant",
                    "with": {**small, **(options or {}), "fallbacks": {**OPTIONS, **(fallbacks or {})}},
                },
                "islands",
                {"name": "operators", "with": {"share": 1.0}},
            ],
            "operators": {"graph_invariant.explore": 0, "graph_invariant.fit": 0},
            "llm": {
                "driver": "openai",
                "base_url": self.server.base_url,
                "models": [{"name": LOCAL}, {"name": FALLBACK, "weight": 0, "price": PRICE}],
                "backoff": 0.01,
                "concurrency": 2,
                "give_up_after": None,
            },
            "budget": {"generations": GENERATIONS},
            "generation_size": SIZE,
            "order": "trial",
            "repairs": 0,
            **settings,
        }

    def begin(self, name, **settings):
        pipeline = pipeline_from(self.pipeline(**settings), source="test")
        return start_run(pipeline, runs=self.folder, folder=self.folder / name).path

    def calls(self, model):
        return [seen for seen in self.server.asked("/chat/completions") if seen.body["model"] == model]


@pytest.fixture
def dry(runs, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    with FaultServer() as server:
        server.usual = answer("I would rather talk about the weather.", usage=(400, 100))
        yield Dry(runs, server)


def events_of(path, **options):
    with open_journal(path) as journal:
        trials = [record.trial for record in journal.records() if isinstance(record, Finished)]
    trials.sort(key=lambda trial: trial.number)  # the log has them as they finished
    return find_fallback_events(trials, FallbackOptions(**{**OPTIONS, **options}), generation_size=SIZE)


def set_aside():
    return sum(len(month["reserved"]) for month in book().values())


def book():
    path = user_state_path("evograft") / "graph_invariant" / "fallback-spending.json"
    return json.loads(path.read_text())["months"] if path.exists() else {}


def asked_by_model(trials):
    return Counter(trial["proposal"]["model"] for trial in trials if trial["proposal"])


@pytest.mark.long
def test_dry_islands_are_constrained_and_the_novel_one_asks_the_fallback_model_three_generations_in_all(dry):
    path = dry.run("run")
    events = events_of(path)
    assert [(each.generation, each.island, each.kind) for each in events if each.generation <= 6] == [
        (5, island, "constrained_on") for island in range(4)
    ]
    used = [each for each in events if each.kind == "fallback_model"]
    assert {each.island for each in used} == {3}
    assert len(used) == 3
    assert Counter(each.kind for each in events) == {"constrained_on": 4, "fallback_model": 3}
    assert len(dry.calls(FALLBACK)) == 3 * SIZE / 4
    assert asked_by_model(dry.trials(path))[FALLBACK] == 3 * SIZE / 4
    late = [seen.prompt for seen in dry.server.asked("/chat/completions")[-20:]]
    assert all(POOL in prompt and "degrees = [d for _, d in G.degree()]" in prompt for prompt in late)
    assert POOL not in dry.server.asked("/chat/completions")[0].prompt
    hottest = {seen.body["temperature"] for seen in dry.calls(FALLBACK)}
    assert hottest == {1.2}, "the island's own"


def test_what_the_fallback_model_cost_stands_in_the_months_book_and_nothing_stays_set_aside(dry):
    dry.run("run", fallbacks=QUICK, budget=SHORT)
    (month,) = book()
    assert month == f"{datetime.now(UTC):%Y-%m}"
    assert book()[month]["spent"] == pytest.approx(3 * SIZE / 4 * COST)
    assert book()[month]["reserved"] == {}


@pytest.mark.parametrize("answers", [False, True], ids=["never", "at the third request"])
def test_requests_that_were_charged_without_an_answer_stand_in_the_months_book(dry, answers):
    """Each use of the fallback model breaks off twice: nobody knows what that cost, so it counts as what was reserved."""
    rubbish, requests = dry.server.usual, itertools.count(1)

    def by_model(seen):
        is_lost = seen.body["model"] == FALLBACK and not (answers and next(requests) % 3 == 0)
        return cut() if is_lost else rubbish

    dry.server.usual = by_model
    models = [{"name": LOCAL}, {"name": FALLBACK, "weight": 0, "price": PRICE, "optional": True}]
    llm = {**dry.pipeline()["llm"], "models": models, "retries": 2 if answers else 1, "concurrency": 1}
    path = dry.run("run", llm=llm, fallbacks=QUICK, budget={"generations": 4})
    with open_journal(path) as journal:
        paid = [each for each in journal.records() if isinstance(each, BillableCall) and each.model == FALLBACK]
    lost = [each for each in paid if isinstance(each, FailedCharge)]
    assert lost
    assert len(lost) % 2 == 0
    assert {each.usage.estimated for each in lost} == {True}
    (month,) = book().values()
    assert month["spent"] == pytest.approx(sum(each.usage.dollars or 0.0 for each in paid))
    assert month["reserved"] == {}


def test_a_month_without_money_asks_nothing_of_the_fallback_model_and_the_island_goes_on_without(dry):
    path = dry.run("run", fallbacks={**QUICK, "month_dollars": 0.000001}, budget=SHORT)
    assert dry.calls(FALLBACK) == []
    kinds = [each.kind for each in events_of(path, **QUICK)]
    assert [kind for kind in kinds if not kind.startswith("constrained")] == ["refused"], "the first use, all the time"
    assert asked_by_model(dry.trials(path)) == {LOCAL: SIZE * SHORT["generations"]}
    assert "are spent or set aside" in tools_said(path)


def test_a_damaged_book_closes_the_fallback_model_and_says_so(dry):
    path = user_state_path("evograft") / "graph_invariant" / "fallback-spending.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"version": 1, "months": {"2026-11": {"spent": -5}}}')
    run = dry.run("run", fallbacks=QUICK, budget={"generations": 4})
    assert dry.calls(FALLBACK) == []
    assert "is damaged" in tools_said(run)
    assert "-5" in path.read_text()


def test_a_model_without_a_price_is_not_asked(dry):
    models = [{"name": LOCAL}, {"name": FALLBACK, "weight": 0}]
    llm = {**dry.pipeline()["llm"], "models": models}
    run = dry.run("run", llm=llm, fallbacks=QUICK, budget={"generations": 4})
    assert dry.calls(FALLBACK) == []
    assert "nobody knows the price" in tools_said(run)


def test_one_valid_candidate_of_the_fallback_model_frees_its_island(dry):
    rubbish = dry.server.usual

    def by_model(seen):
        return answer(VALID) if seen.body["model"] == FALLBACK else rubbish

    dry.server.usual = by_model
    path = dry.run("run", fallbacks={"model_after": 1}, budget={"generations": 11})
    novel = [(each.kind, each.generation) for each in events_of(path, model_after=1) if each.island == 3]
    assert [kind for kind, _ in novel][:3] == ["constrained_on", "fallback_model", "constrained_off"]
    freed = novel[2][1]
    after = [trial for trial in dry.trials(path) if trial["view"] > 8 + SIZE * freed and trial["selection"]]
    free = [trial for trial in after if trial["selection"]["island"] == 3]
    assert free
    assert all(trial["proposal"]["operator"].startswith("operators.") for trial in free)


def test_killed_anywhere_and_resumed_it_is_the_same_run_and_no_logged_answer_is_asked_for_again(dry):
    path = dry.run("run", fallbacks=QUICK, budget=SHORT)
    whole, rows = dry.trials(path), dry.rows(path)
    answers = [row for row, text in logged(path) if json.loads(text.partition("\n")[0])["model"] == FALLBACK]
    for after in (rows // 3, answers[0] - 1, answers[1], rows - 2):
        copy = dry.cut(path, f"cut-{after}", after=after)
        before = len(dry.calls(FALLBACK))
        dry.resume(copy)
        assert dry.trials(copy) == whole
        logged_then = sum(row <= after for row in answers)
        assert len(dry.calls(FALLBACK)) - before == 3 * SIZE / 4 - logged_then


@pytest.mark.slow
def test_killed_while_the_fallback_model_is_asked_it_is_the_same_run_and_pays_once(dry):
    whole = dry.trials(dry.run("whole", fallbacks=QUICK, budget={"generations": 4}))
    rubbish, asked, over = dry.server.usual, threading.Event(), threading.Event()

    def hanging(seen):
        if seen.body["model"] == FALLBACK:
            asked.set()
            over.wait()
        return rubbish

    dry.server.usual = hanging
    file = dry.write(fallbacks=QUICK, budget={"generations": 4})
    process = dry.start("run", file, "--run-dir", dry.folder / "killed")
    try:
        assert asked.wait(300), "the fallback model was never asked"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        dry.server.usual = rubbish
        over.set()
    assert set_aside() == 1
    dry.resume(dry.folder / "killed")
    assert dry.trials(dry.folder / "killed") == whole
    assert set_aside() == 0
    (month,) = book().values()
    assert month["spent"] == pytest.approx(2 * COST), "once for each run"


@pytest.mark.slow
def test_a_replay_gives_the_same_run_whatever_the_month_has_left_and_spends_nothing(dry):
    path = dry.run("run", fallbacks=QUICK, budget=SHORT)
    before = book()
    replay = dry.replay(path, "replay")
    dry.resume(replay)
    assert dry.trials(replay) == dry.trials(path)
    assert book() == before


@pytest.mark.slow
def test_a_replay_of_what_was_refused_is_the_same_too(dry):
    path = dry.run("run", fallbacks={**QUICK, "month_dollars": 0.0}, budget=SHORT)
    replay = dry.replay(path, "replay")
    dry.resume(replay)
    assert dry.trials(replay) == dry.trials(path)


def test_a_rejected_answer_goes_back_once_with_its_error_under_constraint_too(dry):
    path = dry.run("run", repairs=1, fallbacks=QUICK, budget={"generations": 4})
    mended = [
        seen.prompt for seen in dry.calls(FALLBACK) if "It was rejected: the answer holds no code block" in seen.prompt
    ]
    assert len(mended) == SIZE / 4
    assert all("rather talk about the weather" in prompt and POOL in prompt for prompt in mended)
    trials = [trial for trial in dry.trials(path) if trial["proposal"] and trial["proposal"]["model"] == FALLBACK]
    assert [len(trial["attempts"]) for trial in trials] == [1] * (SIZE // 4)
    (month,) = book().values()
    assert month["reserved"] == {}


def test_an_answer_from_outside_of_the_pool_is_rejected_and_mended_within_it(dry):
    rubbish, outside = dry.server.usual, VALID.replace("math.log(n)", "math.exp(-nx.density(G))")

    def answering(seen):
        if POOL not in seen.prompt:
            return rubbish
        return answer(VALID if "# What was wrong" in seen.prompt else outside)

    dry.server.usual = answering
    path = dry.run("run", repairs=1, fallbacks={"constrained_after": 1}, budget={"generations": 3})
    constrained = [each for each in dry.trials(path) if (each["proposal"] or {}).get("operator") == CONSTRAINED]
    assert {each["attempts"][0]["reason"] for each in constrained} == {
        "math.exp is not in the pool: keep to it and to the skeleton"
    }
    assert {each["evaluation"]["status"] for each in constrained} == {"ok"}
    assert "constrained_off" in [each.kind for each in events_of(path, constrained_after=1)]


def test_what_a_person_tells_reaches_constrained_prompts_too(dry):
    path = dry.run("run", fallbacks=QUICK, budget={"generations": 3})
    assert dry.evo("tell", path, "the logarithm of m may help").returncode == 0
    before = len(dry.server.seen)
    dry.resume(path, "budget.generations=8")
    late = [seen.prompt for seen in dry.server.asked("/chat/completions")[before:] if POOL in seen.prompt]
    assert any("- the logarithm of m may help" in prompt for prompt in late)
    assert any("- the logarithm of m may help" in seen.prompt for seen in dry.calls(FALLBACK))


@pytest.mark.parametrize("repairs", [0, 1])
def test_self_correction_turns_answers_that_fail_into_valid_ones_and_can_be_switched_off(dry, repairs):
    failing = VALID.replace("math.log(2 * m / n)", "(n - n)")

    def mending(seen):
        return answer(
            VALID.replace("2 * m", f"{len(dry.server.seen)} * m") if "# What was wrong" in seen.prompt else failing
        )

    dry.server.usual = mending
    path = dry.run("run", repairs=repairs, budget={"generations": 3})
    made = [trial for trial in dry.trials(path) if trial["proposal"]]
    assert [len(trial["attempts"]) for trial in made] == [repairs] * (3 * SIZE)
    assert {trial["evaluation"]["status"] for trial in made} == {"ok" if repairs else "rejected"}


@pytest.mark.long
def test_without_a_model_a_constrained_island_keeps_to_the_pool(dry):
    fallbacks = {"valid_rho": 0.9999, "constrained_after": 1}
    more = {"level": "spectrum", "explore": {"slice": 300}}
    path = dry.run("run", fallbacks=fallbacks, options=more, llm={"driver": "none"}, budget={"generations": 4})
    made = [trial for trial in dry.trials(path) if trial["proposal"]]
    constrained = [trial for trial in made if trial["proposal"]["operator"] == "graph_invariant.constrained"]
    assert len(constrained) > SIZE
    outside = ("triangles", "clustering", "transitivity", "two_hop", "spectral", "connectivity", "exp(", "abs(")
    for trial in constrained:
        source = next(iter(trial["candidate"]["files"].values())) if trial["candidate"] else ""
        assert not any(word in source for word in outside)
    assert any(trial["candidate"] for trial in constrained)


def tools_said(path):
    return "\n".join(text for _, text in logged(path, "tool"))


def logged(path, kind="answer"):
    store = SqliteStore(NoOptions())
    store.open(path, durable=False, writable=False)
    with closing(store):
        return [(row.seq, row.body) for row in store.rows() if row.kind == kind]
