"""A run that loses its cluster, or a cluster that loses its run, loses nothing that was finished."""

import signal
import time
from collections import Counter

import pytest
from cluster_runs import HELD, TRIALS, is_evaluating
from hosts import wait_until

pytestmark = pytest.mark.cluster
CUT_OFF_SECONDS = 30.0


def test_a_run_that_was_cut_off_for_long_asks_again_and_blames_nobody(bed):
    bed.dask.start_scheduler()
    bed.start_workers("one", "two")
    run = bed.start(held_at=(HELD,))
    bed.wait_for(HELD)
    bed.network.cut(bed.home)
    healed_at = time.monotonic() + CUT_OFF_SECONDS
    wait_until(lambda: bed.dask.count("Remove client") and time.monotonic() >= healed_at)
    bed.network.heal(bed.home)
    bed.wait_for(HELD, times=2)
    bed.open_gate()
    bed.require_finished(run)


def test_a_scheduler_that_is_killed_and_knows_nothing_afterwards_is_asked_again(bed):
    scheduler = bed.dask.start_scheduler()
    bed.start_workers("one")
    run = bed.start(held_at=(HELD,))
    bed.wait_for(HELD)
    scheduler.kill()
    bed.dask.start_scheduler()
    bed.start_workers("two")
    assert bed.wait_for(HELD, times=2).name == "two"
    bed.open_gate()
    bed.require_finished(run)


def test_a_scheduler_that_stays_away_ends_the_run_which_can_be_resumed(bed):
    scheduler = bed.dask.start_scheduler()
    bed.start_workers("one")
    run = bed.start(
        {"driver": "dask", "address": bed.dask.address, "connect_seconds": 60, "patience": 0.1}, held_at=(HELD,)
    )
    bed.wait_for(HELD)
    scheduler.kill()
    assert run.wait() == 4, bed.output.read_text()
    assert "then resume the run" in bed.output.read_text()
    bed.open_gate()
    bed.dask.start_scheduler()
    bed.start_workers("two")
    bed.require_finished(bed.evo("resume", bed.path, "--set", "executor.patience=10"))


def test_workers_that_stay_away_end_the_run_which_can_be_resumed(bed):
    bed.dask.start_scheduler()
    bed.start_workers("one")
    run = bed.start(
        {"driver": "dask", "address": bed.dask.address, "connect_seconds": 60, "patience": 0.1}, held_at=(HELD,)
    )
    bed.network.power_off(bed.wait_for(HELD))
    assert run.wait() == 4, bed.output.read_text()
    assert "then resume the run" in bed.output.read_text()
    bed.open_gate()
    bed.start_workers("two")
    bed.require_finished(bed.evo("resume", bed.path, "--set", "executor.patience=10"))


def test_while_no_worker_is_there_the_status_says_so_and_nothing_is_lost(bed):
    bed.dask.start_scheduler()
    bed.start_workers("one")
    run = bed.start(held_at=(HELD,))
    bed.network.power_off(bed.wait_for(HELD))
    wait_until(lambda: "no worker is there" in str(bed.status()))
    bed.start_workers("two")
    bed.open_gate()
    bed.require_finished(run)


def test_what_a_killed_run_has_left_on_workers_ends_and_resuming_asks_for_the_missing_only(bed):
    bed.dask.start_scheduler()
    bed.start_workers("one", "two")
    run = bed.start(held_at=(HELD,))
    worker = bed.wait_for(HELD)
    wait_until(lambda: is_evaluating(worker))
    run.send(signal.SIGKILL)
    wait_until(lambda: not is_evaluating(worker), seconds=60)
    finished = {trial["number"] for trial in bed.trials()}
    before = Counter({number: len(bed.hosts_of(number)) for number in range(TRIALS)})
    bed.open_gate()
    bed.require_finished(bed.evo("resume", bed.path))
    best = max(bed.trials(), key=lambda trial: trial["evaluation"]["score"] or float("-inf"))["number"]
    again = {number for number in range(TRIALS) if len(bed.hosts_of(number)) > before[number] > 0}
    assert not again & finished - {best}


def test_a_second_coordinator_on_another_host_is_refused(bed):
    bed.dask.start_scheduler()
    bed.start_workers("one")
    run = bed.start(held_at=(HELD,))
    bed.wait_for(HELD)
    other = bed.evo("resume", bed.path, host=bed.network.add("other"))
    assert other.wait() == 2, bed.output.read_text()
    bed.open_gate()
    bed.require_finished(run)


def test_a_run_and_its_copy_do_not_share_answers_on_one_scheduler(bed):
    bed.dask.start_scheduler()
    bed.start_workers("one", "two")
    run = bed.start(held_at=(HELD,))
    bed.wait_for(HELD)
    run.send(signal.SIGKILL)
    run.wait()
    copy = bed.folder / "copy"
    assert bed.evo("copy", bed.path, copy).wait() == 0, bed.output.read_text()
    before = len(bed.hosts_of(HELD))
    both = [bed.evo("resume", path) for path in (bed.path, copy)]
    bed.wait_for(HELD, times=before + 2)
    bed.open_gate()
    bed.require_finished(both[0])
    assert both[1].wait() == 0, bed.output.read_text()
