"""Makes `run.tar.gz` again from `answers/`: `python tests/recorded/rerecord.py`, where evograft is installed.

The answers are given in the order of their names, each when the one before it has had its effect.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

HERE = Path(__file__).parent
KEPT = ("pipeline.lock.yaml", "log.sqlite", "log.head", "artifacts.sqlite")
JAPANESE_AFTER = 17
"""So many trials are committed when the prompts' language changes."""
COMMAND = [sys.executable, "-m", "evograft"]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Recording(Path(folder)) as recording:
        recording.start("run", "pipeline.yaml", "--run-dir", recording.run)
        for answer in sorted((HERE / "answers").glob("*.txt")):
            if not recording.changed and recording.committed() == JAPANESE_AFTER:
                recording.change("plugins.operators.with.prompts=prompts/ja")
            recording.give(answer)
        recording.end()
        pack(recording.run)


class Recording:
    """A run that is answered from files."""

    def __init__(self, folder: Path) -> None:
        self.run = folder / "run"
        self.changed = False
        path = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))
        self._environment = {**os.environ, "PYTHONPATH": path, "XDG_STATE_HOME": str(folder)}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def start(self, *arguments: str | Path) -> None:
        command = [*COMMAND, *map(str, arguments)]
        self._process = subprocess.Popen(command, cwd=HERE, env=self._environment)

    def change(self, setting: str) -> None:
        """Goes on with another setting."""
        self.changed = True
        self.evo("stop", self.run)
        assert self._process is not None
        self._process.wait()
        self.start("resume", self.run, "--set", setting)

    def give(self, answer: Path) -> None:
        """Answers the prompt of the trial that the file is named after, and waits for what becomes of it."""
        trial = int(answer.stem.rpartition("-")[2])
        before = self.committed()
        self._wait_for(lambda: self._is_taken(trial, answer))
        self._wait_for(lambda: self.committed() > before or self.waiting(trial))

    def end(self) -> None:
        assert self._process is not None
        if self._process.wait():
            raise SystemExit(f"the run ended with exit code {self._process.returncode}")

    def waiting(self, trial: int) -> list[str]:
        """The names of a trial's prompts that have no answer."""
        if not self._is_there():
            return []
        names = [prompt["name"] for prompt in json.loads(self.evo("answer", self.run, "--json"))]
        return [name for name in names if name.startswith(f"{trial:05}-")]

    def committed(self) -> int:
        return int(json.loads(self.evo("status", self.run, "--json"))["trials"]) if self._is_there() else 0

    def evo(self, *arguments: str | Path, check: bool = True) -> str:
        """The output of a command; empty if it failed."""
        command = [*COMMAND, *map(str, arguments)]
        done = subprocess.run(command, cwd=HERE, env=self._environment, text=True, stdout=subprocess.PIPE, check=check)
        return "" if done.returncode else done.stdout

    def _is_taken(self, trial: int, answer: Path) -> bool:
        # A run that goes on writes its prompts anew: one that was listed may be gone for a moment.
        return any(self.evo("answer", self.run, name, "--file", answer, check=False) for name in self.waiting(trial))

    def _is_there(self) -> bool:
        return (self.run / "pipeline.lock.yaml").exists()

    def _wait_for(self, happened: Callable[[], object]) -> None:
        while not happened():
            if self._process is not None and self._process.poll() is not None:
                self.end()
                return
            time.sleep(0.2)


def pack(run: Path) -> None:
    """Files of the run without anything that would differ from machine to machine."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name in KEPT:
            content = (run / name).read_bytes()
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    (HERE / "run.tar.gz").write_bytes(gzip.compress(packed.getvalue(), mtime=0))


if __name__ == "__main__":
    main()
