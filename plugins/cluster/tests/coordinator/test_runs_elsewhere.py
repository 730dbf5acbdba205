"""Runs whose evaluations happen elsewhere are the runs of one machine."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import wait_until

from evograft.errors import ServiceError, UserError

pytestmark = pytest.mark.long

PAGE = Path(__file__).parents[4] / "docs" / "cluster.md"
LOKY = {"driver": "futures", "factory": "loky:ProcessPoolExecutor", "with": {"max_workers": 2}, "workers": 2}


@pytest.fixture(scope="module")
def trials():
    return 12


@pytest.mark.filterwarnings("ignore:.*worker stopped while some jobs")
def test_a_run_on_an_executor_of_others_is_the_run_on_one_machine(runs, trials):
    here = runs.run("here", trials=trials)
    there = runs.run("there", trials=trials, executor=LOKY)
    assert runs.trials(there) == runs.trials(here)


def test_a_candidate_that_ends_its_process_is_rejected_as_on_one_machine(runs, trials):
    here = runs.run("here", trials=trials, with_={"die_at": (5,)}, executor={"driver": "processes", "workers": 2})
    there = runs.run("there", trials=trials, with_={"die_at": (5,)}, executor=LOKY)
    assert runs.trials(there) == runs.trials(here)
    assert runs.trials(there)[5]["evaluation"]["status"] == "failed"


def test_a_candidate_that_ends_its_worker_costs_the_others_nothing(runs, trials):
    there = runs.run("there", trials=trials, with_={"kill_parent_at": (5,)}, executor=LOKY)
    statuses = {trial["number"]: trial["evaluation"]["status"] for trial in runs.trials(there)}
    assert {number for number, status in statuses.items() if status == "failed"} == {5}


@pytest.fixture
def notes(tmp_path):
    """A folder for a file for each evaluation."""
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


def test_a_run_on_dask_is_the_run_on_one_machine(runs, trials, dask_address):
    here = runs.run("here", trials=trials)
    there = runs.run("there", trials=trials, executor={"driver": "dask", "address": dask_address})
    assert runs.trials(there) == runs.trials(here)


@pytest.mark.usefixtures("dask_address")
def test_a_run_by_a_scheduler_file_is_the_run_on_one_machine(runs, trials, scheduler_file):
    here = runs.run("here", trials=trials)
    there = runs.run("there", trials=trials, executor={"driver": "dask", "scheduler_file": str(scheduler_file)})
    assert runs.trials(there) == runs.trials(here)


def test_evaluations_at_the_same_time_are_pinned_to_different_cores(runs, dask_address, notes, tmp_path):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two evaluations need two cores")
    with_ = {"notes": str(notes), "held_at": [3, 4], "held_until": str(tmp_path / "gate")}
    pipeline = runs.write(trials=6, window=2, executor={"driver": "dask", "address": dask_address}, with_=with_)
    run = runs.start("-m", "evograft", "run", pipeline, "--run-dir", tmp_path / "run")

    def cores_of(trial):
        return [frozenset(map(int, path.read_text().split())) for path in notes.glob(f"{trial}-*")]

    wait_until(lambda: all(len(cores) == 1 and cores[0] for cores in (cores_of(3), cores_of(4))), run)
    (one,), (other,) = cores_of(3), cores_of(4)
    (tmp_path / "gate").touch()
    assert run.wait(300) == 0
    assert len(one) == len(other) == 1
    assert one != other
    assert one | other <= os.sched_getaffinity(0)


@pytest.fixture
def engines(lab, tmp_path, monkeypatch):
    """The options of an executor on two engines of ipyparallel, which find the plugin `lab`."""
    pytest.importorskip("ipyparallel", reason="install ipyparallel")
    (program,) = re.findall(r'^```python title="engines.py"\n(.*?)^```$', PAGE.read_text(), re.MULTILINE | re.DOTALL)
    (tmp_path / "engines.py").write_text(program)
    monkeypatch.syspath_prepend(str(tmp_path))
    command = (sys.executable, "-m", "ipyparallel.cluster.app")
    subprocess.run([*command, "start", "-n", "2", "--daemonize"], check=True, cwd=tmp_path, timeout=300)
    yield {"driver": "futures", "factory": "engines:executor", "workers": 2}
    subprocess.run([*command, "stop"], check=True, cwd=tmp_path, timeout=300)


@pytest.mark.slow
def test_a_run_on_ipyparallel_is_the_run_on_one_machine(runs, trials, engines):
    here = runs.run("here", trials=trials)
    there = runs.run("there", trials=trials, executor=engines)
    assert runs.trials(there) == runs.trials(here)


def test_a_resumed_run_may_go_on_elsewhere(runs, trials):
    path = runs.run("run", trials=6)
    runs.resume(path, f"executor={json.dumps(LOKY)}", f"budget.trials={trials}")
    assert runs.trials(path) == runs.trials(runs.run("whole", trials=trials))


def test_two_settings_are_the_whole_difference(runs):
    pipeline = runs.write(trials=2, executor={"driver": "threads", "workers": 2})
    settings = ("executor.driver=dask", "executor.address=tcp://127.0.0.1:9")
    shown = runs.evo("show", "--file", pipeline, *(part for each in settings for part in ("--set", each)))
    assert "driver: dask" in shown.stdout, shown.stderr
    assert "workers: 2" not in shown.stdout


@pytest.mark.parametrize(
    ("executor", "message"),
    [
        ({"driver": "dask"}, "give one of `address`, `scheduler_file` and `cluster`"),
        ({"driver": "dask", "address": "tcp://127.0.0.1:9", "scheduler_file": "s.json"}, "give one of"),
        ({"driver": "dask", "address": "head"}, "such as tcp://head:8786, not 'head'"),
        ({"driver": "dask", "address": "tcp://head:port"}, "such as tcp://head:8786"),
        (
            {"driver": "dask", "address": "tcp://127.0.0.1:9", "connect_seconds": 0.2},
            "no scheduler answers at tcp://127.0.0.1:9 within 0.2 s",
        ),
        (
            {"driver": "dask", "address": "tcp://127.0.0.1:9", "security": {"require_encryption": True}},
            "requires encryption, and tcp://127.0.0.1:9 has none",
        ),
        (
            {"driver": "dask", "address": "tls://127.0.0.1:9", "security": {"tls_ca_file": "ca.pem"}},
            "tls://127.0.0.1:9 is reached by TLS: name your files",
        ),
        (
            {
                "driver": "dask",
                "address": "tls://h:9",
                "security": {"tls_client_cert": "no.pem", "tls_ca_file": "ca.pem"},
            },
            "executor.security: .*No such file.*check the files",
        ),
        ({"driver": "dask", "scheduler_file": "no-such.json"}, "no-such.json cannot be read"),
        ({"driver": "dask", "scheduler_file": __file__}, "cannot be read"),
        ({"driver": "dask", "cluster": {"factory": "a:b"}}, "give `scale` or `adapt`"),
        ({"driver": "futures", "factory": "loky"}, "factory"),
        ({"driver": "futures", "factory": "no_such_module:Pool"}, "cannot be imported"),
        ({"driver": "futures", "factory": "loky:ProcessPoolExecutor", "with": {"no": 1}}, "refuses its options"),
        ({"driver": "futures", "factory": "evograft_cluster.messages:Order"}, "refuses its options: .* Field required"),
        ({**LOKY, "resources": {"cores": 4096}}, "cores are there, an evaluation needs 4096"),
    ],
)
def test_what_cannot_work_is_said_before_the_first_trial(runs, executor, message):
    with pytest.raises((UserError, ServiceError), match=message) as refused:
        runs.run("refused", trials=2, executor={**executor, "patience": 0.001})
    assert "\n" not in str(refused.value)
