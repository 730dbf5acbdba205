"""Makes `run.tar.gz` again from `answers/`: `python tests/recorded/rerecord.py`, where evograft is installed.

The answers are given in the order of their names, each when the one before it has had its effect.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from recording import Recording, pack

HERE = Path(__file__).parent
JAPANESE_AFTER = 17
"""So many trials are committed when the prompts' language changes."""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Recording(Path(folder), HERE) as recording:
        recording.start("run", "pipeline.yaml", "--run-dir", recording.run)
        for answer in sorted((HERE / "answers").glob("*.txt")):
            if not recording.changed and recording.committed() == JAPANESE_AFTER:
                recording.change("plugins.operators.with.prompts=prompts/ja")
            recording.give(answer)
        recording.end()
        pack(recording.run, HERE / "run.tar.gz")


if __name__ == "__main__":
    main()
