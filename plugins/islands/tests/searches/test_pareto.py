"""What fronts promise: nobody on them is beaten, the ends stay, and who is best in a case is not lost."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_hookspecs import Candidate, Context, Evaluation, Selection, Trial, dominates
from evograft_islands.elite import Elite
from evograft_islands.options import IslandsOptions
from evograft_islands.plugin import IslandsPlugin
from evograft_islands.populations.pareto import CaseFrontier, RankedPopulation

values = st.integers(0, 6).map(float)
vectors = st.lists(st.fixed_dictionaries({"a": values, "b": values}, optional={"c": values}), max_size=30)
cased = st.lists(st.dictionaries(st.sampled_from("pqrs"), values, min_size=1), max_size=25)


def elite(number: int) -> Elite:
    return Elite(number, float(number), f"candidate {number}")


def ranked(found: list[dict[str, float]], cap: int = 100) -> RankedPopulation:
    population = RankedPopulation(cap)
    for number, vector in enumerate(found):
        population.offer(elite(number), vector)
    return population


def frontier(found: list[dict[str, float]]) -> CaseFrontier:
    population = CaseFrontier(most=40)
    for number, vector in enumerate(found):
        population.offer(elite(number), vector)
    return population


def make_plugin(**pareto: Any) -> IslandsPlugin:
    return IslandsPlugin(IslandsOptions.model_validate({"search": "pareto", "pareto": pareto}))


def make_trial(number: int, score: float, **measured: Any) -> Trial:
    return Trial(
        number=number,
        view=number,
        selection=Selection(),
        candidate=Candidate.of(f"program {number}", kind="text", operator="kernel.seed", trial=number),
        evaluation=Evaluation(status="ok", score=score, **measured),
    )


def draw_all(plugin: IslandsPlugin, committed: list[Trial]) -> set[int]:
    nothing: Any = None
    found = set()
    for seed in range(60):
        ctx = Context(50, seed, Path(), 3, nothing, nothing, nothing)
        found |= set(plugin.select(ctx, tuple(committed)).parents)
    return found


@given(vectors)
def test_members_are_sorted_front_by_front(found: list[dict[str, float]]) -> None:
    members = ranked(found).members
    assert len(members) == len(found)
    for place, better in enumerate(members):
        assert not any(dominates(later.values, better.values) for later in members[place + 1 :])


@given(vectors, st.integers(2, 8))
def test_the_best_of_each_objective_is_among_those_that_are_kept(found: list[dict[str, float]], cap: int) -> None:
    kept = [each.values for each in ranked(found, max(cap, 3)).members]
    for name in ("a", "b"):
        if found:
            assert max(each[name] for each in kept) == max(each[name] for each in found)


@given(vectors, st.integers(0, 3), st.integers(0, 99))
def test_parents_differ_and_are_those_that_were_offered(found: list[dict[str, float]], count: int, seed: int) -> None:
    drawn = ranked(found).draw(random.Random(seed), count)
    assert len(set(drawn)) == len(drawn) == min(count, len(found))


def test_of_a_crowded_front_the_one_with_least_room_leaves() -> None:
    corner = [
        {"a": 0.0, "b": 10.0},
        {"a": 10.0, "b": 0.0},
        {"a": 5.0, "b": 5.0},
        {"a": 5.1, "b": 4.9},
        {"a": 9.0, "b": 1.0},
    ]
    assert {each.elite.number for each in ranked(corner, cap=4).members} == {0, 1, 3, 4} - {3} | {2}


@given(cased, st.integers(0, 99))
def test_a_parent_is_best_in_some_case_and_nobody_covers_it(found: list[dict[str, float]], seed: int) -> None:
    best: dict[str, float] = {}
    for vector in found:
        for case, value in vector.items():
            best[case] = max(value, best.get(case, value))
    held = [{case for case, value in vector.items() if value == best[case]} for vector in found]
    for one in frontier(found).draw(random.Random(seed), 3):
        assert held[one.number]
        assert not any(held[one.number] < other for other in held)


def test_who_is_best_in_more_cases_is_a_parent_more_often() -> None:
    population = frontier([{"p": 1.0, "q": 1.0, "r": 1.0}, {"s": 5.0}, {"p": 0.5, "s": 4.0}])
    drawn = [population.draw(random.Random(seed), 1)[0].number for seed in range(400)]
    assert set(drawn) == {0, 1}
    assert 250 < drawn.count(0) < 350


def test_objectives_steer_and_the_score_alone_does_not() -> None:
    committed = [
        make_trial(0, 9.0, objectives={"fast": 1.0, "small": 1.0}),
        make_trial(1, 1.0, objectives={"fast": 2.0, "small": 2.0}),
    ]
    plugin = make_plugin(elites=1)
    assert draw_all(plugin, committed) == {1}
    assert draw_all(make_plugin(elites=1, objectives=["score"]), committed) == {0}, "nothing else is measured"


def test_by_cases_a_specialist_is_a_parent_whatever_its_mean() -> None:
    committed = [
        make_trial(0, 5.0, cases={"one": 5.0, "two": 5.0}),
        make_trial(1, 3.5, cases={"one": 0.0, "two": 7.0}),
        make_trial(2, 4.0, cases={"one": 4.0, "two": 4.0}),
    ]
    assert draw_all(make_plugin(by="cases"), committed) == {0, 1}


@pytest.mark.parametrize("pareto", [{}, {"by": "cases"}])
def test_a_run_by_a_front_that_is_stopped_and_resumed_equals_one_that_is_not(runs: Any, pareto: dict[str, Any]) -> None:
    islands = {"name": "islands", "with": {"search": "pareto", "pareto": pareto}}
    settings = {"more": [islands], "owners": {"select": "islands"}}
    whole = runs.run("whole", **settings, trials=50)
    cut = runs.run("cut", **settings, trials=19)
    runs.resume(cut, "budget.trials=50")
    assert runs.trials(cut) == runs.trials(whole)
