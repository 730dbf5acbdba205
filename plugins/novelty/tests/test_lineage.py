"""The trials that a trial descends from."""

from evograft_hookspecs import Candidate, Evaluation, Trial
from evograft_novelty import are_ancestor_and_descendant, find_ancestors


def trial(number, *parents, candidate=True):
    made = Candidate.of("x", kind="k", operator="a.b", trial=number, parents=parents) if candidate else None
    evaluation = Evaluation(status="ok", score=1.0) if candidate else Evaluation.rejected("nothing")
    return Trial(number=number, view=number, candidate=made, evaluation=evaluation)


def numbers(start, trials, *, limit=100):
    known = {one.number: one for one in trials}
    return [one.number for one in find_ancestors(start, known.__getitem__, limit)]


def test_the_nearest_come_first_and_first_parents_before_others():
    known = [trial(0), trial(1), trial(2, 0), trial(3, 1), trial(4, 3, 2)]
    assert numbers(trial(5, 4, 1), known) == [4, 1, 3, 2, 0]


def test_each_comes_once_though_both_parents_descend_from_it():
    known = [trial(0), trial(1, 0), trial(2, 0), trial(3, 1, 2)]
    assert numbers(trial(4, 3), known) == [3, 1, 2, 0]


def test_a_branch_ends_at_what_cannot_be_found():
    known = [trial(0), trial(1, 0), trial(3, 7)]
    assert numbers(trial(4, 2, 1, 3), known) == [1, 3, 0]


def test_at_most_so_many_come_and_nothing_is_looked_up_beyond_them():
    asked = []

    def lookup(number):
        asked.append(number)
        return trial(number, number - 1) if number else trial(0)

    assert [one.number for one in find_ancestors(trial(9, 8), lookup, 3)] == [8, 7, 6]
    assert asked == [8, 7, 6]
    assert list(find_ancestors(trial(9, 8), lookup, 0)) == []


def test_seeds_and_trials_without_a_candidate_have_no_ancestors():
    assert numbers(trial(0), []) == []
    assert numbers(trial(3, candidate=False), [trial(0)]) == []


def test_a_log_that_goes_in_a_circle_ends():
    assert numbers(trial(1, 1, 2), [trial(2, 1, 2)]) == [2]


def test_a_trial_and_what_was_made_from_it_are_ancestor_and_descendant_whichever_is_named_first():
    known = {one.number: one for one in (trial(0), trial(1, 0), trial(2, 0), trial(3, 2, 1), trial(4, 2))}

    def related(one, other):
        return are_ancestor_and_descendant(known[one], known[other], known.__getitem__)

    assert all(related(*pair) for pair in ((3, 0), (0, 3), (3, 1), (1, 3), (4, 2)))
    assert not any(related(*pair) for pair in ((1, 2), (3, 4), (4, 1)))


def test_nothing_from_before_both_is_looked_up():
    asked = []

    def lookup(number):
        asked.append(number)
        return trial(number, number - 2)

    assert not are_ancestor_and_descendant(trial(9, 7), trial(4, 2), lookup)
    assert asked == [7, 5]
