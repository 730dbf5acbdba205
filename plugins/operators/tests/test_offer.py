"""What is offered: formulas where there is a grammar, models where there is one."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from evograft_hookspecs import ExpressionGrammar
from evograft_operators.formulas import edits
from evograft_operators.models import operations
from evograft_operators.options import OperatorsOptions

GRAMMAR = ExpressionGrammar(function="f", argument="x", terminals=("x", "y(x)", "z(x)"))
FORMULAS, MODELS = set(edits.OPERATIONS), set(operations.OFFERED)


def shares(offered, names):
    total = sum(proposal.weight for proposal in offered.values())
    return sum(proposal.weight for name, proposal in offered.items() if name in names) / total


def formulas(desk):
    return tuple(desk.trial(number, f"def f(x):\n    return x + {number}\n") for number in range(4))


def test_with_a_model_programs_are_written_by_it(desk):
    assert set(desk().offered(parents=(1, 2))) == MODELS


def test_a_program_and_what_became_of_it_are_not_joined_where_prompts_tell_ideas(desk):
    past = (desk.trial(1, "x = 1\n"), desk.trial(2, "x = 2\n", parents=(1,)), desk.trial(3, "x = 3\n"))
    for programs, joins in (("ideas", False), ("lines", True)):
        at = desk(programs=programs, past=past)
        assert ("crossover" in at.offered(parents=(2, 1))) is joins
        assert "crossover" in at.offered(parents=(2, 3))


def test_without_a_model_programs_have_no_operators(desk):
    at = desk()
    at.model.available = False
    assert at.offered(parents=(1, 2)) == {}


def test_without_a_model_formulas_are_edited(desk):
    at = desk(problem={"grammar": GRAMMAR})
    at.model.available = False
    assert set(at.offered(parents=(1, 2))) == FORMULAS


def test_with_a_grammar_and_a_model_both_kinds_are_offered_half_and_half(desk):
    at = desk(problem={"grammar": GRAMMAR}, past=formulas(desk))
    offered = at.offered(parents=(1, 2), strategy="refine", temperature=0.3)
    assert set(offered) & FORMULAS
    assert set(offered) & MODELS
    assert shares(offered, MODELS) == pytest.approx(0.5)


def test_formulas_that_a_model_wrote_in_another_shape_are_left_to_it(desk):
    other = desk.trial(9, "def f(x):\n    y = x\n    return y\n")
    at = desk(problem={"grammar": GRAMMAR}, past=(*formulas(desk), other))
    assert set(at.offered(parents=(9, 1))) == MODELS
    assert {"grow", "sprout", "crossover"} < set(at.offered(parents=(1, 9)))
    assert "splice" not in at.offered(parents=(1, 9))
    at.model.available = False
    assert set(at.offered(parents=(9, 1))) == FORMULAS


@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
def test_the_share_of_the_models_is_an_option(desk, share):
    offered = desk(problem={"grammar": GRAMMAR}, past=formulas(desk), share=share).offered(parents=(1,))
    assert shares(offered, MODELS) == pytest.approx(share)


def test_the_share_means_nothing_where_only_one_kind_can_be_offered(desk):
    assert all(proposal.weight for proposal in desk(share=0.0).offered(parents=(1,)).values())


@pytest.mark.parametrize(
    ("problem", "offered"),
    [
        ({"kind": "python"}, True),
        ({"kind": "cpp"}, True),
        ({"kind": "solution", "language": "rust"}, True),
        ({"kind": "solution", "language": "klingon"}, True),
        ({"kind": "coins"}, False),
        ({"kind": "json"}, False),
    ],
)
def test_models_are_for_candidates_that_are_programs(desk, problem, offered):
    assert bool(desk(problem=problem).offered(parents=(1,))) == offered


def test_other_kinds_may_be_named(desk):
    at = desk("```\n1 5 25\n```", problem={"kind": "coins"}, kinds=("coins",))
    assert set(at.offered(parents=(1, 2))) == MODELS
    assert at.mutate("rewrite", at.trial(0, "1 2 4\n")).source == "1 5 25\n"


def test_without_a_problem_nothing_is_offered(desk):
    at = desk()
    at.problem = None
    assert at.offered() == {}
    assert "no problem" in at.rejection("fresh").reason


@pytest.mark.parametrize(
    ("parents", "names"),
    [((), {"fresh"}), ((1,), {"diff", "rewrite", "fresh"}), ((1, 2), MODELS), ((1, 2, 3), MODELS)],
)
def test_crossover_needs_two_parents_and_fresh_none(desk, parents, names):
    assert set(desk().offered(parents=parents)) == names


@pytest.mark.parametrize("strategy", ["refine", "combine", "novel", "", "other words"])
def test_with_parents_fresh_is_rare(desk, strategy):
    assert shares(desk().offered(parents=(1, 2), strategy=strategy), {"fresh"}) < 0.25


def test_a_few_changed_lines_are_no_other_way(desk):
    assert "diff" not in desk().offered(parents=(1, 2), strategy="novel")
    assert "diff" in desk(profiles={"novel": {"diff": 1}}).offered(parents=(1, 2), strategy="novel")


def test_repair_is_never_offered(desk):
    assert "repair" not in desk(problem={"grammar": GRAMMAR}, past=formulas(desk)).offered(parents=(1, 2))


def test_heat_shifts_the_weights_from_edits_to_new_versions(desk):
    cool, hot = (desk().offered(parents=(1,), strategy="refine", temperature=heat) for heat in (0.2, 2.0))
    assert shares(cool, {"diff"}) > shares(hot, {"diff"})


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        ("refine", "refine what is there"),
        ("combine", "bring in an idea that works"),
        ("novel", "go another way"),
        ("tighten {{bolts}}", 'the strategy is "tighten {{bolts}}".'),
        ("", ""),
    ],
)
def test_the_strategy_is_told_in_words(desk, strategy, words):
    instruction = desk().offered(parents=(1,), strategy=strategy)["rewrite"].instruction
    assert instruction == words if not words else words in instruction


def test_the_strategy_is_told_in_the_prompts_language(desk):
    assert "別の道" in desk(language="ja").offered(parents=(1,), strategy="novel")["rewrite"].instruction


@settings(deadline=None)
@given(st.sampled_from(["refine", "combine", "novel", "", "else"]), st.floats(-1e9, 1e9), st.integers(0, 3))
def test_every_proposal_is_in_the_manifest_and_can_be_drawn(desk, strategy, temperature, parents):
    at = desk(problem={"grammar": GRAMMAR}, past=formulas(desk))
    offered = at.offered(parents=tuple(range(parents)), strategy=strategy, temperature=temperature)
    assert set(offered) <= {operator.name for operator in at.plugin.manifest.operators}
    assert all(math.isfinite(proposal.weight) and proposal.weight > 0 for proposal in offered.values())
    assert len({proposal.id for proposal in offered.values()}) == len(offered)
    assert max(len(proposal.id) for proposal in offered.values()) < 100


# -- profiles ---------------------------------------------------------------------------------------------------------


def test_a_profile_changes_the_weights_that_it_names_and_no_others(desk):
    usual = desk().offered(parents=(1, 2), strategy="refine", temperature=1.0)
    changed = desk(profiles={"refine": {"diff": 0, "rewrite": 7.5}}).offered(
        parents=(1, 2), strategy="refine", temperature=1.0
    )
    assert "diff" not in changed
    assert changed["rewrite"].weight == 7.5
    assert changed["crossover"] == usual["crossover"]


def test_a_strategy_of_ones_own_can_have_a_profile(desk):
    at = desk(profiles={"explore": {"fresh": 9}, "other": {"fresh": 5}})
    assert at.offered(parents=(1,), strategy="explore", temperature=1.0)["fresh"].weight == 9
    assert at.offered(parents=(1,), strategy="whatever", temperature=1.0)["fresh"].weight == 5
    assert at.offered(parents=(1,), strategy="refine", temperature=1.0)["fresh"].weight < 1


def test_a_profile_that_leaves_nothing_weighs_all_alike(desk):
    offered = desk(profiles={"refine": dict.fromkeys(MODELS, 0)}).offered(parents=(1,), strategy="refine")
    assert {proposal.weight for proposal in offered.values()} == {1.0}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"profiles": {"refine": {"dif": 1}}}, "'dif' is not one of constant"),
        ({"profiles": {"refine": {"repair": 1}}}, "'repair' is not one of"),
        ({"profiles": {"refine": {"diff": -1}}}, "greater than or equal to 0"),
        ({"temperature": (1.0, 0.5)}, "a range from"),
        ({"temperature": (-1.0, 0.5)}, "a range from"),
        ({"max_tokens": 0}, "greater than or equal to 1"),
        ({"prompt_chars": 10}, "greater than or equal to 4000"),
        ({"share": 1.5}, "less than or equal to 1"),
        ({"syntax": "maybe"}, "'check' or 'ignore'"),
        ({"max_token": 1}, "Extra inputs"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, words):
    with pytest.raises(ValidationError, match=words):
        OperatorsOptions(**options)
