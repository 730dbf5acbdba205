"""Runs whose workers are processes of MPI, started as the docs say, are the runs of one machine."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import wait_until

pytestmark = pytest.mark.slow
PAGE = Path(__file__).parents[4] / "docs" / "cluster.md"
TRIALS = 12


def read_recipe(title):
    (block,) = re.findall(rf'^```\w+ title="{title}"\n(.*?)^```$', PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return block


@pytest.fixture
def start(runs, tmp_path, monkeypatch):
    """`start(recipe, command)`: a recipe of the docs, carried out with another command of `evo` in it."""
    if shutil.which("mpiexec") is None:
        pytest.skip("no mpiexec (Debian: openmpi-bin)")
    # In another process: MPI begins with its import, and what it leaves in the environment turns `mpiexec` away.
    if subprocess.run([sys.executable, "-c", "import mpi4py.MPI"], check=False, capture_output=True).returncode:
        pytest.skip("mpi4py is not installed, or finds no MPI")
    monkeypatch.setenv("PATH", f"{sys.prefix}/bin:{os.environ['PATH']}")
    # Open MPI refuses root, and more processes than cores; others ignore this.
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"):
        monkeypatch.setenv(name, "1")
    (tmp_path / "on_mpi.py").write_text(read_recipe("on_mpi.py"))

    def start(title, *command):
        script = read_recipe(title)
        assert script.count("run my.yaml") == 1
        script = script.replace("run my.yaml", " ".join(map(str, command)))
        with (tmp_path / "output").open("w") as output:
            process = subprocess.Popen(
                ["sh", "-c", script], cwd=tmp_path, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
        runs.started.append(process)
        return process

    return start


@pytest.mark.parametrize("title", ["mpi.sh", "on_mpi.sh"])
def test_a_run_on_mpi_is_the_run_on_one_machine(runs, start, tmp_path, title):
    settings = {"trials": TRIALS, "with_": {"die_at": (5,)}}
    process = start(title, "run", runs.write(**settings), "--run-dir", tmp_path / "there")
    assert process.wait(300) == 0, (tmp_path / "output").read_text()
    assert "cannot restart" not in (tmp_path / "output").read_text()
    here = runs.run("here", executor={"driver": "processes", "workers": 2}, **settings)
    assert runs.trials(tmp_path / "there") == runs.trials(here)


def test_a_worker_that_is_killed_ends_the_job_and_the_run_is_resumed(runs, start, tmp_path):
    notes, gate = tmp_path / "notes", tmp_path / "gate"
    notes.mkdir()
    with_ = {"held_at": (5,), "held_until": str(gate), "notes": str(notes)}
    process = start("mpi.sh", "run", runs.write(trials=TRIALS, with_=with_), "--run-dir", tmp_path / "there")
    wait_until(lambda: any(notes.glob("5-*")), process)
    evaluator = int(next(notes.glob("5-*")).name.split("-")[1])
    os.kill(parent_of(evaluator), signal.SIGKILL)
    assert process.wait(300) != 0
    gate.touch()
    resumed = start("mpi.sh", "resume", tmp_path / "there")
    assert resumed.wait(300) == 0, (tmp_path / "output").read_text()
    assert runs.trials(tmp_path / "there") == runs.trials(runs.run("here", trials=TRIALS))


def parent_of(process):
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
