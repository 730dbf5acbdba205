"""Runs forked commands in the process driver where something is missing, and prints what came of it as JSON.

forking_elsewhere.py MISSING: reads the programs `forking` and `attacks`, each with its length before it.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from contextlib import closing

import psutil
from elsewhere import CALLS, NOBODY, forbid

from evograft_hookspecs import ForkServer, SandboxCommand, SandboxLimits, SandboxSession
from evograft_sandbox.commands.native_cache import ensure_runner
from evograft_sandbox.commands.process import ProcessOptions, ProcessSandbox

LIMITS = SandboxLimits(cpu_seconds=10.0, wall_seconds=60.0, memory_mb=128, processes=16)
SERVER = ForkServer(arguments=("./forking",), inputs={"forking": "forking"})


def read_program() -> bytes:
    return sys.stdin.buffer.read(int.from_bytes(sys.stdin.buffer.read(8), "little"))


def main(missing: str) -> None:
    programs = {name: read_program() for name in ("forking", "attacks")}
    ensure_runner()
    if "root" in missing and os.getuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        ctypes.CDLL(None).prctl(4, ctypes.c_ulong(1), 0, 0, 0)
    forbid(tuple(call for name in missing.split("+") for call in CALLS.get(name, ())))
    with closing(ProcessSandbox(ProcessOptions(scratch_mb=64))) as sandbox, closing(sandbox.open()) as session:
        session.write(programs)
        sys.stdout.write(json.dumps(behaviour(session)))


def behaviour(session: SandboxSession) -> dict[str, object]:
    def run(*arguments: str) -> bytes:
        result = session.run(
            SandboxCommand(arguments=arguments, limits=LIMITS, fork_server=SERVER, inputs={"attacks": "attacks"})
        )
        forked.append(result.forked)
        return result.stdout

    forked: list[bool] = []
    born = {run("born"), run("born")} - {b""}
    begun = list(forked)
    run("sh", "-c", "(setsid sleep 900 &); kill -9 -1")
    stopped = run("echo", "there") == b"there\n"
    if begun[0]:
        run("./attacks", "signal", "9")
    return {
        "forked": begun,
        "born": len(born),
        "stopped": stopped,
        "killed": run("echo", "there") == b"there\n",
        "daemons": [each.name() for each in below(session) if each.name() == "sleep"],
        "left": kill_runner(session),
    }


def below(session: SandboxSession) -> list[psutil.Process]:
    return psutil.Process(session._channel._stream._process.pid).children(recursive=True)


def kill_runner(session: SandboxSession) -> list[str]:
    """Kills the runner by a signal; returns what outlives it."""
    started = below(session)
    session._channel._stream._process.send_signal(signal.SIGKILL)
    return [each.name() for each in psutil.wait_procs(started, timeout=60)[1]]


if __name__ == "__main__":
    main(sys.argv[1])
