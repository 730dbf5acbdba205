"""Workers that are lost while they evaluate cost time only, unless the candidate itself ends them."""

import pytest
from cluster_runs import HELD, TRIALS
from hosts import wait_until

pytestmark = pytest.mark.cluster
COUNT_STOLEN = """
print(len(client.get_events("stealing")))
"""
RESCHEDULE = """
def reschedule(key, dask_scheduler):
    (task,) = (task for task in dask_scheduler.tasks.values() if key in task.key and task.state == "processing")
    dask_scheduler._reschedule(task.key, stimulus_id="test")

client.run_on_scheduler(reschedule, "-%d-1-")
"""
"""Has the scheduler take a task back and send it out again while a worker carries it out."""


def test_a_run_on_several_hosts_is_the_run_on_one(bed):
    bed.dask.start_scheduler()
    bed.start_workers("one", "two")
    bed.require_finished(bed.start())


def test_a_worker_that_loses_its_power_costs_time_only(bed):
    bed.dask.start_scheduler()
    bed.start_workers("one", "two")
    run = bed.start(held_at=(HELD,))
    lost = bed.wait_for(HELD)
    bed.network.power_off(lost)
    assert bed.wait_for(HELD, times=2) != lost
    bed.open_gate()
    bed.require_finished(run)


def test_a_candidate_that_ends_its_process_is_rejected_as_on_one_machine(bed):
    bed.dask.start_scheduler()
    bed.start_workers("one")
    bed.require_finished(bed.start(die_at=(HELD,)), die_at=(HELD,))


def test_a_candidate_that_kills_three_workers_is_rejected_and_the_run_goes_on(bed):
    bed.dask.start_scheduler()
    bed.start_workers("one")
    run = bed.start(kill_parent_at=(HELD,))
    assert run.wait() == 0, bed.output.read_text()
    trial = bed.trials()[HELD]
    assert trial["evaluation"]["status"] == "failed"
    assert len(bed.hosts_of(HELD)) == 3
    assert len(bed.trials()) == len({trial["number"] for trial in bed.trials()}) == TRIALS


def test_a_candidate_is_innocent_of_three_nodes_that_were_taken_away(bed):
    bed.dask.start_scheduler()
    bed.start_workers("one")
    run = bed.start(held_at=(HELD,))
    for number, name in enumerate(("two", "three", "four"), start=1):
        bed.network.power_off(bed.wait_for(HELD, times=number))
        bed.start_workers(name)
    bed.wait_for(HELD, times=4)
    bed.open_gate()
    bed.require_finished(run)


def test_a_late_answer_of_a_frozen_worker_is_dropped(bed):
    bed.dask.start_scheduler()
    bed.start_workers("one", "two")
    run = bed.start(held_at=(HELD,))
    frozen = bed.wait_for(HELD)
    frozen.freeze()
    assert bed.wait_for(HELD, times=2) != frozen
    frozen.thaw()
    bed.open_gate()
    bed.require_finished(run)


def test_a_candidate_that_holds_the_interpreter_does_not_silence_its_worker(bed):
    bed.dask.start_scheduler()
    bed.start_workers("one")
    # For longer than the scheduler waits for a sign of life.
    bed.require_finished(bed.start(gil_at=(HELD,), late_seconds=25.0))
    assert len(bed.hosts_of(HELD)) == 1


def test_a_worker_whose_disk_is_full_is_left_out(bed):
    bed.dask.start_scheduler()
    bed.start_workers("one")
    small = bed.hosts["small"] = bed.network.add("small")
    small.mount_disk(small.environment["TMPDIR"], size="24m")
    bed.dask.start_worker(small)
    bed.dask.wait_for_workers(2)
    run = bed.start(held_at=(HELD, HELD + 1))
    wait_until(lambda: bed.hosts_of(HELD) and bed.hosts_of(HELD + 1))
    small.run("dd", "if=/dev/zero", f"of={small.environment['TMPDIR']}/full", "bs=1M")
    bed.open_gate()
    bed.require_finished(run)
    assert {host for number in range(HELD + 10, TRIALS) for host in bed.hosts_of(number)} == {"one"}


def test_trials_that_a_new_worker_steals_have_one_row(bed):
    bed.dask.start_scheduler()
    bed.start_workers("one")
    run = bed.start(held_at=(HELD, HELD + 1))
    bed.wait_for(HELD)
    bed.start_workers("two")
    assert bed.wait_for(HELD + 1).name == "two"
    assert int(bed.ask_scheduler(COUNT_STOLEN)) > 0
    bed.open_gate()
    bed.require_finished(run)


def test_a_trial_that_is_evaluated_twice_because_the_scheduler_takes_it_back_has_one_row(bed):
    bed.dask.start_scheduler()
    bed.start_workers("one")
    run = bed.start(held_at=(HELD,))
    bed.wait_for(HELD)
    bed.start_workers("two")
    bed.dask.wait_for_workers(2)
    bed.ask_scheduler(RESCHEDULE % HELD)
    bed.wait_for(HELD, times=2)
    bed.open_gate()
    bed.require_finished(run)
    assert len(bed.hosts_of(HELD)) == 2


def test_adaptive_scaling_that_takes_all_workers_away_for_a_while_costs_time_only(bed):
    options = {"cores": 1, "processes": 1, "memory": "1GB", "interface": "eth0"}
    cluster = {"factory": "dask_jobqueue.local:LocalCluster", "with": options, "adapt": {"minimum": 0, "maximum": 2}}
    run = bed.start({"driver": "dask", "cluster": cluster}, thinks_at=(HELD,))
    wait_until(lambda: bed.hosts_of(HELD - 1))
    wait_until(lambda: "no worker is there" in str(bed.status()))
    assert not bed.hosts_of(HELD)
    bed.open_gate()
    bed.require_finished(run)
