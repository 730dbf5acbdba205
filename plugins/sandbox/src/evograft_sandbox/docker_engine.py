"""The Docker engine that the environment names. Public: plugins that talk to it themselves may import it."""

from __future__ import annotations

import os
import socket


def check_reachable() -> None:
    """Raise OSError if no Docker engine is listening. docker-py would leak the socket."""
    address = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    if address.startswith("unix://"):
        with socket.socket(socket.AF_UNIX) as door:
            door.connect(address.removeprefix("unix://"))
