"""Which model a trial asks: by weight, or by what it has improved for its cost."""

import math
import random
from collections import Counter

import pytest
from asking import climb
from fault_server import answer
from hypothesis import given
from hypothesis import strategies as st

from evograft.config.pipeline import LlmSection
from evograft.llm.model_choice import ModelChoice
from evograft.log.spending import Spending
from evograft.plugin.loading import ActivePlugin
from evograft.runs.index import open_run
from evograft.session.session import open_session
from evograft_hookspecs import (
    CONTRACT,
    Candidate,
    Evaluation,
    LlmRequest,
    Manifest,
    Message,
    Operator,
    Proposal,
    Trial,
    hookimpl,
)

DRAWS = 200


def section(choice="weights", **weights):
    models = [{"name": name, "weight": float(weight)} for name, weight in weights.items()]
    return LlmSection.model_validate({"driver": "openai", "models": models, "choice": choice})


def trial(number, model, *, score, parents=()):
    candidate = Candidate.of("x", kind="number", operator="asker.ask", trial=number, parents=parents)
    evaluation = Evaluation(status="ok", score=score) if score is not None else Evaluation.rejected("no")
    proposal = Proposal(id="a", operator="asker.ask", model=model)
    return Trial(number=number, view=number, proposal=proposal, candidate=candidate, evaluation=evaluation, model=model)


PARENT = trial(0, "", score=0.0)


def choice_of(given, commits=()):
    choice = ModelChoice(given, parent=lambda number: PARENT)
    for number, (model, improved, dollars) in enumerate(commits, start=1):
        spent = Spending(calls=1, prompt_tokens=10, completion_tokens=10, dollars=dollars or 0.0)
        spent.unpriced = int(dollars is None)
        choice.commit(trial(number, model, score=1.0 if improved else -1.0, parents=(0,)), spent)
    return choice


def drawn(choice, draws=DRAWS):
    return Counter(choice.draw(seed, operator="") for seed in range(draws))


def binomial_bounds(share, draws=DRAWS):
    """Six standard deviations: once in a billion times."""
    spread = 6 * math.sqrt(draws * share * (1 - share))
    return draws * share - spread, draws * share + spread


@pytest.mark.parametrize("weights", [{"a": 1, "b": 1}, {"a": 3, "b": 1}, {"a": 1, "b": 2, "c": 5}])
def test_models_are_drawn_by_weight(weights):
    counts = drawn(choice_of(section(**weights)))
    for name, weight in weights.items():
        low, high = binomial_bounds(weight / sum(weights.values()))
        assert low < counts[name] < high


@pytest.mark.parametrize("choice", ["weights", "bandit"])
def test_a_weight_of_0_switches_a_model_off(choice):
    counts = drawn(choice_of(section(choice, off=0, a=1, b=1), [("a", True, 1.0), ("b", True, 1.0)]))
    assert counts["off"] == 0
    assert min(counts["a"], counts["b"]) > 0


def test_without_a_model_none_is_drawn():
    assert choice_of(LlmSection(driver="none")).draw(1, operator="") == ""


def test_a_draw_depends_on_its_seed_and_the_commits_alone():
    commits = [("a", True, 1.0), ("b", False, 0.5), ("a", False, 0.25), ("b", True, 2.0)] * 5
    one, other = (choice_of(section("bandit", a=1, b=2), commits) for _ in range(2))
    random.seed(7)
    state = random.getstate()
    assert [one.draw(seed, operator="") for seed in range(50)] == [
        other.draw(seed, operator="") for seed in reversed(range(50))
    ][::-1]
    assert random.getstate() == state


def test_the_bandit_tries_every_model_before_it_judges():
    assert set(drawn(choice_of(section("bandit", a=1, b=1, c=1), [("a", True, 0.001)] * 50))) == {"b", "c"}


def test_the_bandit_prefers_what_improves_more():
    commits = [("a", number % 2 == 0, 1.0) for number in range(40)] + [
        ("b", number % 10 == 0, 1.0) for number in range(40)
    ]
    assert drawn(choice_of(section("bandit", a=1, b=1), commits))["a"] > 0.9 * DRAWS


@pytest.mark.parametrize("dear", [1.0, 100.0])
def test_the_bandit_prefers_what_improves_more_for_its_dollars(dear):
    commits = [("dear", number % 2 == 0, dear) for number in range(40)]
    commits += [("cheap", number % 4 == 0, 0.1 * dear) for number in range(40)]
    assert drawn(choice_of(section("bandit", dear=1, cheap=1), commits))["cheap"] > 0.9 * DRAWS


def test_the_bandit_is_not_caught_by_a_model_that_costs_nothing_and_helps_nothing():
    commits = [("free", False, 0.0)] * 60 + [("paid", True, 1.0)] * 60
    commits += [("free", False, 0.0)] * 6000
    assert drawn(choice_of(section("bandit", free=1, paid=1), commits))["paid"] > 0.9 * DRAWS


def test_where_a_price_is_unknown_the_bandit_compares_tokens():
    commits = [("known", number % 2 == 0, 1e-9) for number in range(40)]
    commits += [("unknown", number % 2 == 0, None) for number in range(40)]
    counts = drawn(choice_of(section("bandit", known=1, unknown=1), commits))
    assert min(counts.values()) > 0.2 * DRAWS


def test_the_bandit_learns_where_the_better_model_is():
    choice, rng, chosen = choice_of(section("bandit", good=1, poor=1)), random.Random(5), Counter()
    for number in range(1, 301):
        model = choice.draw(number, operator="")
        chosen[model] += 1
        improved = rng.random() < (0.5 if model == "good" else 0.1)
        spent = Spending(calls=1, dollars=0.01)
        choice.commit(trial(number, model, score=1.0 if improved else -1.0, parents=(0,)), spent)
    assert chosen["good"] > 0.8 * 300
    assert chosen["poor"] > 0


commits = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "gone"]),
        st.booleans(),
        st.none() | st.integers(0, 2**20).map(lambda number: number / 1024),
    ),
    max_size=30,
)


@given(commits=commits, rng=st.randoms(), seed=st.integers(0, 2**64 - 1))
def test_the_bandits_state_is_the_same_in_any_order_of_commits(commits, rng, seed):
    one = choice_of(section("bandit", a=1, b=2), commits)
    other = choice_of(section("bandit", a=1, b=2), rng.sample(commits, len(commits)))
    assert one._arms == other._arms
    assert one.draw(seed, operator="") == other.draw(seed, operator="")


def test_a_rejected_trial_and_a_trial_without_a_parent_count_as_they_should():
    choice = choice_of(section("bandit", a=1))
    choice.commit(trial(1, "a", score=None, parents=(0,)), Spending())
    choice.commit(trial(2, "a", score=-100.0), Spending())
    choice.commit(trial(3, "other", score=5.0), Spending())
    assert (choice._arms["a"].trials, choice._arms["a"].improved) == (2, 1)


TWO = [{"name": "m", "weight": 3.0}, {"name": "n", "weight": 1.0}]


def test_each_trial_says_which_model_it_asked(asking, server):
    path = asking.run("run", trials=40, llm={"models": TWO})
    models = {trial["number"]: trial["proposal"]["model"] for trial in asking.trials(path)}
    assert set(models.values()) == {"m", "n"}
    assert {answered.trial: answered.model for answered in asking.answers(path)} == models
    asked = {int(seen.prompt.rpartition("trial ")[2]): seen.body["model"] for seen in server.asked()}
    assert asked == models


@pytest.mark.parametrize("choice", ["weights", "bandit"])
def test_models_are_drawn_the_same_after_a_kill_anywhere(asking, server, choice):
    priced = [{**model, "price": {"prompt": 10.0, "completion": 20.0 * n}} for n, model in enumerate(TWO, start=1)]
    path = asking.run("run", trials=24, llm={"models": priced, "choice": choice})
    for last in range(2, asking.rows(path), 9):
        cut = asking.cut(path, f"cut-{last}", after=last)
        asking.resume(cut)
        assert asking.trials(cut) == asking.trials(path)


def test_a_bandit_asks_the_model_that_helps(asking, server):
    """One model climbs, the other one stays where it is."""

    def by_model(seen):
        start, _, _ = seen.prompt.partition(" | ")
        return climb(seen) if seen.body["model"] == "m" else answer(f"{float(start) - 0.5}")

    server.usual = by_model
    llm = {"models": ["n", "m"], "choice": "bandit", "concurrency": 2}
    path = asking.run("run", trials=60, llm=llm)
    models = [trial["proposal"]["model"] for trial in asking.trials(path)]
    assert {"m", "n"} <= set(models[:10])
    assert models[20:].count("m") > 0.7 * 40


def test_a_model_that_is_switched_off_is_asked_neither_in_trials_nor_outside(asking, server):
    off = [{"name": "off", "weight": 0.0}, {"name": "on"}]
    asking.run("run", trials=10, llm={"models": off}, with_={"analyzing": True})
    assert {seen.body["model"] for seen in server.asked()} == {"on"}


class Chooser:
    """Proposes with a model of its own, and asks another one."""

    manifest = Manifest(name="chooser", contract=CONTRACT, operators=(Operator(name="go"),), thread_safe=True)

    def __init__(self, proposed="", asked=""):
        self.proposed, self.asked = proposed, asked

    @hookimpl
    def propose(self, selection):
        return (Proposal(id="go", operator="chooser.go", weight=1e15, model=self.proposed),)

    @hookimpl
    def mutate(self, ctx, proposal):
        message = Message(role="user", content=f"0 | {ctx.trial}")
        ctx.llm.complete(LlmRequest(messages=(message,), max_tokens=20, model=self.asked))
        return Candidate.of("0", kind="number", operator=proposal.operator, trial=ctx.trial)

    def go_on(self, path):
        with open_session(open_run(path), observers=[ActivePlugin("chooser", self, self.manifest, "test")]) as kernel:
            kernel.run()


@pytest.mark.parametrize(
    ("plugin", "asked"), [(Chooser(), {"m", "n"}), (Chooser(proposed="n"), {"n"}), (Chooser(asked="off"), {"off"})]
)
def test_a_plugin_may_choose_among_the_models_of_the_pipeline(asking, server, plugin, asked):
    path = asking.begin("run", trials=20, llm={"models": [*TWO, {"name": "off", "weight": 0.0}]})
    plugin.go_on(path)
    assert {seen.body["model"] for seen in server.asked()} == asked


@pytest.mark.parametrize("plugin", [Chooser(proposed="nn"), Chooser(asked="nn")])
def test_a_model_outside_of_the_list_is_refused(asking, server, plugin):
    path = asking.begin("run", trials=3, llm={"models": TWO})
    plugin.go_on(path)
    assert server.asked() == []
    for each in asking.trials(path):
        assert each["evaluation"]["status"] == "rejected"
        assert "model 'nn' is not among the pipeline's llm.models; did you mean 'n'" in each["evaluation"]["reason"]


@pytest.mark.parametrize(
    ("llm", "error"),
    [
        ({"models": [{"name": "m", "weight": 0.0}]}, "all models have the weight 0"),
        ({"models": ["m", "m"]}, "model 'm' is listed twice"),
        ({"models": []}, "needs a model's name"),
        ({"models": ["m"], "choice": "bandits"}, "llm.choice"),
    ],
)
def test_models_that_cannot_be_drawn_from_are_refused(asking, llm, error):
    done = asking.evo("run", asking.write(llm=llm), "--run-dir", asking.folder / "run")
    assert done.returncode == 2
    assert error in done.error
