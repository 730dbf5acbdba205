"""What a log in PostgreSQL costs next to one in a folder: python plugins/postgres/benchmarks/bench_log.py [URL].

Without an address a server of its own is started, as the tests do. CPU is that of this process.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "plugins/postgres/tests/helpers"), str(ROOT / "core/benchmarks/site")]

TRIALS = 50_000
APPENDS = 3000
BODY = '{"first": "line"}\n' + '{"candidate": "' + "x = x * 1.0001 + y\\n" * 50 + '"}'


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="evo-bench-") as name, server(Path(name)) as url:
        Path(name).chmod(0o755)
        for durable in (False, True):
            report_appends(Path(name), url, durable=durable)
        report_resume(Path(name), url)


@contextmanager
def server(folder: Path) -> Iterator[str]:
    if len(sys.argv) > 1:
        yield sys.argv[1]
        return
    from private_server import SETTINGS, PrivateServer, find_programs

    programs = find_programs()
    if programs is None:
        sys.exit("install postgresql, or name a database: bench_log.py postgresql://HOST/DATABASE")
    folder.chmod(0o755)
    own = PrivateServer(programs, folder / "server")
    # As servers are that people use: a commit that is waited for is on the disk.
    SETTINGS.update({"fsync": "on", "full_page_writes": "on", "shared_buffers": "128MB"})
    own.make()
    own.start()
    own.sql("CREATE DATABASE runs")
    try:
        yield own.url("runs")
    finally:
        own.stop()


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def report_appends(folder: Path, url: str, *, durable: bool) -> None:
    from evograft.store.sqlite import SqliteStore
    from evograft_hookspecs import NoOptions
    from evograft_hookspecs.drivers.shared_store import SHARED_FILE, SharedPlace
    from evograft_hookspecs.drivers.store import NewRow
    from evograft_postgres.options import PostgresOptions
    from evograft_postgres.store import PostgresStore

    run = f"appends{durable}"
    header = NewRow(kind="header", key=run, body=f'{{"id": "{run}", "name": "b", "seed": 0}}')
    for store in (SqliteStore(NoOptions()), PostgresStore(PostgresOptions(url=url))):
        place = folder / f"{type(store).__name__}-{durable}"
        place.mkdir()
        (place / SHARED_FILE).write_text(SharedPlace(driver="postgres", run=run).model_dump_json())
        store.create(place, [header])
        store.open(place, durable=durable)

        def write(store: Any = store) -> None:
            for number in range(APPENDS):
                store.append([NewRow(kind="trial", key=str(number), body=f"{BODY}{number}")])

        with closing(store):
            wall, cpu = timed(write)
        print(
            f"{type(store).__name__}, durable {durable}: {cpu / APPENDS * 1e6:.0f} µs CPU, "
            f"{wall / APPENDS * 1e6:.0f} µs wall a row",
            flush=True,
        )


def report_resume(folder: Path, url: str) -> None:
    from evograft.config.loading import pipeline_from
    from evograft.runs.copy import copy_run
    from evograft.runs.index import open_run
    from evograft.session.session import open_session
    from evograft.session.start import start_run

    pipeline = pipeline_from({"plugins": ["instant"], "budget": {"trials": TRIALS}}, source="benchmark")
    with open_session(start_run(pipeline, runs=folder, folder=folder / "run")) as kernel:
        kernel.run()
    wall, cpu = timed(lambda: copy_run(folder / "run", url))
    print(f"copy of {TRIALS:,} trials: {wall:.1f} s wall, {cpu:.1f} s CPU", flush=True)
    for name, path in (("SQLite", folder / "run"), ("PostgreSQL", copy_run(folder / "run", url).folder)):

        def resume(path: Path = path) -> None:
            with open_session(open_run(path), overrides=[f"budget.trials={TRIALS + 1}"]) as kernel:
                kernel.run()

        wall, cpu = timed(resume)
        print(f"{name}: resumed, one trial more, in {wall:.1f} s wall, {cpu:.1f} s CPU", flush=True)


if __name__ == "__main__":
    main()
