"""What an archive around centroids promises: nothing best is lost, and its cells follow from the trials alone."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evograft.cli.description import describe
from evograft.runs.status import read_status
from evograft_hookspecs import Candidate, Context, Evaluation, FrozenDict, Problem, Selection, Trial
from evograft_islands.elite import Elite
from evograft_islands.options import IslandsOptions
from evograft_islands.plugin import IslandsPlugin
from evograft_islands.populations.centroids import DOUBLINGS, CentroidArchive, find_centroids, find_nearest

points = st.lists(st.tuples(*[st.floats(0, 1)] * 2), min_size=1, max_size=30)
vectors = st.lists(st.fixed_dictionaries({"a": st.integers(0, 9).map(float), "b": st.integers(0, 9).map(float)}))


def filled(found: list[dict[str, float]], *, cells: int = 4) -> CentroidArchive:
    archive = CentroidArchive(cells, {})
    for number, descriptors in enumerate(found):
        archive.offer(Elite(number, float(number * 7 % 11), f"candidate {number}"), descriptors)
    return archive


def scattered(count: int) -> list[dict[str, float]]:
    rng = random.Random(1)
    return [{"a": rng.random(), "b": rng.random()} for _ in range(count)]


def make_trial(number: int, program: str, **measured: Any) -> Trial:
    return Trial(
        number=number,
        view=number,
        selection=Selection(),
        candidate=Candidate(
            kind="program", files=FrozenDict({"program.py": program}), operator="kernel.seed", trial=number
        ),
        evaluation=Evaluation(status="ok", score=float(number), **measured),
    )


def make_context(trial: int, *, language: str = "python") -> Context:
    nothing: Any = None
    problem = Problem(name="p", statement="s", kind="program", objective="o", language=language)
    return Context(trial, trial, Path(), 3, nothing, nothing, nothing, problem=problem)


def make_plugin(**archive: Any) -> IslandsPlugin:
    return IslandsPlugin(IslandsOptions.model_validate({"search": "archive", "archive": archive}))


@given(vectors)
def test_the_archive_never_has_more_elites_than_cells_and_the_best_is_among_them(
    found: list[dict[str, float]],
) -> None:
    archive = filled(found)
    assert len(archive.elites) <= 4
    best = max((number * 7 % 11 for number in range(len(found))), default=None)
    assert best is None or best in {elite.score for elite in archive.elites}


@given(points, st.integers(1, 8))
def test_no_point_is_nearer_to_a_centroid_of_another_cell(found: list[tuple[float, ...]], count: int) -> None:
    centroids = find_centroids(found, count)
    assert len(centroids) == min(count, len(found))
    for point in found:
        distances = [sum((a - b) ** 2 for a, b in zip(point, each, strict=True)) for each in centroids]
        assert distances[find_nearest(point, centroids)] == pytest.approx(min(distances))


def test_two_clusters_get_a_centroid_each() -> None:
    near, far = [(0.0, place / 100) for place in range(5)], [(1.0, 1 - place / 100) for place in range(5)]
    assert sorted(find_centroids([*near, *far], 2)) == [(0.0, pytest.approx(0.02)), (1.0, pytest.approx(0.98))]


def test_until_there_is_a_candidate_for_each_cell_all_that_differ_are_kept() -> None:
    archive = filled(scattered(9), cells=10)
    assert [elite.number for elite in archive.elites] == list(range(9))


def test_centroids_are_computed_anew_at_each_doubling_and_then_stay_as_they_are() -> None:
    archive, seen = CentroidArchive(3, {}), []
    for number, descriptors in enumerate(scattered(3 * 2 ** (DOUBLINGS + 2))):
        archive.offer(Elite(number, float(number), f"candidate {number}"), descriptors)
        if archive.centroids and (not seen or archive.centroids != seen[-1][1]):
            seen.append((number + 1, list(archive.centroids)))
    assert [number for number, _ in seen] == [3 * 2**each for each in range(DOUBLINGS + 1)]
    assert not archive._sample


def test_values_at_the_ends_of_what_floats_can_say_have_a_cell() -> None:
    largest = 1.7e308
    archive = filled([{"a": -largest}, {"a": largest}, {"a": 0.0}, {"a": 1.0}, {"a": 2.0}], cells=2)
    assert len(archive.elites) == 2


def test_named_axes_hold_values_within_their_ranges_and_leave_out_what_lacks_one() -> None:
    archive = CentroidArchive(2, {"a": (0.0, 1.0)})
    for number, descriptors in enumerate([{"a": 0.0}, {"b": 5.0}, {"a": 1.0, "b": 7.0}, {"a": 900.0}]):
        archive.offer(Elite(number, float(number), f"candidate {number}"), descriptors)
    assert archive.centroids == [(0.0,), (1.0,)]
    assert [elite.number for elite in archive.elites] == [0, 3]


@pytest.mark.parametrize(
    ("language", "flat", "loop"),
    [
        ("python", "x = {}\n", "for i in range({}):\n    if i:\n        print(i)\n"),
        ("cpp", "int x = {};\n", "void f() {{ for (int i = 0; i < {}; i++) {{ if (i) g(i); }} }}\n"),
    ],
)
def test_programs_without_descriptors_are_told_apart_by_their_structure(language: str, flat: str, loop: str) -> None:
    programs = [form.format(number) for form in (flat, loop) for number in range(5)]
    plugin = make_plugin(cells=2)
    trials = tuple(make_trial(number, text) for number, text in enumerate(programs))
    chosen = [plugin.select(make_context(seed, language=language), trials if not seed else ()) for seed in range(20)]
    assert {each.parents for each in chosen} == {(4,), (9,)}
    assert {each.cells for each in chosen} == {2}


def test_handed_over_in_pieces_the_cells_are_the_same() -> None:
    trials = [make_trial(number, "", descriptors=each) for number, each in enumerate(scattered(60))]
    at_once, in_pieces = make_plugin(cells=7), make_plugin(cells=7)
    for trial in trials:
        in_pieces.select(make_context(999), (trial,))
    last = make_context(60)
    assert at_once.select(last, tuple(trials)) == in_pieces.select(make_context(60), ())


def test_an_archive_is_a_grid_or_has_cells() -> None:
    with pytest.raises(ValidationError, match="a grid needs its `axes`"):
        make_plugin()
    with pytest.raises(ValidationError, match="leave them out, or `cells`"):
        make_plugin(cells=4, bins=3)


# -- runs ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("window", [1, 8])
def test_a_run_that_is_resumed_has_the_cells_of_one_that_never_stopped_and_status_counts_them(
    runs: Any, window: int
) -> None:
    islands = {"name": "islands", "with": {"search": "archive", "archive": {"cells": 6}}}
    settings: dict[str, Any] = {"more": [islands], "owners": {"select": "islands"}, "window": window}
    settings["with_"] = {"trading": True}
    whole = runs.run("whole", **settings, trials=60)
    cut = runs.run("cut", **settings, trials=23)
    runs.resume(cut, "budget.trials=60")
    assert runs.trials(cut) == runs.trials(whole)
    filled = [trial["selection"]["cells"] for trial in runs.trials(whole) if trial["selection"]]
    assert 3 <= filled[-1] <= 6
    standing = read_status(whole)
    assert standing.cells == filled[-1]
    assert f"archive   {filled[-1]} cells filled" in describe(standing)
