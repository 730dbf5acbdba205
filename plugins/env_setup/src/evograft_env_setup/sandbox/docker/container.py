"""One container in which commands run one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from threading import Timer
from typing import Any

from evograft_env_setup.sandbox.output import Output
from evograft_env_setup.sandbox.setup_sandbox import TIMED_OUT, CommandOutcome

LIFETIME = 24 * 3600
"""Seconds after which a container that nobody removed ends by itself."""
OWN_PROCESSES = 2
"""Of a container in which no command runs: the one that takes in the dead, and the one that lives."""
STDOUT = 1
ROOT_CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"]
"""For commands as root, such as apt-get. Ordinary users have none."""


class Container:
    """A container that lives until it is removed.

    Args:
        client: of the engine.
        image: its name or id.
        network: that it is attached to; `none`: never to any.
        limits: as the engine's library names them.
        labels: by which it is found again.
        volumes: folders inside, by the names of the volumes.
    """

    def __init__(
        self,
        client: Any,
        image: str,
        *,
        network: str,
        limits: Mapping[str, Any],
        labels: Mapping[str, str],
        volumes: Mapping[str, str],
    ) -> None:
        from docker.types import Mount

        self._client = client
        self._network = network
        self._attached = network != "none"
        self._container = client.containers.create(
            image,
            entrypoint=["sleep"],
            command=[str(LIFETIME)],
            init=True,
            user="0:0",
            network_mode=network,
            cap_drop=["ALL"],
            cap_add=ROOT_CAPABILITIES,
            security_opt=["no-new-privileges"],
            # By `volumes` the folders would become part of what is kept.
            mounts=[Mount(inside, volume) for volume, inside in volumes.items()],
            labels=dict(labels),
            **limits,
        )

    def start(self) -> None:
        self._container.start()

    def put(self, folder: str, archive: Any) -> None:
        """Unpack a tar archive into a folder."""
        self._container.put_archive(folder, archive)

    def attach(self, *, network: bool) -> None:
        """Attach the container to its network, or to none."""
        if self._network == "none" or network == self._attached:
            return
        place = self._client.networks.get(self._network)
        (place.connect if network else place.disconnect)(self._container)
        self._attached = network

    def execute(
        self,
        words: Sequence[str],
        *,
        timeout: float,
        user: str = "0:0",
        folder: str = "/",
        variables: Mapping[str, str] | None = None,
        on_output: Callable[[str], None] | None = None,
        on_error: Callable[[str], None] | None = None,
    ) -> CommandOutcome:
        """Run a command to its end or its time limit; none of its processes is left."""
        stdout, stderr = Output(), Output()
        api = self._client.api
        began = time.monotonic()
        execution = api.exec_create(
            self._container.id, list(words), user=user, workdir=folder, environment=dict(variables or {})
        )["Id"]
        overdue = _Alarm(timeout, self._end_processes)
        try:
            with closing(_stream_output(api, execution)) as pieces:
                for stream, piece in pieces:
                    output, tell = (stdout, on_output) if stream == STDOUT else (stderr, on_error or on_output)
                    output.add(piece)
                    if tell:
                        tell(piece.decode(errors="replace"))
        finally:
            overdue.cancel()
        exit_code = TIMED_OUT if overdue.has_rung else api.exec_inspect(execution)["ExitCode"]
        self._end_leftovers()
        return CommandOutcome(
            exit_code=exit_code, stdout=stdout.text(), stderr=stderr.text(), seconds=time.monotonic() - began
        )

    def keep(self, repository: str, tag: str, settings: Mapping[str, Any]) -> None:
        """Make an image of the container's files.

        Args:
            repository: of the image's name.
            tag: likewise.
            settings: of the image, as the engine names them; what they leave out is as it is here.
        """
        self._container.commit(repository, tag, conf=dict(settings))

    def remove(self) -> None:
        from docker.errors import NotFound

        try:
            self._container.remove(force=True)
        except NotFound:
            return

    def _end_leftovers(self) -> None:
        if len(self._container.top()["Processes"]) > OWN_PROCESSES:
            self._end_processes()

    def _end_processes(self) -> None:
        """End all processes, also those that hide from their parents: files stay."""
        self._container.restart(timeout=0)


def _stream_output(api: Any, execution: str) -> Generator[tuple[int, bytes]]:
    """Start a command, and yield what it prints with the number of the stream.

    The library's own way of doing so leaves the socket open.
    """
    from docker.utils.socket import frames_iter

    attached = api.exec_start(execution, socket=True)
    try:
        yield from frames_iter(attached, tty=False)
    finally:
        # What the library returns wraps the socket, but for TLS, in a file that can only be read.
        getattr(attached, "_sock", attached).close()
        attached.close()


class _Alarm:
    """An alarm that calls somebody when time is up, unless it is cancelled before."""

    def __init__(self, seconds: float, ring: Callable[[], None]) -> None:
        self._ring = ring
        self.has_rung = False
        self._timer = Timer(seconds, self._time_is_up)
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        """Cancel the alarm, and wait for the end of the call if it has begun."""
        self._timer.cancel()
        self._timer.join()

    def _time_is_up(self) -> None:
        self.has_rung = True
        self._ring()
