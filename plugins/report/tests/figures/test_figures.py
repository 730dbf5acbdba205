"""What a log written by hand adds up to."""

import json

import pytest
from logbook import candidate

from evograft_hookspecs import Attempt, Evaluation, Trial
from evograft_report.figures.trial_cache import TrialCache


def row(rows, name):
    return next(each for each in rows if name in (each.operator, each.model))


def cost(rows, name):
    return next(each for each in rows if each.name == name)


# -- operators and models ---------------------------------------------------------------------------------------------


def test_an_operator_improves_when_it_beats_the_best_of_the_parents(book):
    low, high = book.trial(1.0), book.trial(5.0)
    book.trial(6.0, parents=(low, high))
    book.trial(4.0, parents=(low, high))
    book.trial(5.0, parents=(high,))
    (step,) = book.figures().operators
    assert (step.trials, step.ok, step.improved, step.became_best, step.best) == (5, 5, 1, 3, 6.0)


def test_a_trial_without_scored_parents_improves_on_none(book):
    rejected = book.trial(None)
    book.trial(3.0, parents=(rejected,))
    book.trial(4.0)
    assert book.figures().operators[0].improved == 0


def test_every_outcome_is_counted_where_it_belongs(book):
    first = book.trial(1.0)
    book.trial(None, operator="lab.jump")
    book.trial(None, operator="lab.jump", status="failed")
    book.trial(0.5, operator="lab.jump", status="pruned")
    book.trial(1.0, operator="lab.jump", duplicate_of=first)
    jump = row(book.figures().operators, "lab.jump")
    assert (jump.trials, jump.ok, jump.rejected, jump.failed, jump.pruned, jump.duplicates) == (4, 1, 1, 1, 1, 1)
    assert [point.outcome for point in book.figures().points] == ["ok", "rejected", "failed", "pruned", "duplicate"]


def test_a_pruned_estimate_is_never_the_best(book):
    book.trial(1.0)
    book.trial(9.0, status="pruned")
    assert book.figures().head.best_score == 1.0


def test_a_repaired_trial_counts_for_the_operator_that_was_drawn(book):
    failed = Attempt(candidate=candidate(0, "((", parents=(), operator="lab.step"), reason="not Python")
    book.trial(1.0, attempts=(failed,), candidate={"operator": "lab.mend"})
    book.trial(None, attempts=(failed,))
    figures = book.figures()
    assert [(each.operator, each.repaired) for each in figures.operators] == [("lab.step", 1)]
    shown = {each.kind: (each.trials, each.attempts) for each in figures.failures.shown}
    assert shown == {"no good": (1, 0), "not Python": (0, 2)}


def test_a_model_counts_for_the_trials_in_which_it_was_asked(book):
    book.call(0, model="dear")
    book.trial(1.0, model="dear")
    book.trial(2.0, model="dear")
    book.call(2, model="free")
    book.trial(3.0, model="dear", operator="lab.jump")
    figures = book.figures()
    assert {each.model: each.trials for each in figures.models} == {"dear": 1, "free": 1}
    assert {(each.operator, each.model): each.trials for each in figures.pairs} == {
        ("lab.step", "dear"): 1,
        ("lab.jump", "free"): 1,
    }
    assert [point.model for point in figures.points] == ["dear", "", "free"]


def test_the_first_of_equal_scores_is_the_best(book):
    book.trial(2.0)
    book.trial(2.0)
    figures = book.figures()
    assert (figures.head.best_trial, figures.head.best_score) == (0, 2.0)
    assert [point.is_best for point in figures.points] == [True, False]


def test_under_the_order_of_numbers_the_best_is_found_in_that_order(runs, tmp_path):
    from logbook import LogBook

    with LogBook.begun(runs.pipeline(), tmp_path / "run") as book:
        for number, score in ((1, 2.0), (0, 2.0), (3, 9.0)):
            book.trial(score, number=number)
        figures = book.figures()
    assert [point.trial for point in figures.points] == [0, 1, 3]
    assert [point.is_best for point in figures.points] == [True, False, True]


# -- costs ------------------------------------------------------------------------------------------------------------


def test_calls_are_added_up_by_model_by_operator_and_by_hook_outside_of_trials(book):
    book.call(None, hook="analyze")
    book.call(0, tokens=(1000, 500))
    book.call(0, tokens=(1000, 500))
    book.trial(1.0, model="dear")
    book.call(0, hook="observe", plugin="notes")
    book.call(7)
    costs = book.figures().costs
    assert (costs.total.calls, costs.total.prompt_tokens, costs.total.completion_tokens) == (5, 2300, 1150)
    assert costs.dollars == pytest.approx(2 * 0.004 + 3 * 0.0004)
    assert cost(costs.by_operator, "lab.step").calls == 2
    assert {each.name: each.calls for each in costs.outside} == {"analyze · lab": 1, "observe · notes": 1}
    assert costs.unfinished.calls == 1
    assert cost(costs.by_model, "dear").seconds == 10.0


def test_an_unknown_price_is_unknown_and_not_nothing(book):
    book.call(0, model="free")
    book.trial(1.0, model="free")
    book.call(1)
    book.trial(2.0, model="dear", operator="lab.jump")
    figures = book.figures()
    assert figures.costs.dollars is None
    assert cost(figures.costs.by_model, "free").dollars is None
    assert cost(figures.costs.by_model, "dear").dollars == pytest.approx(0.0004)
    data = figures.to_data()
    assert data["costs"]["total"]["dollars"] is None
    assert [each["spent"]["dollars"] for each in data["models"]] == [pytest.approx(0.0004), None]


def test_a_refused_call_costs_nothing_and_is_counted(book):
    book.call(0, model="free", refused="too long")
    book.trial(None, model="free")
    costs = book.figures().costs
    assert (costs.total.refused, costs.dollars) == (1, None if costs.total.unpriced else 0.0)
    assert costs.total.unpriced == 0


def test_what_evaluations_cost_is_part_of_the_whole(book):
    book.call(0)
    book.trial(1.0, cost=0.5)
    figures = book.figures()
    assert figures.costs.evaluations == 0.5
    assert figures.costs.dollars == pytest.approx(0.5004)
    assert figures.points[0].dollars == pytest.approx(0.5004)


def test_spending_is_told_at_the_commit_of_the_trial_it_was_for(book):
    book.call(1)
    book.call(0)
    book.trial(1.0)
    book.trial(1.0)
    assert [point.tokens for point in book.figures().points] == [150, 300]


# -- islands ----------------------------------------------------------------------------------------------------------


def test_an_island_has_its_own_best_and_mean_and_counts_parents_from_elsewhere(book):
    home = book.trial(1.0, island=0, selection={"island_name": "home"})
    book.trial(3.0, island=0, parents=(home,), selection={"island_name": "home"})
    book.trial(8.0, island=1, parents=(home,), selection={"island_name": "away"})
    book.trial(None, island=1)
    islands = book.figures().islands.shown
    assert [(each.name, each.trials, each.best, each.mean, each.visitors) for each in islands] == [
        ("home", 2, 3.0, 2.0, 0),
        ("", 2, 8.0, 8.0, 1),
    ]


def test_of_many_islands_those_with_the_most_trials_are_shown(book):
    for island in range(30):
        for _ in range(1 + (island == 20)):
            book.trial(1.0, island=island)
    islands = book.figures().islands
    assert len(islands.shown) == 12
    assert islands.left_out == 18
    assert 20 in [each.number for each in islands.shown]


# -- lineage ----------------------------------------------------------------------------------------------------------


def test_the_line_of_the_best_leads_back_to_where_it_began(book):
    book.trial(0.0, files={"a.py": "one\ntwo\n"}, operator="kernel.seed")
    advice = ({"id": "tell-0", "text": "shorter"}, {"id": "other", "text": "longer"})
    book.call(1)
    book.trial(
        2.0,
        files={"a.py": "one\nthree\n", "b.py": "new\n"},
        parents=(0,),
        model="dear",
        proposal={"instruction": "be bold", "advice": advice},
        candidate={"used_advice": ("tell-0",)},
    )
    book.trial(1.0)
    line = book.figures().lineage
    child, seed = line.newest
    assert (child.trial, child.parent, child.gain, child.model, child.instruction) == (1, 0, 2.0, "dear", "be bold")
    assert [(each.id, each.text) for each in child.advice] == [("tell-0", "shorter")]
    assert [(file.path, file.added, file.removed) for file in child.changes] == [("a.py", 1, 1), ("b.py", 1, 0)]
    assert (seed.trial, seed.parent, seed.operator) == (0, None, "kernel.seed")
    assert (line.length, line.improvements, line.left_out) == (2, 1, 0)


def test_with_several_parents_the_line_follows_the_one_that_shares_most(book):
    far = book.trial(5.0, files="a\nb\n")
    near = book.trial(1.0, files="a\nc\nd\n")
    book.trial(9.0, files="a\nc\nd\ne\n", parents=(far, near))
    child = book.figures().lineage.newest[0]
    assert (child.parent, child.other_parents) == (near, (far,))


def test_a_long_line_is_shown_from_both_ends(book):
    book.trial(0.0)
    for number in range(99):
        book.trial(float(number + 1), files=f"{number}", parents=(number,))
    line = book.figures().lineage
    assert (len(line.newest), line.left_out, len(line.oldest)) == (45, 40, 15)
    assert (line.newest[0].trial, line.oldest[-1].trial, line.length, line.improvements) == (99, 0, 100, 99)


@pytest.mark.parametrize("parent", [2, 3, 7])
def test_a_parent_that_is_not_an_earlier_trial_of_the_log_ends_the_line(book, parent):
    book.trial(1.0, parents=(parent,), number=3)
    assert book.figures().lineage.newest[0].parent is None


def test_of_a_program_with_many_files_the_first_are_shown_and_the_others_counted(book):
    book.trial(1.0, files={f"{n:03}": "x" for n in range(50)})
    book.trial(None, files={f"{n:03}": "y" for n in range(50)})
    figures = book.figures()
    assert figures.lineage.source.left_out == 30
    assert (len(figures.lineage.newest[0].changes), figures.lineage.newest[0].files_left_out) == (10, 40)
    assert figures.failures.shown[0].example.left_out == 45
    page = book.page()
    assert "30 more files are not shown." in page
    assert "40 more changed files are not shown." in page


# -- failures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("wrong answer on case 7: -3.5", "wrong answer on case 12: 4e-7"),
        ("unknown name 'alpha'", "unknown name 'beta'"),
        ("at 0x7f3a: broken", "at 0xdeadbeef: broken"),
        ("candidate 3f9a0012bc failed", "candidate ab12cd34ef failed"),
        ("in /tmp/evo-1f/a/solve.py: no", "in /var/tmp/evo-b7/solve.py: no"),
        ("lengths 1, 2, 3 differ", "lengths 4, 5 differ"),
        ("run 550e8400-e29b-41d4-a716-446655440000 lost", "run 6ba7b810-9dad-11d1-80b4-00c04fd430c8 lost"),
        ("same first line\nfirst detail", "same first line\nsecond detail"),
    ],
)
def test_numbers_names_and_ids_split_no_group(book, one, other):
    book.trial(None, reason=one)
    book.trial(None, reason=other)
    (failure,) = book.figures().failures.shown
    assert (failure.trials, failure.example_trial) == (2, 0)
    assert failure.example_reason == one


def test_other_reasons_are_other_groups_with_an_example_each(book):
    book.trial(None, reason="too slow", files="while True: pass")
    book.trial(None, reason="no program", files=None, operator="lab.jump")
    book.trial(None, reason="too slow")
    slow, missing = book.figures().failures.shown
    assert (slow.kind, slow.trials, slow.example.files[0][1].text) == ("too slow", 2, "while True: pass")
    assert (missing.kind, missing.example_operator, missing.example.files) == ("no program", "lab.jump", ())


def test_more_kinds_than_can_be_kept_are_counted_together(book, monkeypatch):
    monkeypatch.setattr("evograft_report.figures.failures.MOST_KINDS", 30)
    words = [f"{a}{b}" for a in "abcdefgh" for b in "abcdefgh"]
    for word in words:
        book.trial(None, reason=f"no {word}")
    failures = book.figures().failures
    assert (failures.trials, len(failures.shown)) == (64, 25)
    assert failures.other_trials + sum(each.trials for each in failures.shown) == 64


# -- line cycling -----------------------------------------------------------------------------------------------------


def test_lines_that_an_ancestor_had_and_lost_are_counted_by_operator(book):
    book.trial(1.0, files="one\ntwo\n")
    book.trial(1.0, files="one\n", parents=(0,))
    book.trial(1.0, files="one\ntwo\nthree\n", parents=(1,), operator="lab.jump")
    returns = book.figures().cycling
    assert (returns.total.trials, returns.total.added, returns.total.cycled, returns.of) == (2, 2, 1, 2)
    jump = next(each for each in returns.by_operator if each.name == "lab.jump")
    assert (jump.added, jump.cycled, jump.share) == (2, 1, 0.5)
    assert returns.lines == (("two", 1),)


def test_of_a_long_run_trials_all_over_it_are_measured(book, monkeypatch):
    monkeypatch.setattr("evograft_report.figures.line_cycling.MOST_MEASURED", 20)
    book.trial(1.0)
    for number in range(99):
        book.trial(1.0, files=f"line {number}", parents=(number,))
    returns = book.figures().cycling
    assert (returns.total.trials, returns.of) == (20, 99)
    assert (returns.bins[0].first, returns.bins[-1].last) == (0, 99)
    assert len(returns.bins) == 20


def test_programs_that_are_too_long_are_not_measured(book, monkeypatch):
    monkeypatch.setattr("evograft_report.figures.line_cycling.MOST_AT_ONCE", 1000)
    book.trial(1.0, files="x" * 900)
    book.trial(1.0, files="y" * 900, parents=(0,))
    book.trial(1.0, files="z" * 10, parents=(0,))
    returns = book.figures().cycling
    assert (returns.total.trials, returns.of) == (1, 2)


def test_the_work_on_long_programs_is_bounded(book, monkeypatch):
    monkeypatch.setattr("evograft_report.figures.line_cycling.MOST_CHARACTERS", 1000)
    book.trial(1.0, files="x" * 300)
    for number in range(30):
        book.trial(1.0, files=f"{number}" * 300, parents=(number,))
    returns = book.figures().cycling
    assert 0 < returns.total.trials < 5
    assert "of the 30 trials that have parents" in book.page()


def test_a_shelf_holds_no_more_than_its_measure(monkeypatch):
    monkeypatch.setattr("evograft_report.figures.trial_cache.MOST_CHARACTERS", 100)
    asked = []

    def read(number):
        asked.append(number)
        made = candidate(number, "x" * 40, parents=(), operator="lab.step")
        return Trial(number=number, view=0, candidate=made, evaluation=Evaluation(status="ok", score=1.0))

    shelf = TrialCache(read)
    assert [shelf.trial(number).number for number in (1, 2, 1, 3, 1, 2)] == [1, 2, 1, 3, 1, 2]
    assert asked == [1, 2, 3, 2]


# -- history and judgement --------------------------------------------------------------------------------------------


def test_instructions_and_stops_are_told_in_order(book):
    book.control("tell", "try beam search", commits=0)
    book.trial(1.0)
    book.control("stop", "stopped by SIGINT", commits=1, first_trial=1)
    figures = book.figures()
    assert [(each.kind, each.text) for each in figures.history.events] == [
        ("tell", "try beam search"),
        ("stop", "stopped by SIGINT"),
    ]
    assert (figures.head.state, figures.head.reason) == ("stopped", "stopped by SIGINT")


def test_a_stop_that_the_run_went_beyond_is_not_its_state(book):
    book.trial(1.0)
    book.control("stop", "1 seconds passed", commits=1, first_trial=1)
    book.trial(1.0)
    assert book.figures().head.state == "idle"


def test_a_judgement_says_whether_the_run_has_gone_on(book):
    best = book.trial(1.0)
    book.judge(best, commits=1, score=0.9, metrics={"rho": 0.5}, feedback="fine")
    assert book.figures().judgement.is_current
    book.trial(0.5)
    judgement = book.figures().judgement
    assert (judgement.is_current, judgement.score, judgement.numbers) == (False, 0.9, (("rho", 0.5),))


# -- extremes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scores", [(1.7e308, -1.7e308), (5e-324, 0.0), (1.0, 1.0 + 2**-52), (-0.0, 0.0)])
def test_scores_at_the_ends_of_what_a_number_holds_give_a_page(book, scores):
    for place, score in enumerate(scores * 3):
        book.trial(score, parents=(place - 1,) if place else (), island=place % 2)
    text = json.dumps(book.figures().to_data(), allow_nan=False)
    assert json.loads(text)["head"]["best_score"] == max(scores)
    page = book.page()
    assert "nan" not in page.lower().replace("finance", "")
    assert "inf" not in page.split("<main>")[1].lower()


def test_no_trial_and_one_trial_give_pages_that_say_so(book):
    empty = book.page()
    assert "No trial is finished yet." in empty
    assert "not analyzed yet" in empty
    book.trial(1.0)
    assert "1 trial; its score is 1." in book.page()


def test_a_run_without_a_score_gives_a_page(book):
    book.trial(None)
    book.trial(None, files=None)
    assert "2 trials, none with a score." in book.page()
    assert book.figures().lineage is None


def test_an_evaluation_that_failed_says_so_in_its_judgement(book):
    best = book.trial(1.0)
    from evograft.log.records import FinalEvaluation

    book.journal.write_final_evaluation(FinalEvaluation(best, 1, Evaluation.rejected("time-out")))
    assert "There is no score: rejected, time-out" in book.page()


# -- metrics ----------------------------------------------------------------------------------------------------------


def test_the_metrics_of_the_best_are_shown_with_their_course_and_their_range(book):
    for score, metrics in ((1.0, {"time": 5.0}), (0.5, {"time": 9.0}), (2.0, {"time": 3.0, "size": 7.0})):
        book.trial(score, metrics=metrics)
    book.trial(None)
    found = book.figures().metrics
    assert found.trials == (0, 2)
    assert [(row.name, row.course, row.lowest, row.highest) for row in found.rows] == [
        ("time", (5.0, 3.0), 3.0, 9.0),
        ("size", (None, 7.0), 7.0, 7.0),
    ]
    assert "<h2>Metrics</h2>" in book.page()


def test_many_new_bests_are_spread_and_a_best_without_metrics_has_no_table(book):
    for number in range(40):
        book.trial(float(number), metrics={"x": float(number)})
    assert book.figures().metrics.trials == (0, 8, 16, 23, 31, 39)
    book.trial(99.0)
    assert book.figures().metrics is None
    assert "<h2>Metrics</h2>" not in book.page()


def test_the_members_of_a_composed_search_have_rows_of_their_own(book):
    book.trial(1.0, selection={"member": "islands"})
    book.trial(3.0, selection={"member": "sequential"})
    book.trial(2.0, selection={"member": "sequential"})
    rows = {row.member: (row.trials, row.became_best, row.best) for row in book.figures().members}
    assert rows == {"sequential": (2, 1, 3.0), "islands": (1, 1, 1.0)}
    assert "By search" in book.page()


def test_a_run_of_one_search_has_no_rows_by_search(book):
    book.trial(1.0)
    assert book.figures().members == ()
    assert "By search" not in book.page()
