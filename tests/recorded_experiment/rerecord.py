"""Makes `run.tar.gz` again from `answers/`: `python tests/recorded_experiment/rerecord.py`, where evograft is installed.

The answers are given in the order of their names, each when the one before it has had its effect.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import yaml

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "recorded"))

from recording import Recording, pack  # noqa: E402 - it is found by the line above

KEPT = ("pipeline.lock.yaml", "log.sqlite", "log.head")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Recording(Path(folder), HERE) as recording:
        experiment = yaml.safe_load((HERE / "experiment.yaml").read_text(encoding="utf-8"))
        config = Path(folder) / "experiment.json"
        config.write_text(json.dumps({**experiment, "artifacts": folder}), encoding="utf-8")
        recording.start("graph", "phase1", "--config", config)
        for answer in sorted((HERE / "answers").glob("*.txt")):
            recording.give(answer)
        recording.end()
        pack(recording.run, HERE / "run.tar.gz", KEPT)


if __name__ == "__main__":
    main()
