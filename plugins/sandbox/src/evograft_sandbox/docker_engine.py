"""The Docker engine that the environment names. Public: plugins that talk to it themselves may import it."""

from __future__ import annotations

import os
import socket
from typing import Any

from evograft_sandbox.process_owner import is_orphaned


def check_reachable() -> None:
    """Raise OSError if no Docker engine is listening. docker-py would leak the socket."""
    address = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    if address.startswith("unix://"):
        with socket.socket(socket.AF_UNIX) as door:
            door.connect(address.removeprefix("unix://"))


def is_engine_running() -> bool:
    """Return whether a Docker engine listens."""
    try:
        check_reachable()
    except OSError:
        return False
    return True


def remove_orphans(client: Any, label: str, *, volumes: bool = False) -> list[str]:
    """Remove containers whose processes have ended; those of other machines stay.

    Args:
        client: of the engine.
        label: holds the owner of a container, as `ProcessOwner.to_label` writes it.
        volumes: whether their anonymous volumes go, too.

    Returns:
        The names of what was removed.
    """
    found = client.containers.list(all=True, filters={"label": label}, ignore_removed=True)
    return [each.name for each in found if is_orphaned(each.labels[label]) and _remove(each, volumes=volumes)]


def _remove(container: Any, *, volumes: bool) -> bool:
    from docker.errors import APIError

    try:
        container.remove(force=True, v=volumes)
    except APIError:  # somebody else removes it at this moment
        return False
    return True
