"""What the tests on several hosts stand on: hosts are apart, links are cut, and nothing is left behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cluster_runs import read_command
from hosts import wait_until

pytestmark = pytest.mark.cluster
CONNECT = "import socket, sys; socket.create_connection((sys.argv[1], 8000), timeout=1)"
LISTEN = "import http.server; http.server.test(http.server.SimpleHTTPRequestHandler, port=8000)"
KILLED = """
import os, pathlib, signal
from hosts import Network
with Network(pathlib.Path("hosts")) as network:
    network.add("one").start("sleep", "4321.5")
    network.add("two").freeze()
    print(*(host.first_pid for host in network.hosts), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_hosts_reach_each_other_unless_a_link_is_cut(network):
    server, client = network.add("server"), network.add("client")
    server.start(sys.executable, "-c", LISTEN)

    def reaches():
        return client.run(sys.executable, "-c", CONNECT, server.address).returncode == 0

    wait_until(reaches)
    network.cut(server)
    assert not reaches()
    network.heal(server)
    wait_until(reaches)


def test_a_host_has_a_name_and_a_disk_of_its_own(network, tmp_path):
    one, two = network.add("one"), network.add("two")
    assert one.run("hostname").stdout == "one\n"
    one.mount_disk(tmp_path, size="64k")
    full = one.run("dd", "if=/dev/zero", f"of={tmp_path}/file", "bs=1k", "count=100")
    assert "No space left on device" in full.stderr
    assert not (tmp_path / "file").exists()
    assert two.run("ls", tmp_path / "file").returncode != 0


def test_a_process_that_was_frozen_can_be_thawed_and_killed(network):
    host = network.add("host")
    process = host.start("sleep", "1000")
    host.freeze()
    process.kill()
    assert process.wait() == -signal.SIGKILL
    other = host.start("sh", "-c", "kill -STOP $$; exit 7")
    pid = other.pid
    wait_until(lambda: Path(f"/proc/{pid}/stat").read_text().split()[2] == "T")
    host.thaw()
    assert other.wait() == 7


def test_a_host_without_power_has_no_process_left(network):
    host = network.add("host")
    host.start("sleep", "1000")
    host.start("sh", "-c", "setsid sleep 1000 & setsid sleep 1000")
    wait_until(lambda: len(host.find_pids()) == 4)
    pids = host.find_pids()
    host.power_off()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))


@pytest.mark.usefixtures("network")
def test_nothing_is_left_of_hosts_whose_test_was_killed(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent / "helpers")}
    command = [sys.executable, "-c", KILLED]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, text=True, capture_output=True, check=False, timeout=120
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    pids = done.stdout.split()
    assert len(pids) == 2
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))
    wait_until(lambda: not any(b"4321.5" in read_command(int(path.name)) for path in Path("/proc").glob("[0-9]*")))
