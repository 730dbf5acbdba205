"""A run in a database on a host of its own has one writer, whatever the network does."""

import pytest
from cluster_runs import HELD
from hosts import wait_until

pytestmark = pytest.mark.cluster
THREADS = {"driver": "threads", "workers": 2}


def test_of_two_hosts_on_one_run_behind_a_partition_one_goes_on(bed, database, tmp_path):
    settings = ("--set", "store.driver=postgres", "--set", f"store.url={database.url}")
    first = bed.evo("run", bed.write(THREADS, held_at=(HELD,)), "--run-dir", bed.path, *settings)
    wait_until(lambda: bed.hosts_of(HELD) and len(database.rows()) > HELD)
    bed.network.cut(bed.home)
    bed.open_gate()
    # As long as the server believes that the first is there, it keeps the run's lock.
    wait_until(lambda: not database.count_sessions(bed.home))
    other = bed.network.add("other")
    other.environment["XDG_STATE_HOME"] = str(tmp_path / "state of other")
    second = bed.evo("resume", f"{database.url}#run", host=other)
    assert second.wait() == 0, bed.output.read_text()
    rows = database.rows()
    bed.network.heal(bed.home)
    assert first.wait() == 4, bed.output.read_text()
    assert "nothing of the other's was overwritten" in bed.output.read_text()
    assert database.rows() == rows
    bed.path = bed.folder / "copy"
    bed.require_finished(bed.evo("copy", f"{database.url}#run", bed.path, host=other))
