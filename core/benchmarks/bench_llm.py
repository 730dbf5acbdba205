"""Trials a second with a model behind HTTP: python core/benchmarks/bench_llm.py [--driver openai].

A stub server on loopback answers at once, or after a second; programs have 0.5 to 8 kB, evaluation is trivial, the
plugins are those that a user would take (islands, operators). Each figure comes from a process of its own.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LAB = HERE.parent.parent / "tests" / "lab"


def main(drivers: list[str], *, trials: int, repeats: int) -> None:
    for driver in drivers:
        with stub() as address:
            at_once = [measured(driver, address, trials=trials, concurrency=4) for _ in range(repeats)]
        report(f"{driver}, answers at once", at_once)
    for sigma in (0.0, 0.5):
        with stub("--latency", "1.0", "--sigma", str(sigma)) as address:
            waiting = [measured("openai", address, trials=480, concurrency=16)]
        report(f"openai, 1 s an answer (sigma {sigma}), 16 calls in flight", waiting)


def report(what: str, runs: list[dict[str, Any]]) -> None:
    rate = statistics.median(run["trials"] / run["wall"] for run in runs)
    cpu = statistics.median(run["cpu"] / run["trials"] * 1000 for run in runs)
    slope = statistics.median(run["last"] / run["first"] for run in runs)
    peak, files = max(run["peak"] for run in runs), max(run["files"] for run in runs)
    print(
        f"{what}: {rate:.1f} trials/s, {cpu:.2f} ms CPU a trial, last tenth / first tenth {slope:.2f} (CPU), "
        f"peak {peak:.0f} MB, at most {files} files",
        flush=True,
    )


@contextmanager
def stub(*arguments: str) -> Iterator[str]:
    command = [sys.executable, str(HERE / "stub_server.py"), *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.kill()


def measured(driver: str, address: str, *, trials: int, concurrency: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--work", driver, address, str(trials), str(concurrency), f"{folder}/run"]
        answer: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return answer


def pipeline_data(driver: str, address: str, trials: int, concurrency: int) -> dict[str, Any]:
    model = "openai/stub" if driver == "litellm" else "stub"
    where = {"api_base": address} if driver == "litellm" else {"base_url": address}
    return {
        "plugins": ["trivial", "islands", "operators"],
        "llm": {"driver": driver, "model": model, "concurrency": concurrency, **where},
        "budget": {"trials": trials},
    }


def work(driver: str, address: str, trials: int, concurrency: int, folder: Path) -> dict[str, Any]:
    sys.path.insert(0, str(LAB))
    from clock import timed

    from evograft.config.loading import pipeline_from
    from evograft.session.start import start_run

    pipeline = pipeline_from(pipeline_data(driver, address, trials, concurrency), source="benchmark")
    return timed(start_run(pipeline, runs=folder.parent, folder=folder), trials)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        driver, address, trials, concurrency, folder = sys.argv[2:]
        print(json.dumps(work(driver, address, int(trials), int(concurrency), Path(folder))))
    else:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("--driver", action="append", help="only this one; repeatable")
        parser.add_argument("--trials", type=int, default=2000)
        parser.add_argument("--repeats", type=int, default=3)
        options = parser.parse_args()
        main(options.driver or ["openai", "litellm"], trials=options.trials, repeats=options.repeats)
