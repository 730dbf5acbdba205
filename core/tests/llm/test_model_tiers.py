"""Cheap models make the edits; strong ones what they are named for, and what follows a plateau."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evograft.config.pipeline import LlmSection
from evograft.errors import UserError
from evograft.llm.model_tiers import ModelTiers, assign_tiers
from evograft.log.spending import Spending
from evograft.session.compose import llm_settings
from evograft_hookspecs import Candidate, Evaluation, Trial

MODELS = [{"name": "small", "tier": "cheap"}, {"name": "large", "tier": "strong"}]


def section(models=None, **strong):
    data = {"driver": "openai", "models": models or MODELS, "choice": "tiers", "strong": strong}
    return LlmSection.model_validate(data)


def tiers_of(commits=(), **strong):
    """Choices after commits: pairs of a score and what the model has cost, or a score alone."""
    tiers = ModelTiers(section(**strong))
    for number, commit in enumerate(commits):
        score, model, dollars = commit if isinstance(commit, tuple) else (commit, "small", 0.0)
        candidate = Candidate.of("x", kind="number", operator="asker.ask", trial=number)
        evaluation = Evaluation(status="ok", score=score)
        trial = Trial(number=number, view=0, candidate=candidate, evaluation=evaluation, model=model)
        tiers.commit(trial, Spending(calls=1, dollars=dollars))
    return tiers


def drawn(tiers, operator="operators.diff"):
    return {tiers.draw(seed, operator=operator) for seed in range(20)}


@pytest.mark.parametrize(
    ("operator", "model"),
    [
        ("operators.diff", "small"),
        ("operators.rewrite", "small"),
        ("operators.fresh", "large"),
        ("operators.crossover", "large"),
        ("mine.fresh", "large"),
        ("fresh.diff", "small"),
    ],
)
def test_edits_ask_the_cheap_model_and_fresh_ideas_and_crossovers_the_strong_one(operator, model):
    assert drawn(tiers_of(), operator) == {model}


def test_operators_may_be_named_with_their_plugin():
    tiers = tiers_of(operators=["mine.fresh"])
    assert drawn(tiers, "mine.fresh") == {"large"}
    assert drawn(tiers, "operators.fresh") == {"small"}


def test_after_a_plateau_the_strong_model_is_asked_for_a_few_trials_and_again_when_as_many_have_passed():
    asked = "".join(
        "L" if drawn(tiers_of([5.0] + [1.0] * stalled, plateau=5, burst=2)) == {"large"} else "s"
        for stalled in range(14)
    )
    assert asked == "sssssLLsssLLss"
    assert drawn(tiers_of([5.0] + [1.0] * 5 + [6.0], plateau=5)) == {"small"}, "a new best ends a plateau"
    assert drawn(tiers_of([5.0] + [1.0] * 60, plateau=None)) == {"small"}


def test_strong_models_have_no_more_than_their_share_of_the_dollars():
    commits = [(1.0, "large", 3.0), (1.0, "small", 1.0)]
    assert drawn(tiers_of(commits, share=0.5), "operators.fresh") == {"small"}
    assert drawn(tiers_of(commits, share=0.8), "operators.fresh") == {"large"}
    assert drawn(tiers_of(commits), "operators.fresh") == {"large"}


def test_within_a_tier_models_are_drawn_by_weight():
    models = [{"name": "a", "tier": "cheap", "weight": 3.0}, {"name": "b", "tier": "cheap"}, *MODELS[1:]]
    tiers = ModelTiers(section(models))
    counts = Counter(tiers.draw(seed, operator="operators.diff") for seed in range(400))
    assert set(counts) == {"a", "b"}
    assert 240 < counts["a"] < 360


@given(
    st.lists(st.tuples(st.integers(0, 5).map(float), st.sampled_from(["small", "large"]), st.floats(0, 9)), max_size=40)
)
def test_a_choice_depends_on_the_commits_and_its_seed_alone(commits):
    one, other = tiers_of(commits, share=0.4), tiers_of(commits, share=0.4)
    for operator in ("operators.diff", "operators.fresh"):
        assert drawn(one, operator) == drawn(other, operator)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"models": MODELS[:1], "choice": "tiers"}, "models of both tiers"),
        ({"models": ["a", MODELS[0]], "choice": "tiers"}, "models of both tiers"),
        ({"models": ["a"], "choice": "tiers"}, "models of both tiers"),
        ({"models": MODELS}, "with `choice: tiers` only"),
    ],
)
def test_tiers_and_choice_go_together(wrong, message):
    with pytest.raises(ValidationError, match=message):
        LlmSection.model_validate({"driver": "openai", **wrong})


def priced(**dollars):
    models = [{"name": name, "price": {"prompt": each, "completion": each}} for name, each in dollars.items()]
    return LlmSection.model_validate({"driver": "openai", "models": models, "choice": "tiers"}).models


def test_without_tiers_the_most_expensive_model_is_strong_and_the_others_are_cheap():
    models = assign_tiers(priced(small=1.0, large=9.0, free=0.0))
    assert {model.name: model.tier for model in models} == {"small": "cheap", "large": "strong", "free": "cheap"}


def test_tiers_by_price_need_prices_that_differ():
    with pytest.raises(UserError, match=r"all models cost the same: give each of llm\.models `tier: cheap`"):
        assign_tiers(priced(a=1.0, b=1.0))
    unpriced = LlmSection.model_validate({"driver": "openai", "models": ["a", "b"], "choice": "tiers"}).models
    with pytest.raises(UserError, match="nobody knows the price of 'a'"):
        assign_tiers(unpriced)


@pytest.mark.parametrize("strong", ["openai:large", "large", " large"])
def test_a_cheap_and_a_strong_model_are_named_in_a_word(tmp_path, strong):
    settings = llm_settings(f"cheap=openai:small,strong={strong.strip()}", tmp_path)
    assert settings[0] == "llm.driver=openai"
    assert json.loads(settings[1].removeprefix("llm.models=")) == MODELS
    assert settings[2] == "llm.choice=tiers"


@pytest.mark.parametrize(
    "llm",
    [
        "cheap=openai:a",
        "strong=openai:a",
        "cheap=a,strong=b",
        "cheap=openai:a,strong=",
        "cheap=openai:a,strong=b,other=c",
    ],
)
def test_an_incomplete_word_is_refused_with_how_it_is_written(tmp_path, llm):
    with pytest.raises(UserError, match="write it as cheap=DRIVER:MODEL,strong=DRIVER:MODEL"):
        llm_settings(llm, tmp_path)


def test_models_of_two_drivers_are_refused(tmp_path):
    with pytest.raises(UserError, match="one driver, openai or manual"):
        llm_settings("cheap=openai:a,strong=manual:b", tmp_path)


def test_a_run_with_tiers_is_resumed_and_repeated_exactly(asking, server):
    prices = {"small": {"prompt": 1.0, "completion": 1.0}, "large": {"prompt": 9.0, "completion": 9.0}}
    models = [{"name": name, "price": price} for name, price in prices.items()]
    llm = {"models": models, "choice": "tiers", "strong": {"plateau": 3, "burst": 1}}
    whole = asking.run("whole", llm=llm, trials=40)
    assert {trial["model"] for trial in asking.trials(whole)} == {"small", "large"}
    cut = asking.run("cut", llm=llm, trials=16)
    asking.resume(cut, "budget.trials=40")
    assert asking.trials(cut) == asking.trials(whole)
    server.close()
    done = asking.evo("run", "--llm", f"replay:{whole}", "--run-dir", asking.folder / "again")
    assert done.returncode == 0, done.stderr
    assert asking.trials(asking.folder / "again") == asking.trials(whole)
