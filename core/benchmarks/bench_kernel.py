"""What a trial costs when its hooks cost nothing: python core/benchmarks/bench_kernel.py.

Each figure comes from a process of its own. CPU is user and system time of that process; memory is its peak.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SITE = Path(__file__).parent / "site"
REPEATS = 3


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for trials in (10_000, 50_000):
            runs = [measured("run", trials, Path(folder) / f"{trials}-{number}") for number in range(REPEATS)]
            report_run(trials, runs)
        resumed = measured("resume", 50_000, Path(folder) / "50000-0")
        print(
            f"resume of 50,000 trials: {resumed['wall']:.2f} s wall, {resumed['cpu']:.2f} s CPU, "
            f"peak {resumed['peak']:.0f} MB"
        )
        small = measured("run", 1000, Path(folder) / "small")
        large = measured("run", 10_000, Path(folder) / "large")
        print(
            f"peak memory: {small['peak']:.0f} MB at 1,000, {large['peak']:.0f} MB at 10,000: "
            f"{large['peak'] / small['peak']:.2f}"
        )
        print(f"most files in the folder of a run: {large['files']}")
        for arguments in (["--help"], ["plugins"]):
            print(f"evo {' '.join(arguments)}: {statistics.median(cpu_of(arguments) for _ in range(5)):.3f} s CPU")


def report_run(trials: int, runs: list[dict[str, Any]]) -> None:
    per_trial = statistics.median(run["cpu"] / trials * 1000 for run in runs)
    slope = statistics.median(run["last"] / run["first"] for run in runs)
    print(f"{trials:,} trials: {per_trial:.3f} ms CPU a trial, last tenth / first tenth {slope:.2f}")


def measured(what: str, trials: int, folder: Path) -> dict[str, Any]:
    command = [sys.executable, __file__, what, str(trials), str(folder)]
    answer: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return answer


def cpu_of(arguments: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "evograft", *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def work(what: str, trials: int, folder: Path) -> dict[str, Any]:
    sys.path.insert(0, str(SITE))
    from clock import timed

    from evograft.config.loading import pipeline_from
    from evograft.runs.index import open_run
    from evograft.session.start import start_run

    pipeline = pipeline_from({"plugins": ["instant"], "budget": {"trials": trials}}, source="benchmark")
    run = open_run(folder) if what == "resume" else start_run(pipeline, runs=folder.parent, folder=folder)
    return timed(run, trials)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(work(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))))
    else:
        main()
