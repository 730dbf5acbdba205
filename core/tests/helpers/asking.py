"""What tests of models share: runs of the plugin `asker`, and answers that are a pure function of the prompt."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import subprocess
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from fault_server import FaultServer, Reply, Seen, answer
from in_process import evo

from evograft.log.records import CompletedCall
from evograft.runs.reader import open_journal

KEY = "sk-test-0123456789abcdef"

_UNDISTURBED: dict[str, list[dict[str, Any]]] = {}


def climb(seen: Seen) -> Reply:
    """A number near the one that the prompt starts with."""
    start, is_question, _ = seen.prompt.partition(" | ")
    step = hashlib.sha256(seen.prompt.encode()).digest()[0] / 32 - 2
    return answer(f"{float(start) + step:.3f}" if is_question else "Get to 30, they say.")


class Gathering:
    """An answerer whose requests wait until so many are there, so that the server holds them at the same time."""

    def __init__(self, parties: int, then: Callable[[Seen], Reply] = climb) -> None:
        self.most = 0
        self._then = then
        self._barrier = threading.Barrier(parties, timeout=120)
        self._present = 0
        self._guard = threading.Lock()

    def __call__(self, seen: Seen) -> Reply:
        with self._guard:
            self._present += 1
            self.most = max(self.most, self._present)
        self._barrier.wait()
        with self._guard:
            self._present -= 1
        return self._then(seen)


class Awaited:
    """An answerer that lets a test wait until so many further requests are there."""

    def __init__(self, then: Callable[[Seen], Reply] = climb) -> None:
        self._then = then
        self._arrived = threading.Semaphore(0)

    def __call__(self, seen: Seen) -> Reply:
        self._arrived.release()
        return self._then(seen)

    def wait_for(self, requests: int) -> None:
        for _ in range(requests):
            assert self._arrived.acquire(timeout=60), "the request never came"


class Hanging(Awaited):
    """An answerer that answers only when the test is over."""

    def __init__(self) -> None:
        self.over = threading.Event()
        super().__init__(self._hang)

    def _hang(self, seen: Seen) -> Reply:
        self.over.wait()
        return climb(seen)


class Asking:
    """Runs of `asker`: in this process through the kernel, or as `evo` in a process of its own."""

    def __init__(self, runs: Any, server: FaultServer) -> None:
        self._runs = runs
        self.folder: Path = runs.folder
        self.server = server
        self.trials = runs.trials
        self.texts = runs.texts
        self.resume = runs.resume
        self.evo = evo
        self.evo_process = runs.evo_apart

    def pipeline(
        self,
        *,
        trials: int = 30,
        with_: dict[str, Any] | None = None,
        llm: dict[str, Any] | None = None,
        **settings: Any,
    ) -> dict[str, Any]:
        usual = {"driver": "openai", "base_url": self.server.base_url, "backoff": 0.01, "concurrency": 4}
        named = {} if llm and "models" in llm else {"model": "m"}
        return {
            "name": "asker",
            "plugins": [{"name": "asker", "with": with_ or {}}, *settings.pop("more", [])],
            "llm": {**usual, **named, **(llm or {})},
            "budget": {"trials": trials, **settings.pop("budget", {})},
            "order": "trial",
            **settings,
        }

    def write(self, name: str = "pipeline.json", **settings: Any) -> Path:
        path = self.folder / name
        path.write_text(json.dumps(self.pipeline(**settings)))
        return path

    def begin(self, name: str, **settings: Any) -> Path:
        """The folder of a run that has not started."""
        from evograft.config.loading import pipeline_from
        from evograft.session.start import start_run

        pipeline = pipeline_from(self.pipeline(**settings), source="test")
        return start_run(pipeline, runs=self.folder, folder=self.folder / name).path

    def run(self, name: str, **settings: Any) -> Path:
        """A run from its beginning to its stop; returns its folder."""
        path = self.begin(name, **settings)
        self.resume(path)
        return path

    def undisturbed(self, **settings: Any) -> list[dict[str, Any]]:
        """The trials of a run that nothing happens to; made once for all tests that compare with it."""
        key = json.dumps(settings, sort_keys=True)
        if key not in _UNDISTURBED:
            with FaultServer() as server:
                server.usual = climb
                own = {**settings, "llm": {**settings.get("llm", {}), "base_url": server.base_url}}
                _UNDISTURBED[key] = self.trials(self.run("undisturbed", **own))
        return _UNDISTURBED[key]

    def replay(self, source: Path, name: str) -> Path:
        """The folder of a run that repeats another one; it has not started."""
        from evograft.runs.index import open_run
        from evograft.session.start import repeat_run

        return repeat_run(open_run(source), runs=self.folder, folder=self.folder / name).path

    def rows(self, path: Path) -> int:
        """How many rows the log of a run has."""
        with closing(sqlite3.connect(path / "log.sqlite")) as db:
            return int(db.execute("SELECT count(*) FROM rows").fetchone()[0])

    def cut(self, path: Path, name: str, *, after: int) -> Path:
        """A copy of a run as it was when its process was killed right after a row."""
        copy = self.folder / name
        shutil.copytree(path, copy)
        with closing(sqlite3.connect(copy / "log.sqlite")) as db, db:
            db.execute("DELETE FROM rows WHERE seq > ?", (after,))
        (copy / "log.head").unlink()
        return copy

    def start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        """`evo` as a process group of its own, which may be killed and does not outlive the test."""
        return self.start_python("-m", "evograft", *arguments)

    def start_python(self, *arguments: str | Path) -> subprocess.Popen[str]:
        process: subprocess.Popen[str] = self._runs.start(*arguments)
        return process

    def kill(self, process: subprocess.Popen[str]) -> None:
        """Kills the process with its group, if it still lives."""
        self._runs.kill(process)

    def answers(self, path: Path) -> list[CompletedCall]:
        """The calls in the log of a run."""
        with open_journal(path) as journal:
            return [record for record in journal.records() if isinstance(record, CompletedCall)]

    def unlogged(self, path: Path) -> int:
        """How many requests the server has had beyond those that the log of the run counts.

        Every call is in the log once, and every request in the log has been at the server.
        """
        keys = Counter(each.key for each in self.answers(path))
        assert set(keys.values()) <= {1}, "a logged answer was asked for again"
        logged: Counter[str] = Counter()
        with open_journal(path) as journal:
            for seq, _ in journal.places("answer"):
                logged[journal.exchange(seq)[0].messages[-1].content] += 1
        # Of a request that was cut off by a kill only the head may have come.
        seen = Counter(each.prompt for each in self.server.asked() if each.body)
        assert logged <= seen, "the log holds answers that the server never gave"
        return seen.total() - logged.total()
