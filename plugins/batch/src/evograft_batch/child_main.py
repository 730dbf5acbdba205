"""`python -m evograft_batch.child_main PARENT …` is `evo …` that stops once the process that started it is gone.

A batch starts its runs so. Whatever ends it, even `kill -9`, each run gets a SIGTERM: it finishes what is in flight or
gives it up within seconds, and can be resumed.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import NoReturn

from evograft.__main__ import main

PR_SET_PDEATHSIG = 1


def run_child() -> NoReturn:
    """Run `evo` with the remaining arguments, and end with the process that is named first."""
    parent = int(sys.argv.pop(1))
    # Elsewhere there is no such call: a run whose batch was killed then continues to its own end.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGTERM))
    if os.getppid() != parent:
        sys.exit(f"Error: process {parent}, which started this one, is gone")
    main()


if __name__ == "__main__":
    run_child()
