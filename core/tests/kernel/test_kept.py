"""What an evaluation keeps is handed to the evaluations of its candidate's children."""

import pytest

from evograft.log.records import FinalEvaluation, Finished
from evograft.runs.reader import open_journal


@pytest.fixture
def keeping(lab, runs):
    def run(name, *, size=1, **settings):
        plugins = [{"name": "keeper", "with": {"size": size}}]
        return runs.run(name, plugins=plugins, **{"trials": 40, **settings})

    return run


def depth_of(trials, number):
    parents = trials[number]["candidate"]["parents"]
    return 1 + max((depth_of(trials, each) for each in parents), default=0)


@pytest.mark.parametrize("executor", [{"driver": "threads"}, {"driver": "processes", "workers": 2}])
def test_children_start_from_what_their_parents_have_kept(keeping, runs, executor):
    trials = runs.trials(keeping("run", executor=executor))
    assert [trial["evaluation"]["score"] for trial in trials] == [depth_of(trials, each["number"]) for each in trials]
    assert max(trial["evaluation"]["score"] for trial in trials) > 4


def test_what_is_kept_lies_in_the_log_and_in_no_row(keeping, runs):
    path = keeping("run", size=1000)
    evaluations = [trial["evaluation"] for trial in runs.trials(path)]
    assert all(each["kept"] == "" and len(each["kept_digest"]) > 20 for each in evaluations)
    with open_journal(path) as journal:
        kept = [journal.kept(record.trial.evaluation) for record in journal.records() if isinstance(record, Finished)]
    assert sorted(map(len, kept)) == sorted(int(each["score"]) for each in evaluations)


def test_a_run_that_is_resumed_hands_on_what_was_kept_before(keeping, runs):
    whole, half = keeping("whole"), keeping("half", trials=13)
    runs.resume(half, "budget.trials=40")
    assert runs.trials(half) == runs.trials(whole)


def test_the_final_evaluation_is_handed_what_the_search_was(keeping):
    with open_journal(keeping("run")) as journal:
        records = list(journal.records())
    final = next(record.evaluation for record in records if isinstance(record, FinalEvaluation))
    assert final.score == max(record.trial.score for record in records if isinstance(record, Finished))
    assert final.kept == b""


def test_of_more_than_the_limit_nothing_is_kept_and_the_feedback_says_so(keeping, runs):
    trials = runs.trials(keeping("run", size=100, kept_bytes=250, trials=12))
    for trial in trials:
        over = trial["evaluation"]["score"] > 250
        assert ("more than the 250 of kept_bytes" in trial["evaluation"]["feedback"]) == over
        assert (trial["evaluation"]["kept_digest"] == "") == over
    assert any(trial["evaluation"]["kept_digest"] == "" for trial in trials)
