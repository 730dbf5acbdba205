"""Charts: every graph and every cell has its place, at both sizes."""

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_graph_invariant.records.summary.model import FallbackRecord, GraphValues, IslandRecord, MapPoint, SetScore
from evograft_graph_invariant.reporting.charts.elites import draw_elites, warmth_of
from evograft_graph_invariant.reporting.charts.intervals import draw_intervals, ends_of, row_of
from evograft_graph_invariant.reporting.charts.islands import draw_islands
from evograft_graph_invariant.reporting.charts.residuals import draw_residuals
from evograft_graph_invariant.reporting.charts.scatter import draw_scatter
from evograft_graph_invariant.reporting.elites import BINS, build_elite_map, get_edges
from evograft_graph_invariant.reporting.residuals import predictions_of, spreads_of
from evograft_graph_invariant.reporting.wording import ReportWording

W = ReportWording("en")
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
points = st.lists(
    st.builds(MapPoint, trial=st.integers(0, 99), simplicity=FLOATS, novelty=FLOATS, score=FLOATS), max_size=30
)


def drawings(chart):
    """The chart as XML, once a size; it is well-formed and nothing in it is no number."""
    text = f"<all>{chart.drawings()}</all>"
    assert "nan" not in text
    assert "inf" not in text
    return list(ET.fromstring(text))


def marks_of(drawing, kind):
    data = "".join(path.get("d") for path in drawing.iter("path") if kind in path.get("class").split())
    return len(re.findall("M", data))


def values(predicted, families=("ER", "BA")):
    names = tuple(families[number % len(families)] for number in range(len(predicted)))
    true = tuple(float(number) for number in range(len(predicted)))
    return GraphValues(families=names, true=true, predicted=predicted)


def test_a_scatter_has_a_mark_for_every_answered_graph_in_the_form_of_its_family():
    found = predictions_of(values((0.1, 1.2, None, 3.4, 4.1, 9000.0)))
    chart = draw_scatter("s", "test", found, W)
    for drawing in drawings(chart):
        assert marks_of(drawing, "family-0") == 2 + 1  # the third is the legend's
        assert marks_of(drawing, "family-1") == 3 + 1
    assert "1 prediction is so far away" in chart.description


def test_of_few_graphs_that_are_alike_a_fair_prediction_is_not_far_away():
    found = predictions_of(GraphValues(families=("a", "b", "c"), true=(2.41, 2.64, 2.49), predicted=(2.58, 3.18, 2.8)))
    assert "far away" not in draw_scatter("s", "sanity", found, W).description


def test_families_keep_their_form_when_the_first_graph_has_no_value():
    assert predictions_of(values((None, 1.2, 2.2))).families == ("ER", "BA")


def test_a_set_of_graphs_with_names_of_their_own_is_one_family():
    found = predictions_of(values(tuple(range(9)), families=tuple("abcdefghi")))
    assert found.families == ("",)
    assert [spread.graphs for spread in spreads_of(found)] == [9]


def test_nothing_is_drawn_of_graphs_without_a_value():
    assert predictions_of(values((None, None))) is None
    assert predictions_of(GraphValues(true=(1.0, 2.0))) is None
    assert draw_scatter("s", "test", None, W) is None
    assert draw_residuals("r", "test", None, W) is None


@given(st.lists(FLOATS, min_size=1, max_size=20))
def test_quarters_lie_in_order_between_the_ends(predicted):
    for spread in spreads_of(predictions_of(values(tuple(predicted)))):
        ordered = [spread.low, spread.quarter, spread.median, spread.three_quarters, spread.high]
        # But for rounding where they are interpolated.
        assert all(below - above <= 1e-12 * abs(below) for below, above in pairwise(ordered))


@given(st.lists(FLOATS, min_size=1, max_size=20))
def test_predictions_of_any_size_are_drawn(predicted):
    found = predictions_of(values(tuple(predicted)))
    drawings(draw_scatter("s", "test", found, W))
    drawings(draw_residuals("r", "test", found, W))


@given(points)
def test_every_candidate_is_in_one_cell_and_the_best_of_it_is_shown(candidates):
    found = build_elite_map(candidates, lambda point: point.novelty)
    if not candidates:
        assert found is None
        return
    assert sum(cell.count for cell in found.cells) == len(candidates)
    assert max(cell.score for cell in found.cells) == max(point.score for point in candidates)
    assert all(0 <= cell.column < BINS and 0 <= cell.row < BINS for cell in found.cells)
    assert all(0 <= warmth_of(cell, found) <= 4 for cell in found.cells)
    drawings(draw_elites("m", "map", found, W))


def test_a_map_has_five_by_five_cells():
    corners = [(0.1, 0.0), (0.6, 1.0), (0.2, 0.1)]
    candidates = [
        MapPoint(trial=number, simplicity=across, novelty=up, score=0.5) for number, (across, up) in enumerate(corners)
    ]
    found = build_elite_map(candidates, lambda point: point.novelty)
    assert [(cell.column, cell.row) for cell in found.cells] == [(0, 0), (1, 0), (4, 4)]
    assert get_edges((0.0, 1.0)) == pytest.approx((0.0, 0.2, 0.4, 0.6, 0.8, 1.0))
    for drawing in drawings(draw_elites("m", "map", found, W)):
        assert len(list(drawing.iter("rect"))) == BINS * BINS


def test_candidates_without_all_three_numbers_are_on_no_map():
    candidates = [MapPoint(trial=1, simplicity=0.1, score=0.5), MapPoint(trial=2, novelty=0.1, score=0.5)]
    assert build_elite_map(candidates, lambda point: point.novelty) is None


@pytest.mark.parametrize(
    ("rho", "low", "high", "ends"), [(0.9, 0.8, 0.95, (0.8, 0.95)), (-0.9, -0.95, -0.8, (0.8, 0.95))]
)
def test_intervals_are_of_the_absolute_value(rho, low, high, ends):
    assert ends_of(SetScore(rho=rho, low=low, high=high)) == ends


def test_a_set_without_an_interval_is_a_dot_and_one_without_a_correlation_is_left_out():
    rows = [row_of("test", SetScore(rho=-0.9), 0.8)]
    assert row_of("train", SetScore(), None) is None
    for drawing in drawings(draw_intervals("i", "rho", rows, W)):
        assert len(list(drawing.iter("circle"))) == 1
        assert marks_of(drawing, "rival") == 2
    assert draw_intervals("i", "rho", [], W) is None


def test_periods_under_constraint_and_calls_of_the_fallback_model_are_marked():
    island = IslandRecord(number=3, best_by_generation=(None, 0.4, 0.4, 0.5, 0.6))
    fallbacks = [
        FallbackRecord(generation=1, island=3, kind="constrained_on"),
        FallbackRecord(generation=2, island=3, kind="fallback_model"),
        FallbackRecord(generation=3, island=3, kind="constrained_off"),
        FallbackRecord(generation=4, island=3, kind="constrained_on"),
        FallbackRecord(generation=2, island=1, kind="fallback_model"),
    ]
    (chart,) = draw_islands("phase1", [island], fallbacks, W)
    (drawing,) = drawings(chart)
    assert len([bar for bar in drawing.iter("rect") if "dry" in bar.get("class")]) == 2 + 1
    assert marks_of(drawing, "asked") == 1 + 1


def test_islands_without_a_valid_candidate_have_no_chart():
    assert draw_islands("phase1", [IslandRecord(number=0, best_by_generation=(None, None))], [], W) == ()
