"""Long sessions keep an eye on the machine."""

import pytest

from evograft_ahc.records import machine
from evograft_ahc.records.machine import Machine, look_at_machine


def test_the_machine_is_looked_at_once_a_generation(sessions, workspace):
    sessions.begin("first", trials=23, generation_size=10)
    lines = (workspace.folder / "ahc_agent.log").read_text().splitlines()
    told = [line for line in lines if " machine " in line]
    assert ["generation=1" in line or "generation=2" in line for line in told] == [True, True]
    assert all("load=" in line and "free_disk=" in line for line in told)


def test_shares_are_shares(tmp_path):
    found = look_at_machine(tmp_path)
    assert 0 <= found.free_disk <= 1
    assert found.free_memory is None or 0 <= found.free_memory <= 1
    assert found.cores >= 1


def test_a_system_that_does_not_tell_its_memory_is_no_error(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "MEMORY", tmp_path / "none")
    assert look_at_machine(tmp_path).free_memory is None
    (tmp_path / "none").write_text("Something: else\n")
    assert look_at_machine(tmp_path).free_memory is None


@pytest.mark.parametrize(
    ("memory", "disk", "short"), [(0.5, 0.5, False), (0.01, 0.5, True), (None, 0.5, False), (0.5, 0.01, True)]
)
def test_little_memory_or_disk_is_told(memory, disk, short):
    assert Machine(load=1.0, cores=2, free_memory=memory, free_disk=disk).is_short is short
