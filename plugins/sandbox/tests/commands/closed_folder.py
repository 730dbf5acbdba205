"""Opens a session of the process driver where something is missing, and prints what a command in it says.

closed_folder.py MISSING [TOOL]: runs TOOL, whose folder is mounted; without one the session's own Python.
"""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

from elsewhere import CALLS, forbid

from evograft_hookspecs import SandboxCommand, SandboxUnavailable
from evograft_sandbox.commands.native_cache import ensure_runner
from evograft_sandbox.commands.process import ProcessOptions, ProcessSandbox

PROGRAM = "import sys; print(sys.prefix)"


def said(tool: str) -> str:
    folder = str(Path(tool).parent)
    mounts = {folder: folder} if tool else {}
    with closing(ProcessSandbox(ProcessOptions(scratch_mb=64)).open(mounts=mounts, python=not tool)) as session:
        arguments = (tool,) if tool else (session.python, "-c", PROGRAM)
        result = session.run(SandboxCommand(arguments=arguments))
        return (result.stdout or result.stderr).decode()


def main(missing: str, tool: str = "") -> None:
    ensure_runner()
    forbid(CALLS.get(missing, ()))
    try:
        sys.stdout.write(said(tool))
    except SandboxUnavailable as err:
        sys.stdout.write(f"refused: {err}")


if __name__ == "__main__":
    main(*sys.argv[1:])
