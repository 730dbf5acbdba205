"""A run of the driver `manual` that is answered from files, and the archive that is made of it."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

KEPT = ("pipeline.lock.yaml", "log.sqlite", "log.head", "artifacts.sqlite")
COMMAND = [sys.executable, "-m", "evograft"]


class Recording:
    """A run that is answered from files.

    Args:
        folder: where it is made.
        home: the folder of its pipeline, where modules of its own are looked for.
    """

    def __init__(self, folder: Path, home: Path) -> None:
        self.run = folder / "run"
        self.changed = False
        self._home = home
        path = os.pathsep.join(filter(None, (str(home), os.environ.get("PYTHONPATH"))))
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
        self._process = subprocess.Popen(command, cwd=self._home, env=self._environment)

    def change(self, setting: str) -> None:
        """Goes on with another setting."""
        self.changed = True
        self.evo("stop", self.run)
        assert self._process is not None
        self._process.wait()
        self.start("resume", self.run, "--set", setting)

    def give(self, answer: Path) -> None:
        """Answers the prompt that the file is named after, `13-trial-11` or `01-start`, and waits for what becomes of it."""
        place = answer.stem.rpartition("-")[2]
        prefix = f"{int(place):05}-" if place.isdigit() else f"{place}-"
        before = self.committed()
        self._wait_for(lambda: self._is_taken(prefix, answer))
        self._wait_for(lambda: self.committed() > before or self.waiting(prefix))

    def end(self) -> None:
        assert self._process is not None
        if self._process.wait():
            raise SystemExit(f"the run ended with exit code {self._process.returncode}")

    def waiting(self, prefix: str) -> list[str]:
        """The names that begin so, of prompts that have no answer."""
        if not self._is_there():
            return []
        names = [prompt["name"] for prompt in json.loads(self.evo("answer", self.run, "--json"))]
        return [name for name in names if name.startswith(prefix)]

    def committed(self) -> int:
        return int(json.loads(self.evo("status", self.run, "--json"))["trials"]) if self._is_there() else 0

    def evo(self, *arguments: str | Path, check: bool = True) -> str:
        """The output of a command; empty if it failed."""
        command = [*COMMAND, *map(str, arguments)]
        done = subprocess.run(
            command, cwd=self._home, env=self._environment, text=True, stdout=subprocess.PIPE, check=check
        )
        return "" if done.returncode else done.stdout

    def _is_taken(self, prefix: str, answer: Path) -> bool:
        # A run that goes on writes its prompts anew: one that was listed may be gone for a moment.
        return any(self.evo("answer", self.run, name, "--file", answer, check=False) for name in self.waiting(prefix))

    def _is_there(self) -> bool:
        return (self.run / "pipeline.lock.yaml").exists()

    def _wait_for(self, happened: Callable[[], object]) -> None:
        while not happened():
            if self._process is not None and self._process.poll() is not None:
                self.end()
                return
            time.sleep(0.2)


def pack(run: Path, archive: Path, kept: Sequence[str] = KEPT) -> None:
    """Files of the run without anything that would differ from machine to machine."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name in kept:
            content = (run / name).read_bytes()
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    archive.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
