"""The driver `command`: each question is one run of a program."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from pathlib import Path

from evograft.text.escapes import one_line
from evograft_hookspecs import LlmAnswer, LlmCall, LlmRefused, LlmRetryable, LlmUnavailable, Price
from evograft_models.command.answer import read_answer
from evograft_models.command.options import CommandOptions
from evograft_models.command.process import CommandProcess, ProcessResult
from evograft_models.command.programs import ANSWER_FILE, MODEL, PROMPT, PROMPT_FILE, AnsweringProgram

USUAL_ENVIRONMENT = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SHELL"),
    *("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
)
"""Variables without which a program does not find its settings or the network. None of them holds a key."""
MEGABYTE = 1_000_000


class CommandLlm:
    """Asks programs that print an answer. What goes wrong with one costs that question, and ends nothing else."""

    Options = CommandOptions
    available = True
    patient = False
    default_model = "command"

    def __init__(self, options: CommandOptions) -> None:
        self.options = options
        self._running: set[CommandProcess] = set()
        self._guard = threading.Lock()
        self._closed = False

    def price(self, model: str) -> Price | None:  # noqa: ARG002 - the protocol's
        """Return nothing: programs say what a call has cost, or nobody knows."""
        return None

    def open(self, folder: Path) -> None:  # noqa: ARG002 - the protocol's
        if self.options.command:
            self._require(self.options.command[0])
        for name in self.options.pass_env:
            if name not in os.environ:
                raise LlmUnavailable(f"llm.pass_env: the environment variable {name} is not set")

    def require_model(self, model: str) -> None:
        """Check that the program of a model is installed."""
        program, _ = self._find(model)
        self._require(program.command[0])

    def complete(self, call: LlmCall, *, timeout: float) -> LlmAnswer:
        program, own = self._find(call.request.model)
        with tempfile.TemporaryDirectory(prefix="evograft-command-", ignore_cleanup_errors=True) as folder:
            work = Path(folder, "work")
            work.mkdir()
            prompt = "\n\n".join(message.content for message in call.request.messages)
            values = {
                PROMPT: prompt,
                PROMPT_FILE: f"{folder}/prompt.md",
                ANSWER_FILE: f"{folder}/answer.md",
                MODEL: own,
            }
            if program.has(PROMPT_FILE):
                Path(values[PROMPT_FILE]).write_text(prompt)
            by_argument = program.has(PROMPT) or program.has(PROMPT_FILE)
            text = b"" if by_argument else prompt.encode()
            result = self._run(program.arguments(values, with_model=bool(own)), text, work, timeout)
            written = self._read_file(Path(values[ANSWER_FILE])) if program.has(ANSWER_FILE) else None
        name = Path(program.command[0]).name
        return read_answer(result, program.output, model=call.request.model, who=name, written=written)

    def close(self) -> None:
        with self._guard:
            self._closed = True
            running = tuple(self._running)
        for process in running:
            process.end()

    def _find(self, model: str) -> tuple[AnsweringProgram, str]:
        try:
            return self.options.find_program(model)
        except ValueError as err:
            raise LlmUnavailable(str(err)) from None

    def _require(self, program: str) -> None:
        if shutil.which(program) is None:
            raise LlmUnavailable(f"there is no program {program!r}: install it, or set llm.command")

    def _run(self, arguments: list[str], text: bytes, folder: Path, timeout: float) -> ProcessResult:
        process = self._start(arguments, folder)
        try:
            result = process.run(text, seconds=timeout, most_bytes=int(self.options.output_mb * MEGABYTE))
        finally:
            with self._guard:
                self._running.discard(process)
        if self._closed:
            # Ended from here: the question is asked again when the run resumes.
            raise LlmRetryable("the driver was closed", usage=None)
        return result

    def _start(self, arguments: list[str], folder: Path) -> CommandProcess:
        names = (*USUAL_ENVIRONMENT, *self.options.pass_env)
        environment = {name: os.environ[name] for name in names if name in os.environ}
        with self._guard:
            if self._closed:
                raise LlmUnavailable("the driver is closed")
            try:
                process = CommandProcess(
                    arguments, folder=folder, environment={**environment, "NO_COLOR": "1", "TERM": "dumb"}
                )
            except (OSError, ValueError) as err:
                # Too long for an argument, a NUL in it: another prompt may do.
                raise LlmRefused(one_line(f"{Path(arguments[0]).name} cannot be run: {err}")) from None
            self._running.add(process)
            return process

    def _read_file(self, path: Path) -> str | None:
        """Return the start of the file that the answer is written to, as far as a program may print."""
        try:
            with path.open("rb") as file:
                return file.read(int(self.options.output_mb * MEGABYTE)).decode(errors="replace")
        except OSError:
            return None
