"""Fixtures for every package's tests: a private home, a plugin to play with, and runs of it."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tarfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import chdir, closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from in_process import Done, evo
from python_process import PythonProcess, run_evo

from evograft.cpu_dispatch import portable_environment

# Before anything loads NumPy: tests that compute in this process have to pass whatever the caller's settings and CPU
# are.
_environment = portable_environment(os.environ)
os.environ.clear()
os.environ.update(_environment)
# Hundreds of processes are started, and two thirds of the time that `evo list` takes is the compilation of what it
# imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Elsewhere every run looks for new counterexamples; what CI says of a commit must not change from run to run.
# How long an example takes says how busy the machine is.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("patient", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "patient")

MOST_SKIPPED = 0.1
"""Of all tests, where `--skips-for` is given: a suite that skips more has tested too little to be green."""
LAB = Path(__file__).parent / "tests" / "lab"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--skips-for",
        metavar="WORDS",
        help="fail if a test is skipped for a reason in which none of these words is, separated by commas",
    )


@pytest.hookimpl(wrapper=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> Generator[None]:
    yield
    words = config.getoption("skips_for")
    if words is None:
        return
    session: pytest.Session = terminalreporter._session  # noqa: SLF001 - there is no other way to it
    skipped = [_reason_of(report) for report in terminalreporter.stats.get("skipped", ())]
    allowed = re.compile(rf"\b({'|'.join(map(re.escape, words.split(',')))})\b") if words else re.compile("(?!)")
    wrong = sorted({reason for reason in skipped if not allowed.search(reason)})
    if len(skipped) > MOST_SKIPPED * session.testscollected:
        wrong.append(f"{len(skipped)} tests are skipped, more than {MOST_SKIPPED:.0%}")
    for reason in wrong:
        terminalreporter.write_line(f"not to be skipped here: {reason}", red=True)
    if wrong:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _reason_of(report: Any) -> str:
    return str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr).removeprefix("Skipped: ")


@pytest.fixture(scope="session", autouse=True)
def unignored_signals() -> Iterator[None]:
    """Let signals that this process ignores, as under `nohup` or `&`, end what tests start.

    That a signal is ignored is inherited, a handler is not.
    """
    ignored = [
        number
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(number) is signal.SIG_IGN
    ]
    for number in ignored:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else lambda *_: None)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests: data sets are built once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def private_home(tmp_path_factory: pytest.TempPathFactory, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the user's settings, index of runs, or caches."""
    home = tmp_path_factory.mktemp("home")
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return home


@pytest.fixture
def unpacked(tmp_path: Path) -> Callable[[Path], Path]:
    """Return a function that unpacks a recorded run's archive and returns its folder."""

    def unpack(archive: Path) -> Path:
        with tarfile.open(archive) as tar:
            tar.extractall(tmp_path / "recorded", filter="data")
        return tmp_path / "recorded"

    return unpack


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Installs the plugins `lab` and `watcher` for this test, in this process and those it starts."""
    monkeypatch.syspath_prepend(str(LAB))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(LAB), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep))
    monkeypatch.delitem(sys.modules, "lab", raising=False)
    return LAB


def kill_group(process: subprocess.Popen[str]) -> None:
    """Kill a process with what it started; it may have ended by itself meanwhile."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


class Lab:
    """Runs of the lab plugin: in this process through the kernel, or as `evo` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.started: list[subprocess.Popen[str]] = []

    def pipeline(self, *, trials: int = 60, with_: dict[str, Any] | None = None, **settings: Any) -> dict[str, Any]:
        plugins = [{"name": "lab", "with": with_ or {}}, *settings.pop("more", [])]
        return {"name": "lab", "plugins": plugins, "budget": {"trials": trials}, **settings}

    def run(self, name: str, **settings: Any) -> Path:
        """Run from the beginning to the stop; return the folder."""
        from evograft.config.loading import pipeline_from
        from evograft.session.session import open_session
        from evograft.session.start import start_run

        pipeline = pipeline_from(self.pipeline(**settings), source="test")
        folder = start_run(pipeline, runs=self.folder, folder=self.folder / name)
        with open_session(folder) as kernel:
            kernel.run()
        return folder.path

    def resume(self, path: Path, *overrides: str) -> None:
        from evograft.runs.index import open_run
        from evograft.session.session import open_session

        with open_session(open_run(path), overrides=overrides) as kernel:
            kernel.run()

    def trials(self, path: Path) -> list[dict[str, Any]]:
        """Return the committed trials of a run by number, with everything that is compared."""
        from evograft.log.records import Finished
        from evograft.runs.reader import open_journal

        with open_journal(path) as journal:
            found = [record.trial for record in journal.records() if isinstance(record, Finished)]
        return [json.loads(trial.model_dump_json()) for trial in sorted(found, key=lambda trial: trial.number)]

    def texts(self, path: Path) -> str:
        """All that the log of a run says, its large texts included, however they are kept."""
        from evograft.store.sqlite import SqliteStore
        from evograft_hookspecs import NoOptions

        store = SqliteStore(NoOptions())
        store.open(path, durable=False, writable=False)
        rows = "\n".join(row.body for row in store.rows())
        store.close()
        if not (path / "artifacts.sqlite").exists():
            return rows
        with closing(sqlite3.connect(path / "artifacts.sqlite")) as db:
            return "\n".join(
                [rows, *(zlib.decompress(text).decode() for (text,) in db.execute("SELECT text FROM artifacts"))]
            )

    def write(self, name: str = "pipeline.json", **settings: Any) -> Path:
        """Write a pipeline file; JSON is YAML."""
        path = self.folder / name
        path.write_text(json.dumps(self.pipeline(**settings)))
        return path

    def evo(self, *arguments: str | Path, input: str = "") -> Done:  # noqa: A002 - as subprocess calls it
        """`evo` in this process, which has imported everything, in the test's folder."""
        with chdir(self.folder):
            return evo(*arguments, input=input)

    def evo_apart(
        self, *arguments: str | Path, timeout: float = 300, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        """`evo` in a process of its own, in the test's folder."""
        return run_evo(*arguments, cwd=self.folder, timeout=timeout, **options)

    def start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        """Start a Python process in a group of its own that is killed when the test ends, if not before."""
        pipes = {"text": True, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = PythonProcess(*arguments, cwd=self.folder, start_new_session=True, **pipes)
        self.started.append(process)
        return process

    def kill(self, process: subprocess.Popen[str]) -> str:
        """Kills a process with what it started; returns what it printed."""
        kill_group(process)
        return process.communicate()[0]

    def close(self) -> None:
        """End what a failed test has left; nobody reads its pipes to their end."""
        for process in self.started:
            kill_group(process)
            process.wait()
            for pipe in filter(None, (process.stdout, process.stderr)):
                pipe.close()


@pytest.fixture
def runs(lab: Path, tmp_path: Path) -> Iterator[Lab]:
    runs = Lab(tmp_path)
    yield runs
    runs.close()
