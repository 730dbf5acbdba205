"""How many trials are in flight before there is anything to start from."""

from hypothesis import given
from hypothesis import strategies as st

from evograft.config.pipeline import Pipeline, PluginSection
from evograft.kernel.scheduler import Schedule


def pipeline(**settings):
    return Pipeline(plugins=(PluginSection(name="coins"),), **settings)


def views_of(settings, *, trials, seeds=0):
    """Open as many trials as can be, commit the oldest, and so on; by trial what it sees."""
    schedule = Schedule("trial", windows=pipeline(**settings).get_windows(0), seeds=seeds)
    schedule.begin(seeds=seeds, limit=trials)
    views = []
    while len(views) < trials:
        while schedule.open() is not None:
            views.append(schedule.view)
        list(schedule.finish(_finished(schedule.commits)))
    return views


def _finished(number):
    from evograft.log.records import Finished, Prints
    from evograft_hookspecs import Evaluation, Trial

    evaluation = Evaluation(status="ok", score=1.0)
    trial = Trial(number=number, view=0, evaluation=evaluation)
    return Finished(trial, Prints("", ""), seconds=0.0, cost=0.0, elapsed=0.0, at=0.0)


@given(st.integers(1, 8), st.integers(1, 8))
def test_only_so_many_trials_begin_without_a_commit_and_the_window_fills_up_behind_them(starts, window):
    views = views_of({"starts": starts, "window": window}, trials=30)
    assert views.count(0) == min(starts, window)
    assert views == sorted(views)
    assert all(number - view < window for number, view in enumerate(views))
    assert views[-1] == 30 - window


def test_without_the_setting_nothing_changes_and_seeds_need_none():
    assert pipeline(window=8).get_windows(0) == ((0, 8),)
    assert pipeline(window=8, starts=3).get_windows(40) == ((40, 8),)
    assert views_of({"starts": 3, "window": 8}, trials=9, seeds=1)[1:] == [1] * 8
