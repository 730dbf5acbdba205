"""Makes an archive of each recorded run: python plugins/program/tests/recorded/pack.py FOLDER...

What is kept is that of `tests/recorded/recording.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parents[3] / "tests" / "recorded"))

from recording import KEPT, pack  # noqa: E402 - it is found by the line above

for run in map(Path, sys.argv[1:]):
    # Texts that are short enough are in the log itself.
    pack(run, HERE / "runs" / f"{run.name}.tar.gz", [name for name in KEPT if (run / name).exists()])
