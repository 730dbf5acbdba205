"""The kernel's parts, each by itself: schedule, draw, pool, lock, journal, budget."""

import random
import threading
import time
from collections import Counter
from concurrent.futures import wait
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft.concurrency.deadline_pool import DeadlineThreads
from evograft.concurrency.shared_lock import SharedLock
from evograft.errors import PluginError
from evograft.kernel.draws import draw
from evograft.kernel.scheduler import Schedule
from evograft.log.codec import header_row
from evograft.log.journal import Journal
from evograft.log.population import IslandBests
from evograft.log.records import NO_PRINTS, Finished, Header, Prints
from evograft.log.trial_codec import INLINE
from evograft.store.filesystem import is_network_folder
from evograft.store.sqlite import SqliteStore
from evograft_hookspecs import (
    Candidate,
    Control,
    Evaluation,
    NoOptions,
    Problem,
    Proposal,
    Selection,
    TaskExpired,
    Trial,
)


def trial(number, *, source="x", view=0):
    candidate = Candidate.of(source, kind="k", operator="a.b", trial=number)
    return Trial(number=number, view=view, candidate=candidate, evaluation=Evaluation(status="ok", score=float(number)))


def finished(number):
    return Finished(trial(number), NO_PRINTS, seconds=0.0, cost=0.0, elapsed=0.0, at=0.0)


def test_an_island_gets_on_when_it_beats_itself_whatever_the_others_have():
    bests = IslandBests()
    told = [(None, 3.0), (0, 9.0), (1, 4.0), (1, 4.0), (1, 8.0), (0, 8.0), (2, 3.0), (2, None), (2, 3.5), (1, 2.0)]
    seen = [
        bests.see(
            Trial(
                number=number,
                view=number,
                selection=None if island is None else Selection(island=island),
                evaluation=Evaluation.rejected("no") if score is None else Evaluation(status="ok", score=score),
            )
        )
        for number, (island, score) in enumerate(told)
    ]
    assert seen == [True, True, True, False, True, False, False, False, True, False]


def test_a_replay_commits_in_the_recorded_order_and_wants_no_other_trials():
    schedule = Schedule((1, 0, 3), seeds=0, windows=((0, 3),))
    opened = [schedule.open() for _ in range(3)]
    assert (opened, schedule.open()) == ([0, 1, 2], None)
    assert [schedule.is_wanted(number) for number in opened] == [True, True, False]
    assert [done.trial.number for done in schedule.finish(finished(0))] == []
    assert [done.trial.number for done in schedule.finish(finished(1))] == [1, 0]
    assert (schedule.open(), schedule.open()) == (3, None), "nothing beyond the last recorded trial"


@given(seeds=st.integers(0, 12), window=st.integers(1, 9), data=st.data(), order=st.sampled_from(["trial", "arrival"]))
def test_whatever_finishes_first_views_are_the_same_and_commits_are_in_order(seeds, window, data, order):
    schedule = Schedule(order, seeds=seeds, windows=((0, window),))
    flying, views, commits, total = [], [], [], 40

    def open_trials():
        while schedule.opened < total and (number := schedule.open()) is not None:
            views.append(schedule.view)
            flying.append(number)
            assert schedule.view == len(commits) or number < max(seeds, window) + seeds

    open_trials()
    while len(commits) < total:
        assert 1 <= len(flying) <= window
        number = flying.pop(data.draw(st.integers(0, len(flying) - 1)))
        for done in schedule.finish(finished(number)):
            commits.append(done.trial.number)
            assert schedule.commits == len(commits)
            open_trials()
    assert views == [max(n - window + 1, seeds if n >= seeds else 0, 0) for n in range(total)]
    assert sorted(commits) == list(range(total))
    if order == "trial":
        assert commits == list(range(total))


def test_a_changed_window_holds_from_its_trial_on():
    schedule = Schedule("trial", seeds=0, windows=((0, 2), (4, 5)))
    opened = []
    while schedule.opened < 12:
        while (number := schedule.open()) is not None:
            opened.append((number, schedule.view))
        list(schedule.finish(finished(schedule.commits)))
    assert opened[:4] == [(0, 0), (1, 0), (2, 1), (3, 2)]
    assert opened[4:10] == [(4, 2), (5, 2), (6, 2), (7, 3), (8, 4), (9, 5)]


def proposals(**weights):
    return [Proposal(id=name, operator=f"p.{name}", weight=weight) for name, weight in weights.items()]


@given(st.integers(0, 2**64 - 1))
def test_the_draw_is_the_seeds_alone_and_weight_zero_is_never_drawn(seed):
    offered = proposals(a=1.0, b=0.0, c=2.0)
    drawn = draw(offered, {"p.c": 0.5}, seed=seed)
    assert drawn == draw(offered, {"p.c": 0.5}, seed=seed)
    assert drawn.id != "b"


def test_proposals_are_drawn_as_often_as_their_weights_say():
    offered = proposals(a=1.0, b=2.0)
    counts = Counter(draw(offered, {"p.b": 1.5}, seed=seed).id for seed in range(4000))
    assert 2.7 < counts["b"] / counts["a"] < 3.3


def test_where_everything_on_offer_is_switched_off_the_proposals_own_weights_decide():
    assert draw(proposals(a=1.0, b=0.0), {"p.a": 0.0}, seed=3).id == "a"


@pytest.mark.parametrize(
    ("offered", "word"),
    [([], "add one with operators"), (proposals(a=0.0), "p.a 0"), (proposals(a=1e308, b=1e308), "p.b 1e")],
)
def test_nothing_to_draw_from_is_an_error_that_says_what_to_do(offered, word):
    with pytest.raises(PluginError, match=word):
        draw(offered, {}, seed=0)


def test_a_thread_that_hangs_is_replaced_and_counted():
    pool = DeadlineThreads(1, name="test")
    forever = threading.Event()
    hanging = pool.submit(forever.wait, seconds=0.1)
    after = pool.submit(lambda: "done", seconds=60)
    with pytest.raises(TaskExpired, match=r"more than 0\.1 s"):
        hanging.result(timeout=120)
    assert after.result(timeout=120) == "done"
    assert pool.hung == 1
    forever.set()
    pool.close()


def test_calls_that_end_at_their_deadline_are_settled_one_way_or_the_other():
    pool = DeadlineThreads(8, name="test")
    rng = random.Random(0)
    futures = [pool.submit(partial(time.sleep, rng.uniform(0.02, 0.14)), seconds=0.05) for _ in range(400)]
    done, undone = wait(futures, timeout=120)
    assert not undone
    assert {type(future.exception()) for future in done} == {type(None), TaskExpired}
    pool.close()


def test_only_the_time_off_the_clock_is_free():
    pool, lock = DeadlineThreads(1, name="test"), SharedLock()

    def work_and_wait_in_turns():
        while True:
            time.sleep(0.05)
            with lock:
                pass

    with pytest.raises(TaskExpired):
        pool.submit(work_and_wait_in_turns, seconds=0.3).result(timeout=120)
    pool.close()


def test_a_call_that_was_given_up_never_holds_the_lock_again():
    pool, lock = DeadlineThreads(1, name="test"), SharedLock()
    asked, ended = threading.Event(), threading.Event()

    def zombie():
        try:
            with lock, lock.released():
                asked.wait()
        except BaseException as err:
            if type(err).__name__ == "GivenUp":
                ended.set()
            raise

    with pytest.raises(TaskExpired):
        pool.submit(zombie, seconds=0.1).result(timeout=120)
    asked.set()
    assert ended.wait(120)
    with lock:
        pass
    pool.close()


def test_what_a_call_raises_reaches_whoever_waits():
    pool = DeadlineThreads(2, name="test")
    with pytest.raises(ZeroDivisionError):
        pool.submit(lambda: 1 // 0, seconds=60).result(timeout=120)
    assert pool.submit(lambda: 1, seconds=60).result(timeout=120) == 1
    pool.close()


def test_the_shared_lock_is_reentrant_and_given_up_whole_while_waiting():
    lock, entered = SharedLock(), threading.Event()

    def other():
        with lock:
            entered.set()

    with lock, lock:
        thread = threading.Thread(target=other)
        thread.start()
        assert not entered.wait(0.05)
        with lock.released():
            assert entered.wait(120)
        thread.join()
        assert lock._depth == 2
    assert lock._depth == 0
    with lock.released():
        assert lock._depth == 0


HEADER = Header("id", "name", 3, 1)


@pytest.fixture
def journal(tmp_path):
    store = SqliteStore(NoOptions())
    store.create(tmp_path, [header_row(HEADER)])
    store.open(tmp_path, durable=False)
    yield Journal(store)
    store.close()


def test_what_is_written_is_read_back_long_programs_and_awkward_text_included(journal):
    problem = Problem(name="p", statement="日本語 \x00 \n", kind="k", objective="o")
    long = trial(7, source="λ" * (INLINE + 1))
    several = Candidate(kind="k", files={"a.py": "a" * 9000, "b.py": "", "c.py": "c"}, operator="a.b", trial=8)
    told = Control(kind="tell", first_trial=9, text="try “beam search”\n")
    records = [HEADER, problem, told]
    journal.write_problem(problem)
    journal.write_control(told)
    trials = [trial(3, source="short\n\u2028"), long, long.model_copy(update={"number": 8, "candidate": several})]
    for each in trials:
        journal.write_trial(each, Prints(fingerprint="ab"), elapsed=1.0)
    read = list(journal.records())
    assert read[:3] == records
    assert [record.trial for record in read[3:] if isinstance(record, Finished)] == trials
    assert journal.trial(8) == trials[2]
    assert journal.finished_trials() == {3, 7, 8}


def test_a_mount_table_tells_network_folders(tmp_path):
    mounts = tmp_path / "mounts"
    mounts.write_text(f"server:/x {tmp_path}/a\\040b nfs4 rw 0 0\n/dev/sda1 / ext4 rw 0 0\n")
    assert is_network_folder(tmp_path / "a b" / "deep", mounts=mounts)
    assert not is_network_folder(tmp_path / "local", mounts=mounts)
    assert not is_network_folder(tmp_path, mounts=tmp_path / "nowhere")
