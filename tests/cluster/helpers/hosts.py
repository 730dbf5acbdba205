"""Several hosts on one machine: each has its own network, name, processes, mounts and temporary files, and shares the rest.

A host lives as long as its first process, `cat`, which ends when the process that made it does, however that ends; with
it the kernel ends every process of the host, and takes its network and its mounts away. So nothing is ever left behind.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

PROGRAMS = ("ip", "unshare", "nsenter", "setpriv")
NAMESPACES = ("--net", "--uts", "--pid", "--mount")
PREFIX = "10.83.0."
MOST = 250
"""Hosts of a network."""
FIRST_PROCESS = """
trap '' CHLD  # orphans are adopted, and are not to stay as zombies
hostname "$1"
ip link set lo up
mount -t proc proc /proc
mount --bind /dev/null /etc/resolv.conf  # names of others are unknown at once, not after seconds
mkdir -p "$TMPDIR"
cat /proc/sys/kernel/random/uuid > "$TMPDIR/.boot"
mount --bind "$TMPDIR/.boot" /proc/sys/kernel/random/boot_id
echo ready
exec cat
"""


@functools.cache
def find_obstacle() -> str | None:
    """Return why there can be no hosts here; `None` where they can be made."""
    if os.geteuid() != 0:
        return "hosts as network namespaces need root"
    missing = next((name for name in PROGRAMS if not shutil.which(name)), None)
    if missing:
        return f"{missing} is not installed (Debian: iproute2, util-linux)"
    try:
        with tempfile.TemporaryDirectory() as folder, Network(Path(folder)) as network:
            network.add("probe")
    except (OSError, RuntimeError, subprocess.CalledProcessError) as err:
        return f"this kernel lets root make no network namespaces: {err}"
    return None


def wait_until(condition: Callable[[], object], *, seconds: float = 300.0) -> None:
    """Poll for what other processes do; the limit is for tests that would never end."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came about"
        time.sleep(0.05)


class Host:
    """One host; it is made by a network."""

    def __init__(self, name: str, address: str, temporary: Path) -> None:
        self.name = name
        self.address = address
        self.environment = {"TMPDIR": str(temporary)}
        self._processes: list[HostProcess] = []
        self._unshare = subprocess.Popen(
            ["unshare", *NAMESPACES, "--fork", "--kill-child", "sh", "-c", FIRST_PROCESS, "sh", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **self.environment},
        )
        assert self._unshare.stdout is not None
        if self._unshare.stdout.readline() != b"ready\n":
            self.power_off()
            raise RuntimeError(f"host {name} did not start")
        self.first_pid = only_child(self._unshare.pid)
        self._id = Path(f"/proc/{self.first_pid}/ns/pid").stat().st_ino

    def start(
        self, *command: str | Path, log: Path | None = None, cwd: Path | None = None, **environment: str
    ) -> HostProcess:
        """Start a process; what it prints goes to a file, or nowhere."""
        with (log or Path(os.devnull)).open("ab") as output:
            process = subprocess.Popen(
                self._command(*command, cwd=cwd),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **self.environment, **environment},
            )
        self._processes.append(HostProcess(process))
        return self._processes[-1]

    def run(self, *command: str | Path, timeout: float = 120, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            self._command(*command),
            text=True,
            capture_output=True,
            check=False,
            timeout=timeout,
            env={**os.environ, **self.environment, **environment},
        )

    def mount_disk(self, folder: Path, *, size: str) -> None:
        """Give the host a disk of its own at a folder that the others share."""
        done = self.run("mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder)
        assert done.returncode == 0, done.stderr

    def freeze(self) -> None:
        """Stop all processes, as a virtual machine that is paused."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def power_off(self) -> None:
        """End everything at once; the host does not come back."""
        self._unshare.kill()
        self._unshare.wait()
        for process in self._processes:
            process.wait()
        for pipe in filter(None, (self._unshare.stdin, self._unshare.stdout)):
            pipe.close()

    def find_pids(self) -> list[int]:
        """Return the processes that run there, under their numbers here."""
        pids = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != self.first_pid:
                try:
                    found = (entry / "ns" / "pid").stat().st_ino == self._id
                except OSError:  # it has just ended
                    continue
                pids += [int(entry.name)] * found
        return pids

    def _command(self, *command: str | Path, cwd: Path | None = None) -> list[str]:
        entering = ["nsenter", *NAMESPACES, "--target", str(self.first_pid), f"--wdns={cwd or '/'}"]
        # Not even an `nsenter` that is frozen outlives this process.
        return ["setpriv", "--pdeathsig", "KILL", *entering, "--", *map(str, command)]

    def _signal(self, number: int) -> None:
        for pid in self.find_pids():
            signal_process(pid, number)


class HostProcess:
    """A process of a host; its parent here is an `nsenter` that ends as it ends."""

    def __init__(self, entered: subprocess.Popen[bytes]) -> None:
        self._entered = entered

    @property
    def pid(self) -> int:
        """Its number here; raises `ChildProcessError` if it has ended."""
        return only_child(self._entered.pid)

    def poll(self) -> int | None:
        """Return the exit code; `None`: it runs, or is frozen."""
        if self._entered.poll() is None and read_state(self._entered.pid) == "T":
            # The parent here stops when its child is frozen, and does not see then that it was killed.
            child = only_child(self._entered.pid)
            if read_state(child) == "Z":
                signal_process(self._entered.pid, signal.SIGCONT)
        return self._entered.poll()

    def wait(self, *, seconds: float = 300.0) -> int:
        """Wait for its end and return the exit code, minus the number of the signal that ended it."""
        wait_until(lambda: self.poll() is not None, seconds=seconds)
        return self._entered.returncode

    def send(self, number: int) -> None:
        """Send it a signal, and nothing to what it started."""
        signal_process(self.pid, number)

    def kill(self) -> None:
        self.send(signal.SIGKILL)
        self.wait()


class Network:
    """A switch and the hosts that are connected to it, out of reach of everything else.

    Args:
        folder: for the temporary files of the hosts.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._switch = Host("switch", "", folder / "switch")
        self.hosts: list[Host] = []

    def __enter__(self) -> Self:
        self._ip("link", "add", "dev", "bridge", "type", "bridge")
        self._ip("link", "set", "dev", "bridge", "up")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for host in (*self.hosts, self._switch):
            host.power_off()

    def add(self, name: str) -> Host:
        """Connect a new host, with the next address; one that lost its power may be there again under its name."""
        number = len(self.hosts) + 1
        assert number <= MOST
        host = Host(name, f"{PREFIX}{number}", self._folder / name)
        self.hosts.append(host)
        pid = str(host.first_pid)
        self._ip("link", "add", "dev", f"to-{number}", "type", "veth", "peer", "name", "eth0", "netns", pid)
        self._ip("link", "set", "dev", f"to-{number}", "master", "bridge", "up")
        in_network(host, "ip", "address", "add", f"{host.address}/24", "dev", "eth0")
        in_network(host, "ip", "link", "set", "dev", "eth0", "up")
        # Programs learn their own address by asking for the way to one outside.
        in_network(host, "ip", "route", "add", "default", "dev", "eth0")
        return host

    def cut(self, host: Host) -> None:
        """Pull the plug: packets vanish, and no connection is closed."""
        self._ip("link", "set", "dev", self._link(host), "down")

    def power_off(self, host: Host) -> None:
        """Take a host's power: nobody is told that its connections are closed."""
        self.cut(host)
        host.power_off()

    def heal(self, host: Host) -> None:
        self._ip("link", "set", "dev", self._link(host), "up")

    def _link(self, host: Host) -> str:
        return f"to-{self.hosts.index(host) + 1}"

    def _ip(self, *arguments: str) -> None:
        in_network(self._switch, "ip", *arguments)


def in_network(host: Host, *command: str) -> None:
    """Run a command with a host's network and the processes of this one: it may name hosts by their process."""
    subprocess.run(
        ["nsenter", "--net", "--target", str(host.first_pid), *command], check=True, capture_output=True, text=True
    )


def only_child(pid: int) -> int:
    """Return the child of a process that is about to have just one."""
    while read_state(pid) != "Z":
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children:
            return int(children[0])
        time.sleep(0.01)
    raise ChildProcessError(f"process {pid} has ended")


def read_state(pid: int) -> str:
    """Return the state of a process, as a letter; `Z`: it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def signal_process(pid: int, number: int) -> None:
    """Signal a process that may have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
