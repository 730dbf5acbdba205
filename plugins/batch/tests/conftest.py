"""Batches of runs of the lab plugin."""

from __future__ import annotations

import csv
import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from python_process import PythonProcess

WORKERS = {"driver": "threads", "workers": 2}


class Batches:
    """Batch files, and `evo batch` in a process of its own."""

    def __init__(self, runs: Any) -> None:
        self.runs = runs
        self.home: Path = runs.folder
        self.folder: Path = runs.folder / "batch"
        self._started: list[subprocess.Popen[str]] = []

    def write(self, *, trials: int = 40, with_: dict[str, Any] | None = None, **content: Any) -> Path:
        """A batch file; JSON is YAML."""
        pipeline = self.runs.pipeline(trials=trials, with_=with_, executor=WORKERS)
        path = self.home / "batch.json"
        path.write_text(json.dumps({"pipeline": pipeline, **content}))
        return path

    def begin(self, *arguments: Any, **content: Any) -> subprocess.CompletedProcess[str]:
        return self.runs.evo("batch", self.write(**content), "--run-dir", self.folder, *arguments)

    def go_on(self, *arguments: Any) -> subprocess.CompletedProcess[str]:
        return self.runs.evo("batch", "--resume", self.folder, *arguments)

    def start(self, *arguments: Any) -> subprocess.Popen[str]:
        """`evo batch` in the background, its standard error to be read line by line."""
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
        process = PythonProcess("-m", "evograft", "batch", *arguments, cwd=self.home, start_new_session=True, **pipes)
        self._started.append(process)
        return process

    def close(self) -> None:
        """Ends what a test that failed has left."""
        for process in self._started:
            process.kill()
            process.communicate()

    def rows(self) -> list[dict[str, str]]:
        with (self.folder / "results.csv").open(newline="") as file:
            return list(csv.DictReader(file))

    def trials(self, name: str) -> list[dict[str, Any]]:
        """The committed trials of a run of the batch."""
        found: list[dict[str, Any]] = self.runs.trials(self.folder / "runs" / name)
        return found

    def undisturbed(self, **settings: Any) -> list[dict[str, Any]]:
        """The trials of a run that is none of a batch."""
        name = f"alone-{time.monotonic_ns()}"
        found: list[dict[str, Any]] = self.runs.trials(self.runs.run(name, executor=WORKERS, **settings))
        return found


@pytest.fixture
def batches(runs: Any) -> Iterator[Batches]:
    made = Batches(runs)
    yield made
    made.close()
