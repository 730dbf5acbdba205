"""Axes, thinning, and charts as files."""

import itertools
import math
import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evograft_report.chart_files import get_renderers
from evograft_report.charts.report_charts import draw_charts
from evograft_report.figures.line_cycling import spread
from evograft_report.figures.program_diff import Differ
from evograft_report.page import get_catalog
from evograft_report.toolkit import numbers
from evograft_report.toolkit.palette import DARK, LIGHT, resolve_variables
from evograft_report.toolkit.scale import floor_of, floor_of_best, scale
from evograft_report.toolkit.svg import estimate_width, fit_text

FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(FLOATS, min_size=1, max_size=20), st.sampled_from([0.0, 0.04]))
@example([-1.5e308, 1.5e308], 0.0)
@example([1.7e308], 0.0)
def test_every_value_has_a_place_within_the_scale(values, margin):
    drawn = scale(values, 100.0, 0.0, margin=margin)
    assert all(0.0 <= drawn.at(value) <= 100.0 for value in values)


@given(FLOATS, FLOATS, st.integers(2, 12))
def test_ticks_are_few_and_lie_within_the_scale(one, other, most):
    drawn = scale([one, other], 0.0, 100.0)
    ticks = drawn.ticks(most)
    assert 1 <= len(ticks) <= most + 2
    assert all(math.isfinite(tick) for tick in ticks)
    assert len(numbers.ticks(ticks)) == len(ticks)


def test_ticks_are_round():
    assert scale([0.0, 1.0], 0, 1).ticks(5) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert numbers.ticks([0.0, 0.5, 1.0]) == ["0.0", "0.5", "1.0"]
    assert numbers.ticks(scale([0, 30_000], 0, 1).ticks(3)) == ["0", "10k", "20k", "30k"]


def test_a_few_terrible_scores_do_not_flatten_the_rest():
    scores = [float(number) for number in range(100)]
    assert floor_of(scores) == 0.0
    assert floor_of([*scores, -1e9]) > -10
    assert floor_of([-1e9, *scores]) > -10
    assert floor_of_best(scores) < max(scores[:6])
    assert floor_of_best([1.0] * 50) == 1.0


@given(st.lists(FLOATS, min_size=1, max_size=60))
def test_an_axis_never_begins_above_the_best(scores):
    assert floor_of(scores) <= max(scores)
    assert floor_of_best(scores) <= max(scores)


@given(st.lists(st.integers(), max_size=200, unique=True))
def test_spreading_loses_nothing(items):
    assert sorted(spread(items)) == sorted(items)


def test_every_beginning_of_what_is_spread_lies_all_over_it():
    first = sorted(spread(range(1000))[:10])
    assert first[0] < 100
    assert first[-1] > 850
    assert max(b - a for a, b in itertools.pairwise(first)) < 250


@pytest.mark.parametrize(
    ("part", "whole", "words"),
    [(1, 3, "33.3 %"), (0, 5, "0 %"), (1, 5000, "< 0.1 %"), (4999, 5000, "99.9 %"), (5, 5, "100 %"), (0, 0, "–")],
)
def test_shares_are_never_rounded_to_none_or_all(part, whole, words):
    assert numbers.percent(part, whole) == words


def test_words_are_cut_to_a_width_and_wide_letters_count_double():
    assert estimate_width("行の再出現") > 1.7 * estimate_width("lines")
    assert fit_text("short", 100) == "short"
    assert fit_text("a rather long label", 60).endswith("…")


def test_dots_of_a_long_run_are_thinned(book):
    for number in range(400):
        book.trial(float(number % 20), files=None if number % 7 else "1.0")
    few = draw_charts(book.figures(), get_catalog("en")).scores
    dots = re.findall(r"M\d+ \d+h", str(few.drawings()))
    assert 300 < len(dots) <= 2 * 402


def test_trials_in_the_same_place_are_one_dot(book):
    for _ in range(3000):
        book.trial(1.0, files=None)
    chart = draw_charts(book.figures(), get_catalog("en")).scores
    assert len(re.findall(r"h\.01", str(chart.drawings()))) < 1300


def test_a_run_shows_its_cost_in_dollars_else_in_tokens_else_in_time(book):
    book.trial(1.0)
    assert draw_charts(book.figures(), get_catalog("en")).spending.title == "Best scores over time"
    book.call(1)
    book.trial(2.0)
    assert draw_charts(book.figures(), get_catalog("en")).spending.title == "Best scores over dollars"
    book.call(2, model="free")
    book.trial(3.0)
    assert draw_charts(book.figures(), get_catalog("en")).spending.title == "Best scores over tokens"


def test_charts_have_a_title_and_a_description_for_those_who_cannot_see_them(book):
    for number in range(10):
        book.trial(float(number), island=number % 2)
    for chart in draw_charts(book.figures(), get_catalog("en")).all:
        for drawn in re.findall(r"<svg.*?</svg>", str(chart.drawings())):
            tree = ET.fromstring(drawn)
            title, desc = tree[0], tree[1]
            assert tree.get("role") == "img"
            assert tree.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
            assert title.text
            assert desc.text


def test_charts_as_files_name_no_variables_and_are_pictures(book):
    for number in range(10):
        book.trial(float(number), island=number % 2)
    files = get_renderers("both")
    for chart in draw_charts(book.figures(), get_catalog("ja")).all:
        svg = files["svg"](chart).decode()
        assert "var(" not in svg
        assert files["png"](chart).startswith(b"\x89PNG")


def test_light_and_dark_name_the_same_colours():
    assert set(LIGHT) == set(DARK)
    with pytest.raises(KeyError):
        resolve_variables("fill: var(--no-such)")


# -- differences ------------------------------------------------------------------------------------------------------


def signs(changes):
    return "".join(line.sign for line in changes[0].lines)


def test_a_difference_shows_a_few_lines_around_it():
    before = "\n".join(map(str, range(30)))
    after = before.replace("\n15\n", "\nfifteen\n").replace("\n25\n", "\n")
    changes = Differ().changes({"a": before}, {"a": after}, lines=100)
    assert signs(changes) == "@   -+   @   -   @"
    assert (changes[0].added, changes[0].removed) == (1, 2)


def test_within_a_line_only_what_changed_is_marked():
    (change,) = Differ().changes({"a": "return 0.25 * x + 1"}, {"a": "return 0.5 * x + 1"}, lines=10)
    assert [(piece.text, piece.changed) for piece in change.lines[1].pieces] == [
        ("return ", False),
        ("0.5", True),
        (" * x + 1", False),
    ]


def test_files_that_come_and_go_are_shown():
    changes = Differ().changes({"a": "x\n", "b": "y\n", "c": "same"}, {"b": "z\n", "c": "same", "d": "new\n"}, lines=10)
    assert [change.path for change in changes] == ["a", "b", "d"]


def test_a_difference_is_bounded_in_length_and_in_work():
    long = {"a": "\n".join(f"{n} old" for n in range(300))}
    (change,) = Differ().changes(long, {"a": "\n".join(f"{n} new" for n in range(300))}, lines=50)
    assert (len(change.lines), change.left_out) == (50, 550)
    repeated = {"a": "a\nb\n" * 50_000}
    (change,) = Differ().changes(repeated, {"a": "b\na\n" * 50_000}, lines=50)
    assert change.too_long or change.lines


def test_within_lines_only_so_many_are_compared_and_no_giants_are_looked_into(monkeypatch):
    monkeypatch.setattr("evograft_report.figures.program_diff.MOST_PAIRS", 1)
    (change,) = Differ().changes({"a": "x = 1\nkept\ny = 1"}, {"a": "x = 2\nkept\ny = 2"}, lines=10)
    assert [len(line.pieces) for line in change.lines] == [2, 2, 1, 1, 1]
    (change,) = Differ().changes({"a": ""}, {"a": "x\n" * 1_500_000}, lines=10)
    assert (change.too_long, change.added) == (True, 1_500_000)


@given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abc"), max_size=30))
def test_a_difference_tells_what_was_added_and_removed(before, after):
    changes = Differ().changes({"f": "\n".join(before)}, {"f": "\n".join(after)}, lines=1000)
    if before == after or not changes:
        return
    (change,) = changes
    assert change.added - change.removed == len(after) - len(before) or not (before and after)


# -- several objectives -----------------------------------------------------------------------------------------------


def test_a_run_of_one_objective_has_no_front(book):
    book.trial(1.0, objectives={"fast": 1.0})
    assert book.figures().front is None
    assert draw_charts(book.figures(), get_catalog("en")).front is None


def test_the_front_is_a_table_and_a_chart_with_all_other_trials_behind_it(book):
    for place in range(6):
        book.trial(float(place), objectives={"fast": float(place), "<small>": float(5 - place)})
    book.trial(0.5, objectives={"fast": 0.0, "<small>": 0.0})
    front = book.figures().front
    assert front.names == ("fast", "<small>")
    assert [row.trial for row in front.rows] == [5, 4, 3, 2, 1, 0]
    chart = str(draw_charts(book.figures(), get_catalog("en")).front.drawings())
    assert chart.count("<circle") == 2 * 6
    assert "<small>" not in chart
    page = book.page()
    assert 'id="front"' in page
    assert "&lt;small&gt;" in page


# -- the frontier of cases --------------------------------------------------------------------------------------------


def test_who_is_best_on_which_case_is_a_table_and_a_strip_for_each_trial(book):
    by_cases = {"cases": 3}
    book.trial(1.0, cases={"one": 1.0, "<two>": 1.0, "three": 0.0}, selection=by_cases)
    book.trial(2.0, cases={"one": 0.0, "<two>": 1.0, "three": 5.0}, selection=by_cases)
    book.trial(0.0, cases={"one": 0.0, "<two>": 1.0, "three": 0.0}, selection=by_cases)
    front = book.figures().case_front
    assert [(row.trial, row.best_on, row.alone_on) for row in front.rows] == [(0, 2, 1), (1, 2, 1)]
    assert [(each.trials, each.is_alone) for each in front.cases] == [((0,), True), ((0, 1), False), ((1,), True)]
    chart = str(draw_charts(book.figures(), get_catalog("en")).case_front.drawings())
    assert chart.count("<title>trial 0: one</title>") == 2, "wide and narrow"
    assert "<two>" not in chart
    page = book.page()
    assert 'id="case_front"' in page
    assert "&lt;two&gt;" in page


def test_of_many_cases_the_first_are_drawn_and_the_page_says_how_many_are_not(book):
    book.trial(1.0, cases={f"case {number}": 1.0 for number in range(250)}, selection={"cases": 250})
    assert len(book.figures().case_front.cases) == 200
    assert "50 more cases are not drawn; the table counts them." in book.page()


def test_a_run_that_does_not_go_by_cases_has_no_such_frontier(book):
    book.trial(1.0, cases={"one": 1.0})
    assert book.figures().case_front is None
    assert draw_charts(book.figures(), get_catalog("en")).case_front is None
