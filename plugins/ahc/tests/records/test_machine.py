"""Long sessions keep an eye on the machine."""

import json
from types import SimpleNamespace

import pytest

from evograft_ahc.records import machine
from evograft_ahc.records.machine import MachineStatus, measure_machine


def test_the_machine_is_looked_at_once_a_generation(sessions, workspace):
    sessions.begin("first", trials=23, generation_size=10)
    lines = (workspace.folder / "ahc_agent.log").read_text().splitlines()
    told = [line for line in lines if " machine " in line]
    assert ["generation=1" in line or "generation=2" in line for line in told] == [True, True]
    assert all("load=" in line and "free_disk_mb=" in line for line in told)


def test_shares_are_shares(tmp_path):
    found = measure_machine(tmp_path)
    assert found.free_disk_mb >= 0
    assert found.free_memory is None or 0 <= found.free_memory <= 1
    assert found.cores >= 1


def test_a_system_that_does_not_tell_its_memory_is_no_error(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "MEMORY", tmp_path / "none")
    assert measure_machine(tmp_path).free_memory is None
    (tmp_path / "none").write_text("Something: else\n")
    assert measure_machine(tmp_path).free_memory is None


@pytest.mark.parametrize(
    ("memory", "disk", "short", "full"),
    [
        (0.5, 9000, False, False),
        (0.01, 9000, True, False),
        (None, 9000, False, False),
        (0.5, 1000, True, False),
        (0.5, 200, True, True),
    ],
)
def test_little_memory_or_disk_is_told(memory, disk, short, full):
    machine = MachineStatus(load=1.0, cores=2, free_memory=memory, free_disk_mb=disk)
    assert (machine.is_short, machine.is_full) == (short, full)


def test_a_session_is_stopped_before_its_disk_is_full_and_goes_on_when_there_is_room(sessions, workspace, monkeypatch):
    with monkeypatch.context() as full:
        full.setattr(machine.shutil, "disk_usage", lambda folder: SimpleNamespace(free=200_000_000))
        folder = sessions.begin("first", trials=2000, generation_size=10)
    told = json.loads((folder / "session.json").read_text())
    assert told["status"] == "stopped"
    log = (workspace.folder / "ahc_agent.log").read_text()
    assert log.count(" disk full ") == 1
    assert "only 200 MB are left" in log
    before = len(sessions.runs.trials(folder))
    assert before < 2000
    sessions.go_on(folder, f"budget.trials={before + 20}")
    assert json.loads((folder / "session.json").read_text())["status"] == "completed"
