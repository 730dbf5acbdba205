"""The frontier by cases: who is the best on a case is on it, unless another one is best there too and elsewhere."""

from hypothesis import given
from hypothesis import strategies as st

from evograft.cli.description import MOST_LINES, describe
from evograft.log.case_front import CaseFront
from evograft.runs.status import read_status
from evograft_hookspecs import Candidate, Evaluation, Selection, Trial

values = st.integers(0, 4).map(float)
cased = st.lists(st.dictionaries(st.sampled_from("pqrs"), values, min_size=1), max_size=20)


def front_of(found, *, by_cases=True, **fields):
    front = CaseFront()
    for number, cases in enumerate(found):
        candidate = Candidate.of(str(number), kind="text", operator="kernel.seed", trial=number)
        evaluation = Evaluation(status="ok", score=float(number), cases=cases)
        selection = Selection(cases=4 * by_cases)
        front.add(
            Trial(number=number, view=0, selection=selection, candidate=candidate, evaluation=evaluation, **fields)
        )
    return front


@given(cased)
def test_everybody_who_is_best_on_a_case_is_on_the_frontier_or_covered_by_one_who_is(found):
    front = front_of(found)
    best = {case: max(each.get(case, -1.0) for each in found) for each in found for case in each}
    held = [{case for case, value in each.items() if value == best[case]} for each in found]
    kept = {each.trial: each for each in front.trials}
    assert all(each.best_on == len(held[number]) > 0 for number, each in kept.items())
    assert all(not cases or any(cases <= held[number] for number in kept) for cases in held)
    assert not any(held[one] <= held[other] for one in kept for other in kept if one != other)
    assert set(front.cases) == set(best)
    assert all(front.find_holders(case) for case in front.cases)


def test_a_run_that_does_not_select_by_cases_has_no_frontier():
    front = front_of([{"p": 1.0}, {"q": 1.0}], by_cases=False)
    assert (front.cases, front.trials) == ((), ())


def test_a_trial_without_cases_counts_by_its_score_and_duplicates_do_not_count():
    assert [(each.trial, each.best_on, each.alone_on) for each in front_of([{}, {}]).trials] == [(1, 1, 1)]
    assert front_of([{}], duplicate_of=3).trials == ()


def test_status_lists_who_is_best_on_how_many_cases_and_says_how_many_are_left_out(runs):
    islands = {"name": "islands", "with": {"search": "pareto", "pareto": {"by": "cases"}}}
    path = runs.run("cases", with_={"cases": 30}, more=[islands], owners={"select": "islands"}, trials=60)
    standing = read_status(path)
    assert standing.cases == 30
    assert len(standing.case_front) > MOST_LINES
    lines = describe(standing).splitlines()
    table = lines[lines.index("frontier of 30 cases") + 1 :][: MOST_LINES + 2]
    first = standing.case_front[0]
    assert table[0].split() == ["score", "best", "on", "alone", "on"]
    assert table[1].split() == [
        "trial",
        str(first.trial),
        f"{first.score:.6g}",
        str(first.best_on),
        str(first.alone_on),
    ]
    assert table[-1] == f"  … and {len(standing.case_front) - MOST_LINES} more"
