"""Makes the archives next to it: `python make.py`, where a version of evograft is installed that speaks contract 1."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
COMMAND = [sys.executable, "-m", "evograft"]

FORMULAS: dict[str, Any] = {
    "name": "formulas",
    "plugins": [
        {
            "name": "graph_invariant",
            "with": {
                "train": 10,
                "validation": 25,
                "baselines": [],
                "master_seed": 1,
                "level": "degrees",
                "explore": {"slice": 2000},
            },
        },
        "islands",
        "operators",
    ],
    "budget": {"trials": 20},
    "generation_size": 4,
    "executor": {"workers": 1},
    "window": 2,
}
CONTEST: dict[str, Any] = {
    "name": "contest",
    "plugins": [
        {"name": "ahc", "with": {"contest": "practice001", "training_cases": 30, "held_out_cases": 4}},
        {"name": "islands", "with": {"elites": 8, "when_empty": "borrow", "bar": "parent"}},
        "operators",
    ],
    "operators": {"ahc.pace": 0},
    "budget": {"trials": 10},
    "executor": {"workers": 1},
    "window": 2,
}
FORMULAS_BY_MODEL = (
    "This is not a program.",
    *(
        f"```python\ndef new_invariant(G):\n    n = G.number_of_nodes()\n    m = G.number_of_edges()\n    return {body}\n```"
        for body in (
            "math.log(n) / math.log(2 * m / n)",
            "n * (n - 1) / (2 * m)",
            "math.sqrt(n) + n / m",
            "math.log(n) * n / m",
            "n ** 3 / m ** 2",
            "math.log(n + m)",
        )
    ),
)


class Model:
    """A server of OpenAI's protocol that gives its answers in turn, and after `most` of them none."""

    def __init__(self, *, most: int | None = None) -> None:
        self.asked = 0
        self._most = most
        self._lock = threading.Lock()
        self._over = threading.Event()
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                body = model.next_answer()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def next_answer(self) -> bytes:
        with self._lock:
            number = self.asked
            self.asked += 1
        if self._most is not None and number >= self._most:
            self._over.wait()
        message = {"role": "assistant", "content": FORMULAS_BY_MODEL[number % len(FORMULAS_BY_MODEL)]}
        usage = {"prompt_tokens": 400, "completion_tokens": 100, "total_tokens": 500}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return json.dumps({"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage}).encode()


def answered(url: str) -> dict[str, Any]:
    """The pipeline of a run whose candidates are a model's, of that server."""
    price = {"prompt": 0.5, "completion": 2.0}
    model = {"driver": "openai", "base_url": url, "models": [{"name": "stub", "price": price}], "concurrency": 1}
    problem, *_ = FORMULAS["plugins"]
    return {
        **FORMULAS,
        "name": "answers",
        "plugins": [problem, "islands", {"name": "operators", "with": {"share": 1.0}}],
        "operators": {"graph_invariant.explore": 0, "graph_invariant.fit": 0},
        "llm": model,
        "repairs": 2,
        "budget": {"trials": 16},
    }


class Runs:
    """Runs in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._environment = {
            **os.environ,
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "OPENAI_API_KEY": "sk-test-0123456789abcdef",
        }

    def evo(self, *words: str | Path) -> None:
        subprocess.run([*COMMAND, *map(str, words)], cwd=self._folder, env=self._environment, check=True)

    def file(self, pipeline: dict[str, Any]) -> Path:
        path = self._folder / f"{pipeline['name']}.json"
        path.write_text(json.dumps(pipeline))
        return path

    def path(self, name: str) -> Path:
        return self._folder / name

    @contextmanager
    def started(self, *words: str | Path) -> Iterator[subprocess.Popen[bytes]]:
        """A process that is killed in the end, if it has not ended."""
        process = subprocess.Popen(
            [*COMMAND, *map(str, words)], cwd=self._folder, env=self._environment, start_new_session=True
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def trials_in(run: Path) -> int:
    if not (run / "log.sqlite").exists():
        return 0
    with closing(sqlite3.connect(f"file:{run / 'log.sqlite'}?mode=ro", uri=True)) as log:
        try:
            return int(log.execute("SELECT count(*) FROM rows WHERE kind = 'trial'").fetchone()[0])
        except sqlite3.OperationalError:  # its table is about to be made
            return 0


def wait_for(process: subprocess.Popen[bytes], happened: Callable[[], bool]) -> None:
    while not happened():
        if process.poll() is not None:
            raise SystemExit(f"the run ended too early, with exit code {process.returncode}")
        time.sleep(0.01)


def pack(run: Path) -> None:
    """All files of the run as they are, without what would differ from machine to machine."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for file in sorted(path for path in run.rglob("*") if path.is_file()):
            content = file.read_bytes()
            entry = tarfile.TarInfo(str(file.relative_to(run)))
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    (HERE / f"{run.name}.tar.gz").write_bytes(gzip.compress(packed.getvalue(), mtime=0))


def make_whole(runs: Runs, pipeline: dict[str, Any]) -> None:
    path = runs.path(pipeline["name"])
    runs.evo_apart("run", runs.file(pipeline), "--run-dir", path)
    pack(path)


def make_killed(runs: Runs, pipeline: dict[str, Any], *, after: int) -> None:
    path = runs.path(f"{pipeline['name']}-killed")
    with runs.started("run", runs.file(pipeline), "--run-dir", path) as process:
        wait_for(process, lambda: trials_in(path) >= after)
    pack(path)


def make_stopped(runs: Runs) -> None:
    path = runs.path("formulas-stopped")
    with runs.started("run", runs.file(FORMULAS), "--run-dir", path) as process:
        wait_for(process, lambda: trials_in(path) >= 1)
        runs.evo_apart("tell", path, "try degrees")
        runs.evo_apart("stop", path)
        process.wait()
    first = trials_in(path)
    with runs.started("resume", path, "--set", "window=3") as process:
        wait_for(process, lambda: trials_in(path) > first)
    pack(path)


def make_answered(runs: Runs) -> None:
    make_whole(runs, answered(Model().url))
    model, path = Model(most=4), runs.path("answers-killed")
    with runs.started("run", runs.file(answered(model.url)), "--run-dir", path) as process:
        wait_for(process, lambda: model.asked > 4)
        time.sleep(1)
    pack(path)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(Path(folder))
        make_whole(runs, FORMULAS)
        make_killed(runs, FORMULAS, after=12)
        make_stopped(runs)
        make_whole(runs, CONTEST)
        make_killed(runs, CONTEST, after=5)
        make_answered(runs)


if __name__ == "__main__":
    main()
