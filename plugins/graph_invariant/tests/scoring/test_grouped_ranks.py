"""Values that are ranked within many groups at once have the profiles that each group has by itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_graph_invariant.scoring.correlation import rank_profile, spearman
from evograft_graph_invariant.scoring.grouped_ranks import RankGroups

COUNT = 24
LAYERS = [
    [np.arange(5), np.arange(5, COUNT)],
    [np.array([3, 7, 9]), np.array([20, 1, 0])],
    [np.arange(0, COUNT, 2), np.arange(1, COUNT, 2)],
]
GROUPS = RankGroups(LAYERS, COUNT)

tied = st.lists(st.integers(-2, 2).map(float), min_size=COUNT, max_size=COUNT)
untied = st.lists(st.floats(-1e9, 1e9), min_size=COUNT, max_size=COUNT, unique=True)


def in_groups(values):
    profiles = GROUPS.profiles(values).reshape(len(LAYERS), COUNT)
    for layer, groups in zip(profiles, LAYERS, strict=True):
        for members in groups:
            yield layer[members], rank_profile(values[members])


@given(untied.map(np.array))
def test_untied_values_have_the_very_profiles_of_their_groups(values):
    assert all(np.array_equal(found, expected) for found, expected in in_groups(values))


@given(tied.map(np.array))
def test_equal_values_share_their_mean_rank_within_each_group(values):
    assert all(np.allclose(found, expected, rtol=1e-13, atol=1e-15) for found, expected in in_groups(values))


@pytest.mark.parametrize("column", ["max_degree", "leaves", "mean_resistance"])
def test_each_slice_has_the_correlation_of_its_graphs(bench, column):
    bench.evaluate("n(G)")
    table = bench.plugin._run_context.search.table
    values, target = table.all.columns[column], table.all.target
    slices = [np.flatnonzero(table.all.kinds == kind)[:50] for kind in dict.fromkeys(table.all.kinds)]
    for name in ("n", "density"):
        slices += np.split(table.all.columns[name].argsort(kind="stable"), 5)
    expected = [spearman(values[members], target[members]) for members in slices]
    assert table.slice_correlations(table.rank(values).slices) == pytest.approx(expected)
