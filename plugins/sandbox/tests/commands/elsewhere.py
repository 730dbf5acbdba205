"""Runs the process driver where something is missing, and prints what it has and does as JSON: elsewhere.py MISSING."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import struct
import sys
from contextlib import closing

from evograft_hookspecs import SandboxCommand, SandboxLimits, SandboxUnavailable
from evograft_sandbox.commands.native_cache import ensure_runner
from evograft_sandbox.commands.process import ProcessOptions, ProcessSandbox

NOBODY = 54321
CALLS = {"landlock": (444, 445, 446), "seccomp": (), "namespaces": (272,)}
"""System calls by number on x86-64 that fail as they would on a kernel without them."""
ALLOW, EPERM, ENOSYS = 0x7FFF0000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS


def forbid(calls: tuple[int, ...]) -> None:
    """Installs a filter of system calls, for good."""
    load, jump, end = (0x20, 0, 0, 0), 0x15, 0x06
    code = [load]
    for call in calls:
        code += [(jump, 0, 1, call), (end, 0, 0, EPERM if call == 272 else ENOSYS)]
    code.append((end, 0, 0, ALLOW))
    program = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *line) for line in code))
    filtered = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(code), ctypes.addressof(program)))
    libc = ctypes.CDLL(None, use_errno=True)
    word = ctypes.c_ulong
    assert libc.prctl(38, word(1), word(0), word(0), word(0)) == 0
    assert libc.prctl(22, word(2), word(ctypes.addressof(filtered)), word(0), word(0)) == 0


def main(missing: str) -> None:
    ensure_runner()  # somebody else may neither write to this user's cache nor import what that needs
    if "root" in missing and os.getuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        ctypes.CDLL(None).prctl(4, ctypes.c_ulong(1), 0, 0, 0)
    forbid(tuple(call for name in missing.split("+") for call in CALLS.get(name, ())))
    with closing(ProcessSandbox(ProcessOptions(scratch_mb=64))) as sandbox:
        try:
            result = behaviour(sandbox)
        except SandboxUnavailable as err:
            result = {"refused": str(err)}
    sys.stdout.write(json.dumps(result))


def behaviour(sandbox: ProcessSandbox) -> dict[str, object]:
    quick = SandboxLimits(cpu_seconds=0.5, wall_seconds=30.0, memory_mb=128, processes=16)
    with closing(sandbox.open()) as session:

        def shell(script: str, **options: object) -> SandboxCommand:
            return SandboxCommand(arguments=("sh", "-c", script), limits=quick, **options)

        session.write({"secret": b"future", "own": b"shown"})
        result = {
            "layers": {layer.name: layer.active for layer in sandbox.layers()},
            "endless": session.run(shell("while :; do :; done")).limit,
            "daemon": session.run(shell("(setsid sleep 900 &); echo done")).stdout.decode(),
            "shown": session.run(shell("echo changed > shown; cat shown", inputs={"shown": "own"})).exit_code,
            "own": session.read("own").decode(),
            "peeked": session.run(shell("cat ../session/secret")).stdout.decode(),
        }
        attack, judgement = shell("kill -9 -1; cat /proc/[0-9]*/cwd/in"), shell("cat >&2", inputs={"in": "secret"})
        try:
            _, judge = session.run_interactive(attack, judgement)
            return result | {"judge": judge.exit_code, "said": judge.stderr.decode()}
        except SandboxUnavailable:
            return result | {"judge": "refused"}


if __name__ == "__main__":
    main(sys.argv[1])
