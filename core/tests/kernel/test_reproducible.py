"""The same seed gives the same committed trials, whoever evaluates them, however long it takes, whatever fails on the way."""

import pytest

from evograft.log.records import Finished
from evograft.runs.index import open_run
from evograft.runs.reader import open_journal

TRIALS = 150


@pytest.fixture
def reference(runs):
    return runs.trials(runs.run("reference", trials=TRIALS, executor={"driver": "threads", "workers": 1}))


@pytest.mark.parametrize(
    "executor",
    [{"driver": "threads", "workers": 16}, {"driver": "processes", "workers": 4}],
    ids=["threads", "processes"],
)
def test_many_workers_give_what_one_gives_although_durations_are_adversarial(runs, reference, executor):
    path = runs.run("many", trials=TRIALS, executor=executor, with_={"durations": "adversarial"})
    assert runs.trials(path) == reference


@pytest.mark.parametrize("driver", ["threads", "processes"])
def test_failures_that_heal_when_tried_again_leave_no_trace(runs, reference, driver):
    path = runs.run("flaky", trials=TRIALS, executor={"driver": driver, "workers": 4}, with_={"flaky": True})
    assert runs.trials(path) == reference


@pytest.mark.parametrize("driver", ["threads", "processes"])
def test_what_an_evaluation_took_by_the_clock_is_in_the_log_and_compared_nowhere(runs, driver):
    path = runs.run("cut", trials=6, executor={"driver": driver, "workers": 2})
    before = durations_in(path)
    runs.resume(path, "budget.trials=12")
    after = durations_in(path)
    assert len(after) == 12
    assert all(took.keys() == {"measuring"} and took["measuring"] > 0 for took in after.values())
    assert before.items() <= after.items()
    assert not any(trial["evaluation"]["durations"] for trial in runs.trials(path))
    assert runs.trials(path) == runs.trials(runs.run("whole", trials=12))


def durations_in(path):
    """By trial, for those that were evaluated, the wall seconds of each part."""
    with open_journal(path) as journal:
        records = [record for record in journal.records() if isinstance(record, Finished)]
    return {each.trial.number: dict(each.durations) for each in records if each.trial.score is not None}


def test_another_seed_gives_another_run(runs, reference):
    assert runs.trials(runs.run("other", trials=TRIALS, seed=1)) != reference


def test_stopped_at_293_and_resumed_to_600_equals_600(runs):
    whole = runs.run("whole", trials=600, with_={"durations": "none"})
    cut = runs.run("cut", trials=293, with_={"durations": "none"})
    assert len(runs.trials(cut)) == 293
    runs.resume(cut, "budget.trials=600")
    assert runs.trials(cut) == runs.trials(whole)
    assert [epoch.pipeline.budget.trials for epoch in open_run(cut).epochs] == [293, 600]


def test_cut_many_times_and_with_other_executors_in_between_it_is_still_the_same_run(runs):
    whole = runs.run("whole", trials=120, with_={"racing": True})
    cut = runs.run("cut", trials=1, with_={"racing": True})
    for trials, workers in [(2, 1), (3, 16), (11, 2), (12, 1), (40, 3), (120, 5)]:
        runs.resume(cut, f"budget.trials={trials}", f"executor.workers={workers}")
    assert runs.trials(cut) == runs.trials(whole)


@pytest.mark.long
@pytest.mark.parametrize("stop", [{"plateau": 30}, {"target_score": -2.0}], ids=["plateau", "target"])
def test_a_stop_cuts_the_run_and_changes_no_trial(runs, stop):
    whole = runs.trials(runs.run("whole", trials=400))
    cut = runs.run("cut", budget={"trials": 400, **stop})
    short = runs.trials(cut)
    assert len(short) < 400
    assert short == whole[: len(short)]
    runs.resume(cut, f"budget.{next(iter(stop))}=null")
    assert runs.trials(cut) == whole


def test_a_run_stops_when_none_of_its_islands_got_on_for_long_and_goes_on_without_that_stop(runs):
    settings = {"more": ["islands"], "owners": {"select": "islands"}}
    whole = runs.trials(runs.run("whole", trials=400, **settings))
    cut = runs.run("cut", budget={"trials": 400, "island_plateau": 12}, **settings)
    short = runs.trials(cut)
    assert len(short) < 400
    assert short == whole[: len(short)]
    improved = islands_that_improved(whole)
    stop = next(end for end in range(12, 400) if not any(improved[end - 12 : end]))
    assert stop <= len(short) <= stop + 8, "what was in flight is finished"
    assert open_run(cut).epochs[0].pipeline.budget.island_plateau == 12
    runs.resume(cut, "budget.island_plateau=null")
    assert runs.trials(cut) == whole


def islands_that_improved(trials):
    """For each trial whether it is better than the seeds and all earlier trials of its island."""
    bests, improved = {}, []
    for trial in trials:
        island = trial["selection"] and trial["selection"]["island"]
        score = trial["evaluation"]["score"]
        before = max((best for place, best in bests.items() if place in (None, island)), default=None)
        improved.append(score is not None and (before is None or score > before))
        if improved[-1]:
            bests[island] = score
    return improved


def test_a_run_that_has_reached_its_target_starts_nothing_when_it_is_resumed(runs):
    path = runs.run("run", budget={"trials": 400, "target_score": -2.0})
    before = runs.trials(path)
    runs.resume(path)
    assert runs.trials(path) == before


def test_each_trial_sees_just_what_the_window_says(runs):
    trials = runs.trials(runs.run("run", trials=80, window=5, executor={"driver": "threads", "workers": 9}))
    seeds = 3
    for trial in trials:
        number = trial["number"]
        floor = seeds if number >= seeds else 0
        assert trial["view"] == max(number - 5 + 1, floor, 0)
        if number >= seeds:
            assert set(trial["selection"]["parents"]) <= set(range(trial["view"]))
            (advice,) = trial["proposal"]["advice"]
            scored = [t for t in trials[: trial["view"]] if t["evaluation"]["status"] == "ok"]
            assert advice["id"] == f"seen-{len(scored)}"


def test_duplicates_are_recognised_in_the_view_only_and_share_the_evaluation(runs):
    trials = runs.trials(runs.run("run", trials=300))
    duplicates = [trial for trial in trials if trial["duplicate_of"] is not None]
    assert duplicates
    for trial in duplicates:
        original = trials[trial["duplicate_of"]]
        assert original["number"] < trial["view"]
        assert original["candidate"]["files"] == trial["candidate"]["files"]
        assert original["evaluation"] == trial["evaluation"]
    for trial in trials:
        files = trial["candidate"] and trial["candidate"]["files"]
        earlier = [
            t["number"]
            for t in trials[: trial["view"]]
            if files and t["candidate"] and t["candidate"]["files"] == files
        ]
        assert trial["duplicate_of"] == (min(earlier) if earlier else None)


def test_under_arrival_order_the_log_replays_to_the_same_run(runs):
    path = runs.run("arrival", trials=150, order="arrival", with_={"durations": "adversarial"})
    before = runs.trials(path)
    order = commit_order(path)
    assert order != sorted(order), "nothing overtook anything: this test shows nothing"
    runs.resume(path, "budget.trials=200")
    assert commit_order(path)[:150] == order
    assert runs.trials(path)[:150] == before
    for position, number in enumerate(order):
        parents = before[number]["selection"]["parents"] if before[number]["selection"] else []
        assert all(order.index(parent) < before[number]["view"] <= position for parent in parents)


def commit_order(path):
    from evograft.log.records import Finished
    from evograft.runs.reader import open_journal

    with open_journal(path) as journal:
        return [record.trial.number for record in journal.records() if isinstance(record, Finished)]
