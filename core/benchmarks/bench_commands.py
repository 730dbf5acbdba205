"""What looking costs: python core/benchmarks/bench_commands.py.

A hundred runs of 30 trials are made, then each command is a process of its own. CPU is its user and system time, as the
system counts it, the median of five.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from evograft.config.loading import pipeline_from
from evograft.session.session import open_session
from evograft.session.start import start_run

SITE = Path(__file__).parent / "site"
RUNS = 100
TRIALS = 30
REPEATS = 5
COMMANDS = (
    ("status", "--all"),
    ("status", "--all", "--json"),
    ("status",),
    ("status", "--help"),
    ("run", "--help"),
    ("--help",),
)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Else the runs would stand in the user's own index.
        os.environ["XDG_STATE_HOME"] = str(folder / "state")
        make_runs(folder / "runs")
        for words in COMMANDS:
            cpu = statistics.median(cpu_of(words, folder) for _ in range(REPEATS))
            print(f"evo {' '.join(words)}: {cpu:.2f} s CPU")


def make_runs(runs: Path) -> None:
    sys.path.insert(0, str(SITE))
    for seed in range(RUNS):
        data = {"name": "run", "plugins": ["instant"], "budget": {"trials": TRIALS}, "seed": seed}
        with open_session(start_run(pipeline_from(data, source="benchmark"), runs=runs)) as kernel:
            kernel.run()


def cpu_of(words: tuple[str, ...], folder: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "evograft", *words], check=True, capture_output=True, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
