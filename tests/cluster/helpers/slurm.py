"""A real Slurm on the hosts of a network: its own munge key, configuration and state, all below one folder."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path

from hosts import Host, HostProcess, wait_until

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch")
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={head.name}({head.address})
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
MpiDefault=none
# Of a cluster, what needs no cgroups and no accounting database.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdSpoolDir={folder}/spool-%n
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
# A job that is over its time, or cancelled, has this many seconds between SIGTERM and SIGKILL.
KillWait=2
# On a busy machine an answer takes its time.
MessageTimeout=90
SchedulerParameters=bf_interval=5,sched_interval=5,sched_min_interval=1,batch_sched_delay=0
{nodes}
# Jobs of `urgent` take the nodes of others away.
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
PartitionName=cpu Nodes=ALL Default=YES PriorityTier=1 State=UP
PartitionName=urgent Nodes=ALL PriorityTier=9 State=UP
"""
NODE = "NodeName={0.name} NodeAddr={0.address} CPUs={1} RealMemory=8000 State=UNKNOWN"


def find_missing() -> str | None:
    """Return which program of Slurm is not installed."""
    return next((f"{name} is not installed (Debian: slurm-wlm, munge)" for name in PROGRAMS if not find(name)), None)


def find(program: str) -> str | None:
    return shutil.which(program, path="/usr/bin:/usr/sbin:/usr/local/bin:/usr/local/sbin")


class Slurm:
    """A cluster that takes jobs; its daemons end with their hosts."""

    def __init__(self, folder: Path, head: Host, nodes: Sequence[Host], *, cores: int = 1) -> None:
        self.folder = folder
        self.head = head
        self.nodes = tuple(nodes)
        self._daemons: list[HostProcess] = []
        (folder / "state").mkdir(parents=True)
        self._write("slurm.conf", self._configuration(cores))
        self._write("munge.key", secrets.token_hex(32))
        for host in (head, *nodes):
            host.environment["SLURM_CONF"] = str(folder / "slurm.conf")

    def start(self) -> None:
        """Start the daemons, and wait until all nodes take jobs."""
        folder = self.folder
        self._start(
            self.head,
            "munged",
            *("--foreground", "--force", f"--key-file={folder}/munge.key", f"--socket={folder}/munge.socket"),
            *(f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log", f"--seed-file={folder}/munge.seed"),
        )
        wait_until((folder / "munge.socket").exists)
        self._start(self.head, "slurmctld", "-D")
        for node in self.nodes:
            self._start(node, "slurmd", "-D")
        wait_until(lambda: set(self.tell("sinfo", "-h", "-N", "-o", "%T").split()) == {"idle"})

    def tell(self, *command: str) -> str:
        """Return what one of Slurm's commands prints on the head."""
        done = self.head.run(*command)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    def find_jobs(self, *nodes: str) -> list[str]:
        """Return the numbers of the jobs that run on these nodes; of none: of all that run or wait."""
        where = ("-t", "running", "-w", ",".join(nodes)) if nodes else ()
        return self.tell("squeue", "-h", "-o", "%i", *where).split()

    def _start(self, host: Host, program: str, *arguments: str) -> None:
        path = find(program)
        assert path is not None
        log = self.folder / f"{program}-{host.name}.out"
        self._daemons.append(host.start(path, *arguments, log=log))

    def _configuration(self, cores: int) -> str:
        nodes = "\n".join(NODE.format(node, cores) for node in self.nodes)
        return CONFIGURATION.format(head=self.head, folder=self.folder, nodes=nodes)

    def _write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.touch(mode=0o600)
        path.write_text(text)
