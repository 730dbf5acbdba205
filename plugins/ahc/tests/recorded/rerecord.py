"""Makes `run.tar.gz` again from `answers/`, where evograft is installed.

Call it as `python plugins/ahc/tests/recorded/rerecord.py`.

The answers are given in the order of their names, each when the one before it has had its effect.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parents[3] / "tests" / "recorded"))

from recording import Recording, pack  # noqa: E402 - it is found by the line above


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Recording(Path(folder), HERE) as recording:
        recording.start("run", "pipeline.yaml", "--run-dir", recording.run)
        for answer in sorted((HERE / "answers").glob("*.txt")):
            recording.give(answer)
        recording.end()
        pack(recording.run, HERE / "run.tar.gz")


if __name__ == "__main__":
    main()
