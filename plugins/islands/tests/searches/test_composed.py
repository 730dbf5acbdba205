"""What a composed search promises: everybody is told everything, shares are kept, and who has stalled makes way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evograft_hookspecs import Candidate, Context, Evaluation, Selection, Trial
from evograft_islands.options import IslandsOptions
from evograft_islands.plugin import IslandsPlugin
from evograft_islands.searches.composed import ComposedSearch, find_phase, find_share
from evograft_islands.searches.islands import IslandSearch
from evograft_islands.searches.single_parent import Sequential

NAMES = ("islands", "sequential", "best_of_n")


class Prices:
    """The history of a run in which some trials cost something."""

    def __init__(self, dollars: Mapping[int, float | None]) -> None:
        self.dollars = dollars

    def spent(self, number: int) -> float | None:
        return self.dollars.get(number, 0.0)


def make_plugin(**composed: Any) -> IslandsPlugin:
    return IslandsPlugin(IslandsOptions.model_validate({"search": "composed", "composed": composed}))


def search_of(plugin: IslandsPlugin) -> ComposedSearch:
    assert isinstance(plugin.search, ComposedSearch)
    return plugin.search


def make_context(trial: int, *, seed: int = 0, dollars: Mapping[int, float | None] | None = None) -> Context:
    nothing: Any = None
    history: Any = Prices(dollars or {})
    return Context(
        trial=trial, seed=seed, scratch=Path(), generation_size=3, llm=nothing, tools=nothing, history=history
    )


def make_trial(number: int, score: float | None, *, member: str | None = "", island: int = 0) -> Trial:
    """A trial by a member; `None`: a seed."""
    found = Evaluation.rejected("no good") if score is None else Evaluation(status="ok", score=score)
    return Trial(
        number=number,
        view=number,
        selection=None if member is None else Selection(member=member, island=island),
        candidate=Candidate.of(f"program {number}", kind="text", operator="kernel.seed", trial=number),
        evaluation=found,
    )


def choose(plugin: IslandsPlugin, count: int, *, first: int = 0) -> list[str]:
    """Return whose turn it is in trials that see no further commit."""
    return [plugin.select(make_context(n, seed=n), ()).member for n in range(first, first + count)]


def tell(plugin: IslandsPlugin, trials: list[Trial], *, dollars: Mapping[int, float | None] | None = None) -> None:
    plugin.select(make_context(99, dollars=dollars), tuple(trials))


compositions = st.fixed_dictionaries(
    {
        "by": st.sampled_from(["turns", "share", "schedule", "bandit"]),
        "stalled_after": st.integers(1, 5),
        "memory": st.integers(2, 50),
        "members": st.permutations(NAMES).flatmap(
            lambda names: st.tuples(
                *(st.fixed_dictionaries({"search": st.just(name), "share": st.floats(0.1, 9)}) for name in names)
            )
        ),
    }
)


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Trial], dict[int, float | None]]:
    """Trials in an order of arrival, by members that there are and one that is gone, and what they cost."""
    later = draw(st.permutations(range(2, 2 + draw(st.integers(0, 40)))))
    scores = st.none() | st.integers(0, 12).map(float)
    authors = st.sampled_from([*NAMES, "gone", ""])
    trials = [make_trial(number, draw(scores), member=None) for number in range(2)]
    trials += [
        make_trial(number, draw(scores), member=draw(authors), island=draw(st.integers(0, 7))) for number in later
    ]
    prices = st.sampled_from([0.0, 0.01, 0.5]) if draw(st.booleans()) else st.sampled_from([0.0, 0.01, None])
    return trials, {trial.number: draw(prices) for trial in trials}


@given(compositions, histories(), st.data())
def test_any_chunking_and_any_repetition_give_the_same_state_and_the_same_choice(
    composed: dict[str, Any], history: tuple[list[Trial], dict[int, float | None]], data: st.DataObject
) -> None:
    trials, dollars = history
    whole, pieces = make_plugin(**composed), make_plugin(**composed)
    whole.select(make_context(0, dollars=dollars), tuple(trials))
    position = 0
    while position < len(trials):
        start = data.draw(st.integers(0, position))
        position = data.draw(st.integers(position + 1, len(trials)))
        pieces.select(make_context(position, dollars=dollars), tuple(trials[start:position]))
    assert search_of(pieces).standings == search_of(whole).standings
    for number in range(60, 66):
        assert pieces.select(make_context(number, seed=7), ()) == whole.select(make_context(number, seed=7), ())


@given(compositions, histories(), st.integers(0, 99))
def test_a_selection_names_its_member_and_an_island_of_it(
    composed: dict[str, Any], history: tuple[list[Trial], dict[int, float | None]], seed: int
) -> None:
    plugin = make_plugin(**composed)
    tell(plugin, history[0], dollars=history[1])
    selection = plugin.select(make_context(50, seed=seed), ())
    (member,) = [each for each in search_of(plugin).members if each.options.title == selection.member]
    assert member.first_island <= selection.island < member.first_island + member.search.islands
    assert selection.island_name.startswith(selection.member)
    assert set(selection.parents) <= {trial.number for trial in history[0] if trial.score is not None}


def test_every_member_is_told_of_the_finds_of_all() -> None:
    plugin = make_plugin(members=["islands", "sequential"])
    tell(plugin, [make_trial(0, 1.0, member=None), make_trial(1, 5.0, member="islands", island=2)])
    islands, sequential = (member.search for member in search_of(plugin).members)
    assert isinstance(islands, IslandSearch)
    assert isinstance(sequential, Sequential)
    assert sequential.head is not None
    assert sequential.head.number == 1
    assert [elite.number for elite in islands.population.islands[2].elites] == [1, 0]
    tell(plugin, [make_trial(3, 6.0, member="sequential", island=4)])
    held = [number for island in islands.population.islands for number in (each.number for each in island.elites)]
    assert held.count(3) == 1, "a find from elsewhere settles on one island"


@given(st.lists(st.floats(0.05, 10), min_size=1, max_size=5), st.integers(1, 400), st.integers(0, 10**6))
def test_shares_are_kept_over_any_stretch_of_trials(shares: list[float], count: int, first: int) -> None:
    drawn = Counter(find_share(shares, turn) for turn in range(first, first + count))
    for place, share in enumerate(shares):
        assert abs(drawn[place] - count * share / sum(shares)) < 6


def test_a_schedule_gives_each_member_its_number_of_trials_in_turn() -> None:
    members = [{"search": "best_of_n", "trials": 3}, {"search": "sequential", "trials": 2}]
    plugin = make_plugin(by="schedule", members=members)
    assert choose(plugin, 7) == [*["best_of_n"] * 3, *["sequential"] * 2, *["best_of_n"] * 2]
    assert [find_phase([3, 2], turn) for turn in (2, 3, 5)] == [0, 1, 0]


def test_the_first_member_has_all_trials_until_it_stalls_and_when_all_have_it_begins_anew() -> None:
    plugin = make_plugin(members=["sequential", "best_of_n"], stalled_after=3)
    tell(plugin, [make_trial(0, 5.0, member=None)])
    for stale in range(1, 4):
        assert set(choose(plugin, 4)) == {"sequential"}
        tell(plugin, [make_trial(stale, 1.0, member="sequential")])
    assert set(choose(plugin, 4)) == {"best_of_n"}
    tell(plugin, [make_trial(4, 6.0, member="best_of_n"), make_trial(5, None, member="best_of_n")])
    assert set(choose(plugin, 4)) == {"best_of_n"}, "a find starts its count anew"
    tell(plugin, [make_trial(number, 1.0, member="best_of_n") for number in (6, 7)])
    assert set(choose(plugin, 4)) == {"sequential"}, "all have stalled"


@pytest.mark.parametrize("by", ["share", "schedule", "bandit"])
def test_who_has_stalled_makes_way_however_trials_are_divided(by: str) -> None:
    plugin = make_plugin(by=by, members=["sequential", "best_of_n"], stalled_after=2)
    tell(plugin, [make_trial(0, 5.0, member=None), make_trial(1, 1.0, member="best_of_n")])
    assert len(set(choose(plugin, 50))) == 2 or by == "bandit"
    tell(plugin, [make_trial(number, 1.0, member="sequential") for number in (2, 3)])
    assert set(choose(plugin, 50)) == {"best_of_n"}


def test_a_bandit_prefers_who_finds_more() -> None:
    plugin = make_plugin(by="bandit", members=["sequential", "best_of_n"], stalled_after=0)
    trials = [make_trial(n, float(n) if n % 2 else 0.0, member=NAMES[1 + (n + 1) % 2]) for n in range(60)]
    tell(plugin, trials)
    assert Counter(choose(plugin, 200))["sequential"] > 180


def find_alike(count: int) -> list[Trial]:
    """Trials of two members that take turns, each of which improves the best score by 1 every other time."""
    scores = [float(n // 4 * 2 + n % 4) if n % 4 < 2 else 0.0 for n in range(count)]
    return [make_trial(n, score, member=NAMES[1 + n % 2]) for n, score in enumerate(scores)]


def test_a_bandit_prefers_who_finds_as_often_but_more() -> None:
    plugin = make_plugin(by="bandit", members=["sequential", "best_of_n"], stalled_after=0)
    scores = accumulate(1.0 if n % 2 else 0.01 for n in range(60))
    tell(plugin, [make_trial(n, score, member=NAMES[1 + (n + 1) % 2]) for n, score in enumerate(scores)])
    assert Counter(choose(plugin, 200))["sequential"] > 180


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=30), st.integers(2, 50))
def test_whatever_the_scores_are_a_find_counts_at_most_as_one_trial(scores: list[float], memory: int) -> None:
    plugin = make_plugin(by="bandit", members=["sequential"], memory=memory)
    tell(plugin, [make_trial(n, score, member="sequential") for n, score in enumerate(scores)])
    (standing,) = search_of(plugin).standings.each
    assert 0.0 <= standing.found <= standing.trials


def test_a_bandit_prefers_who_finds_as_much_for_less_money() -> None:
    plugin = make_plugin(by="bandit", members=["sequential", "best_of_n"], stalled_after=0)
    trials = find_alike(80)
    tell(plugin, trials, dollars={n: 0.01 if n % 2 else 1.0 for n in range(80)})
    assert Counter(choose(plugin, 200))["best_of_n"] > 180


def test_where_a_price_is_unknown_a_bandit_counts_trials() -> None:
    plugin = make_plugin(by="bandit", members=["sequential", "best_of_n"], stalled_after=0)
    trials = find_alike(80)
    tell(plugin, trials, dollars={n: None if n == 7 else 0.01 if n % 2 else 1.0 for n in range(80)})
    assert 40 < Counter(choose(plugin, 200))["best_of_n"] < 160


def test_a_bandit_tries_every_member_before_it_judges() -> None:
    plugin = make_plugin(by="bandit", stalled_after=0)
    tell(plugin, [make_trial(n, float(n), member="sequential") for n in range(50)])
    assert set(choose(plugin, 50)) == {"islands", "best_of_n"}


def test_members_have_strategies_of_their_own_and_names() -> None:
    chain = {"search": "sequential", "name": "agent", "strategy": "agent", "temperature": 0.3}
    selection = make_plugin(members=[chain]).select(make_context(0), ())
    assert (selection.member, selection.strategy, selection.temperature) == ("agent", "agent", 0.3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"members": []}, "members"),
        ({"members": ["islands", "genetic"]}, "search"),
        ({"members": ["sequential", "sequential"]}, "need different names"),
        ({"members": ["islands", {"search": "islands", "name": "more"}]}, "take part once"),
        ({"members": [{"search": "islands", "strategy": "combine"}]}, "in the option `islands`"),
        ({"members": [{"search": "sequential", "parents": 2}]}, "chooses parents itself"),
        ({"members": ["islands", "archive"]}, "set `archive"),
        ({"stalled_after": 0}, "take turns when they stall"),
    ],
)
def test_compositions_that_make_no_sense_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        make_plugin(**wrong)


def test_a_composition_that_nobody_reads_is_refused() -> None:
    with pytest.raises(ValidationError, match="search 'islands' has no use for composed"):
        IslandsOptions.model_validate({"composed": {"by": "share"}})


# -- runs ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["turns", "bandit"])
def test_a_composed_run_that_is_stopped_and_resumed_equals_one_that_is_not(runs: Any, by: str) -> None:
    islands = {"name": "islands", "with": {"search": "composed", "composed": {"by": by, "stalled_after": 4}}}
    settings = {"more": [islands], "owners": {"select": "islands"}}
    whole = runs.run("whole", **settings, trials=60)
    cut = runs.run("cut", **settings, trials=23)
    runs.resume(cut, "budget.trials=60")
    assert runs.trials(cut) == runs.trials(whole)
    assert len({trial["selection"]["member"] for trial in runs.trials(whole)[3:]}) == 3


@pytest.mark.parametrize(("incumbent", "expected"), [("overall", 1), ("worst", None)])
def test_whoever_selects_a_trial_it_is_compared_with_the_best_of_all_where_that_is_asked_for(
    incumbent: str, expected: int | None
) -> None:
    composed = {"by": "schedule", "members": [{"search": name, "trials": 1} for name in NAMES]}
    options = {"search": "composed", "composed": composed, "incumbent": incumbent}
    plugin = IslandsPlugin(IslandsOptions.model_validate(options))
    committed = (make_trial(0, 1.0, member=None), make_trial(1, 3.0, member="best_of_n"), make_trial(2, 2.0))
    selections = [plugin.select(make_context(number), committed) for number in (3, 4, 5)]
    assert {each.member for each in selections} == set(NAMES)
    assert {each.incumbent for each in selections} == {expected}
