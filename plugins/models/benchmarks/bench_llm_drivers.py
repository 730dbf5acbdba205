"""What a call costs in a driver itself: python core/benchmarks/bench_llm_drivers.py.

CPU is user and system time of the process that asks; a stub in a process of its own answers at once, with 0.5 to 8 kB.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DRIVERS = ("openai", "litellm")
REPEATS = 3
PROMPT = "Improve this program.\n\n" + "x = solve(x, y, z)\n" * 200


def main(calls: int) -> None:
    for driver in DRIVERS:
        runs = [measured(driver, calls) for _ in range(REPEATS)]
        one, eight, opened = (statistics.median(run[name] for run in runs) for name in ("one", "eight", "open"))
        print(
            f"{driver}: {one:.2f} ms CPU a call by one thread, {eight:.2f} by eight; {opened:.2f} s CPU to open",
            flush=True,
        )


def measured(driver: str, calls: int) -> dict[str, float]:
    with stub() as address:
        command = [sys.executable, __file__, "--driver", driver, "--address", address, "--calls", str(calls)]
        environment = {**os.environ, "OPENAI_API_KEY": "any-will-do"}
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


@contextmanager
def stub() -> Iterator[str]:
    command = [sys.executable, str(HERE.parents[2] / "core" / "benchmarks" / "stub_server.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.kill()


def work(name: str, address: str, calls: int) -> dict[str, float]:
    from evograft.config.pipeline import DriverSection
    from evograft.plugin.loading import load_driver
    from evograft_hookspecs import LlmCall, LlmRequest, Message

    where = {"api_base": address} if name == "litellm" else {"base_url": address}
    driver: Any = load_driver("llm", DriverSection.model_validate({"driver": name, **where}))
    begun = time.process_time()
    driver.open(Path())
    opened = time.process_time() - begun
    model = "openai/stub" if name == "litellm" else "stub"
    request = LlmRequest(messages=(Message(role="user", content=PROMPT),), max_tokens=2000, model=model)
    call = LlmCall(request=request, key="0/mutate/bench/0:0:0", trial=0)
    one, eight = (cpu(driver, call, calls, threads=threads) for threads in (1, 8))
    driver.close()
    return {"open": opened, "one": one, "eight": eight}


def cpu(driver: Any, call: Any, calls: int, *, threads: int) -> float:
    """Milliseconds a call, the first ones left out."""

    def ask(_: int) -> None:
        driver.complete(call, timeout=30.0)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(ask, range(calls // 10)))
        begun = time.process_time()
        list(pool.map(ask, range(calls)))
        return (time.process_time() - begun) / calls * 1000


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--driver")
    parser.add_argument("--address", default="")
    arguments = parser.parse_args()
    if arguments.driver:
        print(json.dumps(work(arguments.driver, arguments.address, arguments.calls)))
    else:
        main(arguments.calls)
