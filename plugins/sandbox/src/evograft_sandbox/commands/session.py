"""A session: requests to a runner that lives inside a sandbox, one at a time."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Mapping
from contextlib import ExitStack

from pydantic import TypeAdapter

from evograft_hookspecs import CommandResult, ForkServer, SandboxCommand, SandboxLayer, SandboxLost, SandboxUnavailable
from evograft_hookspecs.services.sandbox import SandboxPath
from evograft_sandbox.commands import runner_protocol
from evograft_sandbox.commands.runner_channel import RunnerChannel, RunnerStream

START_SECONDS = 60.0
SPARE_SECONDS = 60.0
"""Seconds that a request may take in addition to the wall time of its commands: far above what it does."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
ALONE, JOINED, LAUNCHED = 0, 1, 2
"""The runner's `enum pairing`."""
FOLDERS = ("candidate", "judge")
"""Where commands work, by their place in a request."""
PATHS: TypeAdapter[str] = TypeAdapter(SandboxPath)


class RunnerSession:
    """The one implementation of a session; the drivers differ in where they put the runner.

    Args:
        stream: to the runner.
        base: its folder, as it is called inside.
        resources: what is closed with the session.
        python: the interpreter that it offers; empty: none.

    Raises:
        SandboxUnavailable: the runner cannot work there.
    """

    def __init__(self, stream: RunnerStream, *, base: str, resources: ExitStack, python: str = "") -> None:
        self.python = python
        self._channel = RunnerChannel(stream)
        self._base = base
        self._turn = threading.Lock()
        self._end = weakref.finalize(self, _close_own, resources, os.getpid())
        try:
            self._ask(b"", seconds=START_SECONDS)
            self.layers: tuple[SandboxLayer, ...] = runner_protocol.read_layers(self._channel)
            """The layers that the runner found to work, and those that it did not."""
        except (OSError, SandboxLost) as err:
            self.close()
            raise SandboxUnavailable(str(err)) from err

    def write(self, files: Mapping[str, bytes]) -> None:
        for path, content in files.items():
            if not isinstance(content, bytes):
                raise TypeError(
                    f"{path!r} is to be written as bytes, not {type(content).__name__}: encode a text first"
                )
        with self._turn:
            for path, content in files.items():
                self._ask(b"w", _path(path), runner_protocol.field(content))

    def read(self, path: str) -> bytes:
        with self._turn:
            self._ask(b"r", _path(path), error=FileNotFoundError)
            return runner_protocol.read_field(self._channel)

    def remove(self, path: str) -> None:
        with self._turn:
            self._ask(b"d", _path(path), error=FileNotFoundError)

    def run(self, command: SandboxCommand) -> CommandResult:
        (result,) = self._run(ALONE, command)
        return result

    def run_interactive(
        self, program: SandboxCommand, interactor: SandboxCommand, *, spawned_by_interactor: bool = False
    ) -> tuple[CommandResult, CommandResult]:
        if not self.has_any("user", "landlock"):
            raise SandboxUnavailable(
                "nothing here keeps a candidate from its judge: it takes Landlock (Linux 5.13), or a sandbox of root"
            )
        of_program, of_interactor = self._run(LAUNCHED if spawned_by_interactor else JOINED, program, interactor)
        return of_program, of_interactor

    def has_any(self, *names: str) -> bool:
        return any(layer.active for layer in self.layers if layer.name in names)

    def close(self) -> None:
        self._end()

    def _run(self, pairing: int, *commands: SandboxCommand) -> list[CommandResult]:
        encoded = [
            runner_protocol.command(command, self._environment(command, folder))
            for command, folder in zip(commands, FOLDERS, strict=False)
        ]
        seconds = sum(command.limits.wall_seconds for command in commands) + SPARE_SECONDS
        asked = commands[0].fork_server if pairing == ALONE else None
        server = runner_protocol.fork_server(asked, self._environment(asked, FOLDERS[0]) if asked else {})
        seconds += asked.wall_seconds if asked else 0.0
        with self._turn:
            self._ask(b"x", runner_protocol.number(pairing), server, *encoded, seconds=seconds)
            return [runner_protocol.read_result(self._channel) for _ in commands]

    def _environment(self, asked: SandboxCommand | ForkServer, folder: str) -> dict[str, str]:
        own = f"{self._base}/{folder}"
        return {"PATH": PATH, "HOME": own, "TMPDIR": own, "LANG": "C.UTF-8", **asked.environment}

    def _ask(self, kind: bytes, *parts: bytes, seconds: float = SPARE_SECONDS, error: type[OSError] = OSError) -> None:
        """Send a request, and read whether it could be carried out: the rest of the answer is the caller's."""
        head = runner_protocol.number(kind[0]) if kind else b""
        self._channel.ask(head + b"".join(parts), seconds=seconds)
        if runner_protocol.read_number(self._channel):
            raise error(runner_protocol.read_field(self._channel).decode(errors="replace"))


def _close_own(resources: ExitStack, owner: int) -> None:
    """Close the session in the process that opened it: a forked copy of that process must not end it."""
    if os.getpid() == owner:
        resources.close()


def _path(path: str) -> bytes:
    return runner_protocol.text(PATHS.validate_python(path))
