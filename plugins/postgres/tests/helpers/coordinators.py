"""Processes that work on runs in a database, held at a trial until a test lets them go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

TRIALS = 60
HELD_AT = 30
MOST_SECONDS = 240.0
"""For what takes a second on an idle machine."""


class Coordinator:
    """`evo run` or `evo resume` in a process of its own, with a state of its own, as on a machine of its own."""

    def __init__(self, runs: Any, machine: Path, *arguments: object) -> None:
        machine.mkdir(exist_ok=True)
        self.output = machine / "output.txt"
        with self.output.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "evograft", *map(str, arguments)],
                cwd=runs.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, "XDG_STATE_HOME": str(machine / "state")},
            )

        runs.started.append(self.process)

    def wait(self) -> int:
        return self.process.wait(MOST_SECONDS)

    @property
    def said(self) -> str:
        return self.output.read_text()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class HeldRun:
    """A run that waits at a trial for a file.

    Args:
        runs: the lab.
        folder: for what belongs to this run.
        url: of the database.
        settings: of the pipeline.
    """

    def __init__(self, runs: Any, folder: Path, url: str, **settings: Any) -> None:
        self.runs, self.folder, self.url = runs, folder, url
        folder.mkdir(exist_ok=True)
        with_ = {"held_at": [HELD_AT], "held_until": str(folder / "go")}
        store = {"driver": "postgres", "url": url, "patience": settings.pop("patience", 120)}
        self.pipeline = runs.write("held.json", trials=TRIALS, with_=with_, store=store, **settings)
        self.path = folder / "held"

    def start(self) -> Coordinator:
        return Coordinator(self.runs, self.folder / "first", "run", self.pipeline, "--run-dir", self.path)

    def resume(self, machine: str = "second", url: str | None = None) -> Coordinator:
        return Coordinator(self.runs, self.folder / machine, "resume", f"{url or self.url}#held")

    def let_go(self) -> None:
        (self.folder / "go").touch()


def wait_until(is_so: Any, *processes: Coordinator) -> None:
    end = time.monotonic() + MOST_SECONDS
    while not is_so():
        for each in processes:
            assert each.process.poll() is None, each.said
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)
