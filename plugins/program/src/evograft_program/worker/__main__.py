"""The archive's start: one evaluation, or a fork server for many."""

from __future__ import annotations

import sys
from pathlib import Path

# Modules that are imported later are looked for in the archive, wherever the working directory is then.
sys.path[0] = str(Path(sys.path[0]).absolute())
sys.dont_write_bytecode = True

if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        from evograft_program.worker.fork_server import serve

        serve(sys.argv[2:])
    else:
        from evograft_program.worker.evaluation import run
        from evograft_program.worker.imports import import_all

        import_all(sys.argv[2:])
        run()
