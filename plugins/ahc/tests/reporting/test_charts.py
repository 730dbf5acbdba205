"""Charts of a run: what they show, and of what there is nothing to show."""

import re

import pytest
from logbook import LogBook

from evograft.log.records import NO_PRINTS
from evograft.runs.index import open_run
from evograft.text.i18n import Catalog
from evograft_ahc.reporting.generations import draw_generations
from evograft_ahc.reporting.heat_map import ROWS, SHADES, draw_heat_map
from evograft_ahc.reporting.score_history import Generation, ScoreHistory
from evograft_ahc.scoring.reference_frame import ReferenceFrame
from evograft_ahc.scoring.references import References
from evograft_hookspecs import Candidate, Evaluation, Problem, Trial

PIPELINE = {
    "name": "ahc",
    "plugins": ["ahc", "islands"],
    "owners": {"select": "islands"},
    "budget": {"trials": 10},
    "generation_size": 2,
}
T = Catalog("en", "evograft_ahc.reporting")


def trial(number, scores, sign=1):
    total = sign * float(sum(scores.values()))
    evaluation = Evaluation(status="ok", score=total, cases={case: float(score) for case, score in scores.items()})
    candidate = Candidate.of(f"// {number}", kind="cpp", operator="ahc.nudge", trial=number)
    return Trial(number=number, view=number, candidate=candidate, evaluation=evaluation)


def score_history(folder, problem, *trials, order="trial"):
    """The course of a run whose trials finished in this order."""
    with LogBook.begun({**PIPELINE, "order": order}, folder / "run") as book:
        book.journal.write_problem(problem)
        for each in trials:
            book.journal.write_trial(each, NO_PRINTS, elapsed=1.0)
        return ScoreHistory.read(book.journal, open_run(book.path).pipeline)


def problem(references=(), direction="max", seeds=1):
    reference_frame = ReferenceFrame(references=References(programs=references), direction=direction, case_order=0)
    seed = {"main": "int main() {}"}
    return Problem(
        name="ahc",
        statement="s",
        kind="cpp",
        objective="score",
        analysis=reference_frame.entry(),
        seeds=(seed,) * seeds,
    )


def cells(chart):
    """How many cells there are of each kind and shade, in the wide drawing."""
    wide = str(chart.drawings()).partition("</svg>")[0]
    found = re.findall(r'class="bar (\w+)" fill-opacity="([\d.]+)" d="([^"]+)"', wide)
    return {(kind, float(opacity)): path.count("M") for kind, opacity, path in found}


def test_a_course_keeps_the_best_and_the_scores_of_each_generation(tmp_path):
    trials = [trial(0, {"0000": 5}), trial(1, {"0000": 7}), trial(2, {"0000": 6}), trial(3, {"0000": 9})]
    course = score_history(tmp_path, problem(), *trials)
    assert [(each.number, each.best, each.mean) for each in course.generations] == [(0, 5, 5), (1, 7, 6.5), (2, 9, 9)]
    assert [step.number for step in course.steps] == [0, 1, 3]


@pytest.mark.parametrize(
    ("order", "generations", "steps"),
    [("trial", [(0, 5), (1, 7.5), (2, 9)], [0, 1, 2, 3]), ("arrival", [(0, 5), (1, 8), (2, 8)], [0, 1, 3])],
)
def test_trials_belong_to_the_generation_in_which_they_were_committed(tmp_path, order, generations, steps):
    trials = [trial(0, {"0000": 5}), trial(1, {"0000": 7}), trial(3, {"0000": 9}), trial(2, {"0000": 8})]
    course = score_history(tmp_path, problem(), *trials, order=order)
    assert [(each.number, each.mean) for each in course.generations] == generations
    assert [step.number for step in course.steps] == steps


def test_a_course_knows_where_less_is_better(tmp_path):
    course = score_history(tmp_path, problem(({"0000": 5.0},), direction="min"))
    assert (course.sign, course.references.on("0000")) == (-1, (5,))


def test_scores_of_generations_are_drawn_from_the_second_on():
    generations = [Generation(0, [1.0]), Generation(1, [2.0, 4.0])]
    assert draw_generations(generations[:1], T) is None
    chart = draw_generations(generations, T)
    assert "the best went from 1 to 4" in chart.description
    assert str(chart.drawings()).count('class="line best"') >= 2


def test_cells_are_the_lighter_the_farther_below_the_best_of_their_case():
    steps = [trial(0, {"0000": 100, "0001": 50}), trial(1, {"0000": 90, "0001": 100})]
    chart = draw_heat_map(steps, References(programs=({"0000": 100.0},)), 1, T)
    # The start program has the best on one case and failed the other.
    assert cells(chart) == {("ok", SHADES[0]): 3, ("ok", SHADES[4]): 1, ("ok", SHADES[5]): 1, ("rejected", 1.0): 1}
    assert "failed" in str(chart.drawings())


def test_where_less_is_better_the_least_is_the_darkest():
    chart = draw_heat_map([trial(0, {"0000": 100}), trial(1, {"0000": 50}, sign=-1)], References(), -1, T)
    assert cells(chart) == {("ok", SHADES[0]): 1, ("ok", SHADES[5]): 1}


@pytest.mark.parametrize("steps", [1, ROWS - 1, 5 * ROWS])
def test_of_many_programs_the_first_and_the_newest_are_shown(steps):
    trials = [trial(number, {"0000": number + 1}) for number in range(steps)]
    drawn = str(draw_heat_map(trials, References(programs=({"0000": 0.5},)), 1, T).drawings())
    assert ">start<" in drawn
    assert "trial 0<" in drawn
    assert f"trial {steps - 1}<" in drawn
    assert drawn.partition("</svg>")[0].count(">trial ") == min(steps, ROWS - 1)


def test_the_start_program_is_shown_once():
    drawn = str(draw_heat_map([trial(0, {"0000": 5})], References(programs=({"0000": 5.0},)), 1, T).drawings())
    assert ">start<" not in drawn
    assert "trial 0<" in drawn


def test_nothing_evaluated_is_nothing_to_show():
    assert draw_heat_map([], References(programs=({"0000": 1.0},)), 1, T) is None


def test_both_languages_have_all_words():
    words = [set(Catalog(language, "evograft_ahc.reporting")._words) for language in ("en", "ja")]
    assert words[0] == words[1]
