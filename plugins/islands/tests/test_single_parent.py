"""What the baselines promise: where trials start, whatever is told to them, and in runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evograft_hookspecs import Candidate, Context, Evaluation, Selection, Trial
from evograft_islands.options import IslandsOptions
from evograft_islands.plugin import IslandsPlugin

BASELINES = ("best_of_n", "sequential")


def make_plugin(baseline: str, **options: Any) -> IslandsPlugin:
    return IslandsPlugin(IslandsOptions.model_validate({"search": baseline, **options}))


def make_context(*, seed: int = 0) -> Context:
    nothing: Any = None
    return Context(trial=50, seed=seed, scratch=Path(), generation_size=3, llm=nothing, tools=nothing, history=nothing)


def make_trial(number: int, status: str, score: float, *, seed: bool = False) -> Trial:
    scored = {"score": score} if status in ("ok", "pruned", "duplicate") else {}
    known = "ok" if status == "duplicate" else status
    return Trial(
        number=number,
        view=number,
        selection=None if seed else Selection(),
        candidate=Candidate.of(f"program {number}", kind="text", operator="kernel.seed", trial=number),
        evaluation=Evaluation.model_validate({"status": known, "reason": "stopped", **scored}),
        duplicate_of=0 if status == "duplicate" else None,
    )


def seeds(*scores: float) -> list[Trial]:
    return [make_trial(number, "ok", score, seed=True) for number, score in enumerate(scores)]


def children(first: int, *scores: float) -> list[Trial]:
    return [make_trial(number, "ok", score) for number, score in enumerate(scores, first)]


def tell(plugin: IslandsPlugin, trials: list[Trial], *, seed: int = 0) -> Selection:
    return plugin.select(make_context(seed=seed), tuple(trials))


@st.composite
def histories(draw: st.DrawFn) -> list[Trial]:
    """Trials in an order of arrival: seeds first, and every way in which a trial may end."""
    first = draw(st.integers(0, 3))
    later = draw(st.permutations(range(first, first + draw(st.integers(0, 30)))))
    statuses = st.sampled_from(["ok", "ok", "ok", "rejected", "failed", "pruned", "duplicate"])
    scores = st.integers(0, 9).map(float)
    return [make_trial(number, draw(statuses), draw(scores), seed=number < first) for number in (*range(first), *later)]


baselines = st.sampled_from(BASELINES)


def sound(history: list[Trial]) -> list[Trial]:
    return [trial for trial in history if trial.score is not None and trial.duplicate_of is None]


@given(baselines, histories(), st.data())
def test_any_chunking_and_any_repetition_give_the_same_state(
    baseline: str, history: list[Trial], data: st.DataObject
) -> None:
    whole, pieces = make_plugin(baseline), make_plugin(baseline)
    tell(whole, history)
    position = 0
    while position < len(history):
        start = data.draw(st.integers(0, position))
        position = data.draw(st.integers(position + 1, len(history)))
        tell(pieces, history[start:position])
    assert pieces.search.head == whole.search.head


@given(baselines, histories(), st.integers(0, 99))
def test_parents_are_told_trials_that_are_ok_and_there_is_no_bar(
    baseline: str, history: list[Trial], seed: int
) -> None:
    selection = tell(make_plugin(baseline), history, seed=seed)
    assert set(selection.parents) <= {trial.number for trial in sound(history)}
    assert selection.incumbent is None
    assert selection == tell(make_plugin(baseline), history, seed=seed + 1), "nothing is left to chance"


@given(histories())
def test_best_of_n_names_the_best_seed_and_never_a_child(history: list[Trial]) -> None:
    plugin = make_plugin("best_of_n")
    started = sound([trial for trial in history if trial.selection is None])
    best = max(started, key=lambda trial: trial.score or 0.0, default=None)
    for number in range(len(history) + 1):
        parents = tell(plugin, history[:number]).parents
        assert set(parents) <= {trial.number for trial in started}
    assert parents == (() if best is None else (best.number,))


@pytest.mark.parametrize(("baseline", "independent"), [("best_of_n", True), ("sequential", False)])
def test_samples_are_independent_and_links_of_a_chain_are_not(baseline: str, independent: bool) -> None:
    assert tell(make_plugin(baseline), seeds(1.0)).independent is independent


@given(histories())
def test_the_head_of_the_chain_never_gets_worse_and_is_the_newest_of_the_best(history: list[Trial]) -> None:
    plugin = make_plugin("sequential")
    scores = {trial.number: trial.score or 0.0 for trial in history}
    last = float("-inf")
    for number in range(len(history) + 1):
        parents = tell(plugin, history[:number]).parents
        candidates = sound(history[:number])
        if not candidates:
            assert parents == ()
            continue
        (head,) = parents
        assert scores[head] >= last
        last = scores[head]
        assert last == max(scores[trial.number] for trial in candidates)
        assert head == [trial.number for trial in candidates if scores[trial.number] == last][-1]


@pytest.mark.parametrize("baseline", BASELINES)
def test_without_a_score_every_trial_starts_afresh(baseline: str) -> None:
    committed = [make_trial(0, "rejected", 0.0, seed=True), make_trial(1, "failed", 0.0)]
    assert tell(make_plugin(baseline), committed).parents == ()


def test_samples_start_afresh_where_no_seed_has_a_score_however_good_others_are() -> None:
    committed = [make_trial(0, "rejected", 0.0, seed=True), *children(1, 5.0)]
    assert tell(make_plugin("best_of_n"), committed).parents == ()


def test_of_equal_seeds_samples_start_from_the_first_and_a_chain_from_the_last() -> None:
    assert tell(make_plugin("best_of_n"), seeds(1.0, 2.0, 2.0)).parents == (1,)
    assert tell(make_plugin("sequential"), seeds(1.0, 2.0, 2.0)).parents == (2,)


def test_a_chain_moves_on_to_equals_and_better_ones_only() -> None:
    plugin = make_plugin("sequential")
    tell(plugin, seeds(2.0))
    heads = [tell(plugin, [child]).parents for child in children(1, 1.0, 2.0, 1.9, 3.0, 2.5)]
    assert heads == [(0,), (2,), (2,), (4,), (4,)]


def test_an_estimate_above_the_head_does_not_take_its_place() -> None:
    committed = [*seeds(2.0), make_trial(1, "pruned", 9.0), make_trial(2, "duplicate", 2.0)]
    assert tell(make_plugin("sequential"), committed).parents == (0,)


@pytest.mark.parametrize("baseline", BASELINES)
def test_all_trials_of_a_baseline_have_one_place(baseline: str) -> None:
    plain = tell(make_plugin(baseline), [])
    assert (plain.island, plain.island_name, plain.temperature, plain.strategy) == (0, baseline, 1.0, "refine")
    given = make_plugin(baseline, islands=[{"name": "calm", "temperature": 0.2, "strategy": "polish"}])
    chosen = tell(given, [])
    assert (chosen.island, chosen.island_name, chosen.temperature, chosen.strategy) == (0, "calm", 0.2, "polish")


@pytest.mark.parametrize("baseline", BASELINES)
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"elites": 8, "distinct_scores": True}, r"no use for distinct_scores, elites: leave them out; --set"),
        ({"migration_every": 0}, "no use for migration_every"),
        ({"archive": {"axes": {"size": [0, 1]}}, "archive_share": 0.5}, "no use for archive, archive_share"),
        ({"incumbent": "best"}, "no use for incumbent"),
        ({"when_empty": "fresh"}, "no use for when_empty"),
        ({"islands": [{"name": "a"}, {"name": "b"}]}, "takes one island"),
        ({"islands": [{"name": "a", "parents": 2}]}, "chooses parents itself"),
    ],
)
def test_options_of_the_population_are_refused_in_one_line(baseline: str, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message) as caught:
        make_plugin(baseline, **wrong)
    (error,) = caught.value.errors()
    assert repr(baseline) in error["msg"]
    assert "\n" not in error["msg"]


def test_a_bar_of_none_is_no_contradiction_and_an_unknown_baseline_is() -> None:
    assert make_plugin("best_of_n", incumbent="none").options.incumbent == "none"
    with pytest.raises(ValidationError, match="search"):
        make_plugin("best_of_m")


# -- runs ---------------------------------------------------------------------------------------------------------------


def lab_with(baseline: str, **settings: Any) -> dict[str, Any]:
    islands = {"name": "islands", "with": {"search": baseline}}
    return {"more": [islands], "owners": {"select": "islands"}, **settings}


def parents_in(trials: list[dict[str, Any]]) -> list[tuple[int, list[int]]]:
    return [(trial["view"], trial["selection"]["parents"]) for trial in trials if trial["selection"]]


def test_a_run_of_samples_starts_every_trial_from_the_best_seed(runs: Any) -> None:
    trials = runs.trials(runs.run("samples", **lab_with("best_of_n", trials=60)))
    best = max(trials[:3], key=lambda trial: trial["evaluation"]["score"])["number"]
    assert len(parents_in(trials)) == 57
    assert all(parents == [best] for _, parents in parents_in(trials))


@pytest.mark.parametrize("window", [1, 8])
def test_a_run_of_a_chain_starts_every_trial_from_the_best_it_sees(runs: Any, window: int) -> None:
    trials = runs.trials(runs.run("chain", **lab_with("sequential", trials=60, window=window)))
    for view, parents in parents_in(trials):
        seen = [trial for trial in trials[:view] if trial["evaluation"]["status"] == "ok"]
        seen = [trial for trial in seen if trial["duplicate_of"] is None]
        assert parents == [max(seen, key=lambda trial: (trial["evaluation"]["score"], trial["number"]))["number"]]
    assert len({tuple(parents) for _, parents in parents_in(trials)}) > 5


@pytest.mark.parametrize("baseline", BASELINES)
def test_a_baseline_that_is_stopped_and_resumed_equals_one_that_is_not(runs: Any, baseline: str) -> None:
    whole = runs.run("whole", **lab_with(baseline, trials=60))
    cut = runs.run("cut", **lab_with(baseline, trials=23))
    runs.resume(cut, "budget.trials=60")
    assert runs.trials(cut) == runs.trials(whole)


@pytest.mark.slow
def test_a_preset_becomes_a_baseline_by_two_overrides_and_one_alone_says_so(runs: Any) -> None:
    command = ("run", "--plugin", "graph_invariant", "--trials", "20", "--run-dir", runs.folder / "run")
    override = ("--set", "plugins.islands.with.search=sequential")
    refused = runs.evo(*command, *override)
    assert refused.returncode == 2
    (line,) = refused.stderr.splitlines()
    assert "plugins.1 (islands).with: search 'sequential' has no use for" in line
    assert "--set plugins.islands.with={}" in line
    done = runs.evo(*command, "--set", "plugins.islands.with={}", *override)
    assert done.returncode == 0, done.stderr
    assert {trial["selection"]["island_name"] for trial in runs.trials(runs.folder / "run")[8:]} == {"sequential"}
