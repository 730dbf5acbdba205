"""What the population promises, whatever is told to it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evograft_hookspecs import Candidate, Context, Evaluation, Selection, Trial
from evograft_islands.elite import Elite, rank
from evograft_islands.options import IslandsOptions
from evograft_islands.plugin import IslandsPlugin
from evograft_islands.populations.archive import Archive
from evograft_islands.populations.island import Island
from evograft_islands.populations.population import IslandPopulation, migrate
from evograft_islands.seen_trials import SeenTrials

AXES = {"size": (0.0, 10.0)}


def make_plugin(**options: Any) -> IslandsPlugin:
    return IslandsPlugin(IslandsOptions.model_validate(options))


def make_context(trial: int, *, seed: int = 0, generation_size: int = 3) -> Context:
    nothing: Any = None
    return Context(
        trial=trial,
        seed=seed,
        scratch=Path(),
        generation_size=generation_size,
        llm=nothing,
        tools=nothing,
        history=nothing,
    )


def make_trial(number: int, score: float | None, *, text: str = "", island: int | None = 0, **fields: Any) -> Trial:
    evaluation = (
        Evaluation.rejected("no good")
        if score is None
        else Evaluation(status="ok", score=score, descriptors=fields.pop("descriptors", {}))
    )
    return Trial(
        number=number,
        view=number,
        selection=None if island is None else Selection(island=island),
        candidate=Candidate.of(text or f"program {number}", kind="text", operator="kernel.seed", trial=number),
        **{"evaluation": evaluation, **fields},
    )


def tell(plugin: IslandsPlugin, trials: list[Trial], *, at: int = 0) -> Selection:
    return plugin.select(make_context(at), tuple(trials))


scores = st.integers(0, 12).map(float)


@st.composite
def histories(draw: st.DrawFn) -> list[Trial]:
    """Trials in an order of arrival, with seeds first, duplicates, failures, and texts that come up again."""
    seeds = draw(st.integers(0, 3))
    later = draw(st.permutations(range(seeds, seeds + draw(st.integers(0, 40)))))
    return [_draw_trial(draw, number, seeds) for number in (*range(seeds), *later)]


def _draw_trial(draw: st.DrawFn, number: int, seeds: int) -> Trial:
    island = None if number < seeds else number % 4
    text = f"program {draw(st.integers(0, 25))}"
    status = draw(st.sampled_from(["ok", "ok", "ok", "rejected", "failed", "pruned", "duplicate"]))
    if status == "ok":
        found = draw(st.dictionaries(st.just("size"), st.floats(-20, 20), max_size=1))
        return make_trial(number, draw(scores), text=text, island=island, descriptors=found)
    if status == "duplicate":
        return make_trial(number, draw(scores), text=text, island=island, duplicate_of=0)
    score = draw(scores) if status == "pruned" else None
    evaluation = Evaluation(status=status, score=score, reason="stopped")  # type: ignore[arg-type]
    return make_trial(number, None, text=text, island=island, evaluation=evaluation)


options = st.fixed_dictionaries(
    {
        "elites": st.integers(1, 6),
        "migration_every": st.integers(0, 3),
        "migrants": st.integers(1, 3),
        "tournament": st.integers(1, 4),
        "distinct_scores": st.booleans(),
        "archive": st.just({"axes": AXES, "bins": 4}),
        "archive_share": st.sampled_from([0.0, 0.5, 1.0]),
        "when_empty": st.sampled_from(["fresh", "borrow"]),
        "incumbent": st.sampled_from(["worst", "best", "overall", "parent", "none"]),
    }
)


def countable(history: list[Trial]) -> list[Trial]:
    return [trial for trial in history if trial.score is not None and trial.duplicate_of is None]


@given(options, histories())
def test_no_island_outgrows_its_cap_or_holds_a_candidate_twice(options: dict[str, Any], history: list[Trial]) -> None:
    plugin = make_plugin(**options)
    tell(plugin, history)
    for island in plugin.search.population.islands:
        candidates = [elite.candidate for elite in island.elites]
        assert len(candidates) <= options["elites"]
        assert len(candidates) == len(set(candidates))
        assert island.elites == sorted(island.elites, key=rank)
        assert island._held == {elite.candidate: elite for elite in island.elites}


@given(options, histories())
def test_the_best_trial_told_is_never_lost(options: dict[str, Any], history: list[Trial]) -> None:
    plugin = make_plugin(**options)
    best = float("-inf")
    for trial in history:
        tell(plugin, [trial])
        if trial in countable([trial]):
            best = max(best, trial.score or 0.0)
        held = [elite.score for island in plugin.search.population.islands for elite in island.elites]
        assert max(held, default=float("-inf")) == best


@given(options, histories(), st.data())
def test_any_chunking_and_any_repetition_give_the_same_state(
    options: dict[str, Any], history: list[Trial], data: st.DataObject
) -> None:
    whole, pieces = make_plugin(**options), make_plugin(**options)
    tell(whole, history)
    position = 0
    while position < len(history):
        start = data.draw(st.integers(0, position))
        position = data.draw(st.integers(position + 1, len(history)))
        tell(pieces, history[start:position], at=position)
    assert pieces.search.population == whole.search.population


@given(options, histories(), st.integers(0, 7), st.integers(0, 2**32))
def test_the_same_seed_selects_the_same(options: dict[str, Any], history: list[Trial], trial: int, seed: int) -> None:
    one, two = make_plugin(**options), make_plugin(**options)
    selection = one.select(make_context(trial, seed=seed), tuple(history))
    assert two.select(make_context(trial, seed=seed), tuple(history)) == selection
    assert one.select(make_context(trial, seed=seed), ()) == selection


@given(options, histories(), st.integers(0, 7), st.integers(0, 99))
def test_parents_and_bar_are_told_trials_that_are_ok(
    options: dict[str, Any], history: list[Trial], trial: int, seed: int
) -> None:
    selection = make_plugin(**options).select(make_context(trial, seed=seed), tuple(history))
    known = {committed.number for committed in countable(history)}
    assert set(selection.parents) <= known
    assert len(set(selection.parents)) == len(selection.parents)
    assert selection.incumbent is None or selection.incumbent in known


@given(histories())
def test_each_cell_of_the_archive_keeps_its_best(history: list[Trial]) -> None:
    plugin = make_plugin(archive={"axes": AXES, "bins": 4})
    tell(plugin, history)
    archive = plugin.search.population.archive
    assert archive is not None
    best: dict[tuple[int, ...], float] = {}
    for trial in countable(history):
        cell = archive.find_cell(trial.evaluation.descriptors)
        if cell is not None and trial.score is not None:
            best[cell] = max(trial.score, best.get(cell, trial.score))
    assert {cell: archive.elites[place].score for cell, place in archive._places.items()} == best


@given(st.permutations(range(30)))
def test_told_numbers_are_remembered_in_any_order_and_cost_no_room_once_complete(numbers: list[int]) -> None:
    committed = SeenTrials()
    assert all(committed.add(number) for number in numbers)
    assert not any(committed.add(number) for number in numbers)
    assert (committed.below, committed.ahead) == (30, set())


def elites(*ranked: float) -> list[Elite]:
    return [Elite(number, score, f"{number}:{score}") for number, score in enumerate(ranked)]


def test_a_full_island_keeps_the_older_of_equals() -> None:
    island = Island(cap=2)
    accepted = [island.offer(elite) for elite in elites(1.0, 1.0, 1.0, 2.0)]
    assert accepted == [True, True, False, True]
    assert [elite.number for elite in island.elites] == [3, 0]


def test_of_one_candidate_with_two_scores_the_higher_stays() -> None:
    island = Island(cap=3)
    assert island.offer(Elite(1, 1.0, "same"))
    assert island.offer(Elite(2, 3.0, "same"))
    assert not island.offer(Elite(3, 2.0, "same"))
    assert island.elites == [Elite(2, 3.0, "same")]


def test_an_island_of_distinct_scores_turns_equals_away() -> None:
    island = Island(cap=5, distinct_scores=True)
    assert [island.offer(elite) for elite in elites(1.0, 1.0, 2.0, 2.0)] == [True, False, True, False]


def test_a_larger_tournament_favours_the_best() -> None:
    island = Island(cap=10)
    for elite in elites(*map(float, range(10))):
        island.offer(elite)
    rng = random.Random(1)

    def mean(tournament: int) -> float:
        return sum(island.draw(rng, 1, tournament=tournament)[0].score for _ in range(500)) / 500

    assert mean(1) < 5.5 < mean(2) < mean(5)


def test_draws_without_pressure_reach_every_pair() -> None:
    island = Island(cap=4)
    for elite in elites(1.0, 2.0, 3.0, 4.0):
        island.offer(elite)
    rng = random.Random(1)
    pairs = {tuple(elite.number for elite in island.draw(rng, 2, tournament=1)) for _ in range(500)}
    assert len(pairs) == 12


def test_migrants_are_copies_that_replace_the_worst_only_if_they_score_higher() -> None:
    islands = [Island(cap=2) for _ in range(3)]
    for island, ranked in zip(islands, [(9.0, 8.0), (1.0, 2.0), (5.0, 6.0)], strict=True):
        for place, score in enumerate(ranked):
            island.offer(Elite(int(score * 10) + place, score, str(score)))
    migrate(islands, migrants=1)
    assert [[elite.score for elite in island.elites] for island in islands] == [[9.0, 8.0], [9.0, 2.0], [6.0, 5.0]]


def test_a_migrant_travels_one_island_at_a_time() -> None:
    islands = [Island(cap=2) for _ in range(3)]
    islands[0].offer(Elite(0, 1.0, "a"))
    migrate(islands, migrants=1)
    assert [len(island.elites) for island in islands] == [1, 1, 0]


def test_migration_comes_after_so_many_generations_of_commits_and_seeds_do_not_count() -> None:
    plugin = make_plugin(migration_every=2)
    tell(plugin, [make_trial(0, None, island=None), make_trial(1, 7.0, island=0)])
    tell(plugin, [make_trial(number, None, island=0) for number in range(2, 6)])
    assert not plugin.search.population.islands[1].elites
    tell(plugin, [make_trial(6, None, island=0)])
    assert [elite.number for elite in plugin.search.population.islands[1].elites] == [1]


def test_seeds_go_to_every_island_and_trials_to_their_own() -> None:
    plugin = make_plugin()
    tell(plugin, [make_trial(0, 1.0, island=None), make_trial(1, 2.0, island=2)])
    assert [[elite.number for elite in island.elites] for island in plugin.search.population.islands] == [
        [0],
        [0],
        [1, 0],
        [0],
    ]


def test_islands_take_turns_and_name_themselves_in_the_selection() -> None:
    plugin = make_plugin()
    chosen = [tell(plugin, [], at=trial) for trial in range(5)]
    assert [selection.island_name for selection in chosen] == ["refine", "combine", "balance", "novel", "refine"]
    assert [selection.temperature for selection in chosen] == [0.3, 0.3, 0.8, 1.2, 0.3]
    assert [selection.strategy for selection in chosen] == ["refine", "combine", "refine", "novel", "refine"]


def test_the_strategy_decides_how_many_parents_unless_the_island_does() -> None:
    committed = [make_trial(number, float(number), island=None) for number in range(4)]
    plugin = make_plugin()
    assert [len(tell(plugin, committed, at=trial).parents) for trial in range(4)] == [1, 2, 1, 0]
    bold = make_plugin(islands=[{"name": "bold", "strategy": "novel", "parents": 3}])
    assert len(tell(bold, committed).parents) == 3


@pytest.mark.parametrize(("incumbent", "expected"), [("worst", 0), ("best", 2), ("parent", 2), ("none", None)])
def test_the_bar_is_what_the_option_names(incumbent: str, expected: int | None) -> None:
    plugin = make_plugin(elites=3, tournament=50, incumbent=incumbent)
    committed = [make_trial(number, float(number), island=0) for number in range(3)]
    assert tell(plugin, committed).incumbent == expected


@pytest.mark.parametrize(("first", "second"), [("incumbent", "bar"), ("bar", "incumbent")])
def test_of_the_options_name_and_its_earlier_name_the_later_one_holds(first: str, second: str) -> None:
    """An override stands behind what a preset or a file of any age says."""
    assert make_plugin(**{first: "best", second: "parent"}).options.incumbent == "parent"
    assert make_plugin(**{first: "best"}).options.incumbent == "best"


def test_an_island_with_room_has_no_bar() -> None:
    assert tell(make_plugin(elites=2), [make_trial(0, 1.0)]).incumbent is None


def test_the_best_of_all_islands_is_a_bar_for_each_from_the_first_trial_on() -> None:
    plugin = make_plugin(incumbent="overall")
    assert tell(plugin, [], at=0).incumbent is None
    assert tell(plugin, [make_trial(0, 1.0, island=0), make_trial(1, 3.0, island=1)], at=2).incumbent == 1
    assert tell(plugin, [make_trial(2, 2.0, island=2)], at=3).incumbent == 1


@pytest.mark.parametrize(("when_empty", "parents"), [("fresh", ()), ("borrow", (1,))])
def test_an_empty_island_starts_afresh_or_borrows(when_empty: str, parents: tuple[int, ...]) -> None:
    plugin = make_plugin(when_empty=when_empty)
    assert tell(plugin, [make_trial(1, 1.0, island=1)], at=0).parents == parents


@pytest.mark.parametrize(("seeds", "parents"), [("parents", (0,)), ("fallback", (1,))])
def test_an_island_with_seed_programs_alone_keeps_to_them_or_borrows(seeds: str, parents: tuple[int, ...]) -> None:
    plugin = make_plugin(seeds=seeds, elites=1)
    committed = [make_trial(0, 1.0, island=None), make_trial(1, 2.0, island=1)]
    assert tell(plugin, committed, at=2).parents == parents


def test_an_island_with_a_program_of_its_own_does_not_borrow() -> None:
    plugin = make_plugin(seeds="fallback", elites=1)
    committed = [make_trial(0, 1.0, island=None), make_trial(1, 3.0, island=1), make_trial(2, 2.0, island=2)]
    assert tell(plugin, committed, at=2).parents == (2,)


def test_the_archive_lends_its_share_of_parents() -> None:
    committed = [make_trial(number, float(-number), descriptors={"size": number}) for number in range(10)]
    shares = {}
    for share in (0.0, 1.0):
        plugin = make_plugin(elites=1, archive={"axes": AXES, "bins": 10}, archive_share=share)
        tell(plugin, committed)
        shares[share] = {plugin.select(make_context(0, seed=seed), ()).parents for seed in range(100)}
    assert shares[0.0] == {(0,)}
    assert len(shares[1.0]) == 10


def test_a_search_by_the_archive_alone_draws_from_every_cell_and_sends_nobody_anywhere() -> None:
    plugin = make_plugin(
        search="archive", archive={"axes": AXES, "bins": 10}, islands=[{"name": "cells", "parents": 2}]
    )
    tell(plugin, [make_trial(number, float(-number), descriptors={"size": number}) for number in range(10)])
    selections = [plugin.select(make_context(0, seed=seed), ()) for seed in range(100)]
    assert {number for selection in selections for number in selection.parents} == set(range(10))
    assert {(len(each.parents), each.island, each.island_name) for each in selections} == {(2, 0, "cells")}


def test_values_beyond_an_axis_belong_to_its_outermost_bins() -> None:
    archive = Archive({"size": (0.0, 1e-300)}, bins=4)
    assert archive.find_cell({"size": -1e300}) == (0,)
    assert archive.find_cell({"size": 1e300}) == (3,)
    assert archive.find_cell({"other": 1.0}) is None


def test_the_state_stays_small_over_a_long_run() -> None:
    population = IslandPopulation([Island(cap=8)], Archive(AXES, bins=4), migration_every=1, migrants=1)
    for number in range(3000):
        population.tell(make_trial(number, number % 97, descriptors={"size": number % 10}), home=0, generation_size=5)
    assert len(population.islands[0].elites) == len(population.islands[0]._held) == 8
    assert population.archive is not None
    assert len(population.archive.elites) == 4


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"islands": []}, "islands"),
        ({"islands": [{"name": "a"}, {"name": "a"}]}, "different names"),
        ({"elite": 3}, "elite"),
        ({"archive": {"axes": {"size": [3, 3]}}}, "axis 'size'"),
        ({"archive_share": 0.5}, "set `archive"),
        ({"search": "archive"}, "set `archive"),
    ],
)
def test_options_that_make_no_sense_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        IslandsOptions.model_validate(wrong)
