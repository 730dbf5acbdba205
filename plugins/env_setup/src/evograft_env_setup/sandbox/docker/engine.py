"""The Docker engine: the connection to it, what it holds of ours, and its refusals in our words."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator
from typing import Any

from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.sandbox.project_key import compute_project_key
from evograft_env_setup.sandbox.setup_sandbox import SetupSandboxUnavailable
from evograft_sandbox.docker_engine import check_reachable

OWNER = "evograft.env.owner"
PROJECT = "evograft.env.project"
PLAN = "evograft.env.plan"
VOLUME = "evograft.env.volume"
MADE = "evograft.env.made"
STAMP = "evograft.env.stamp"
"""Labels: of containers the first, of images and volumes the second, of images the next three, of volumes the last."""
REPOSITORY = "evograft-env"
"""Of images in which a project is set up."""
SECONDS = 900
"""Within which the engine answers; keeping an environment of many gigabytes takes minutes."""


@contextlib.contextmanager
def connect() -> Iterator[Any]:
    """Open a client of the engine that `DOCKER_HOST` names, or of this machine's.

    Raises:
        SetupSandboxUnavailable: nobody answers.
    """
    import docker

    with explain_docker_errors():
        check_reachable()
        client = docker.from_env(timeout=SECONDS)
    try:
        yield client
    finally:
        client.close()


@contextlib.contextmanager
def explain_docker_errors() -> Iterator[None]:
    """Say what can be done where the engine refuses."""
    from docker.errors import APIError, DockerException
    from requests.exceptions import RequestException

    try:
        yield
    except APIError as err:
        raise SetupSandboxUnavailable(f"the Docker engine refuses: {err.explanation or err}") from err
    except (DockerException, RequestException, OSError) as err:
        raise SetupSandboxUnavailable(
            f"no Docker engine answers ({err}): start it, or set the project up without one by --place bwrap"
        ) from err


def provide_image(client: Any, image: str) -> Any:
    """Return the image; fetch it if it is not there.

    Raises:
        SetupSandboxUnavailable: neither the engine nor its registry has it.
    """
    from docker.errors import APIError, ImageNotFound

    with contextlib.suppress(ImageNotFound):
        return client.images.get(image)
    try:
        name, _, tag = image.rpartition(":") if ":" in image.rpartition("/")[2] else (image, "", "latest")
        return client.images.pull(name, tag=tag)
    except APIError as err:
        raise SetupSandboxUnavailable(
            f"no image {image!r} at this Docker engine, and it can't be fetched ({err.explanation}): "
            "name another one with --environments"
        ) from err


def volume_name(project: str, *, as_root: bool) -> str:
    """Return the name of a project's volume.

    Nobody else could change anything of what root has written, so that root's packages lie apart.
    """
    return f"{REPOSITORY}-{compute_project_key(project)}{'-root' if as_root else ''}"


def provide_volume(client: Any, project: str, *, as_root: bool) -> Any:
    """Return the volume in which a project's packages are kept.

    It is the project's own, because whoever fills it could deceive others.

    Its stamp tells it from one of the same name that was removed.
    """
    name = volume_name(project, as_root=as_root)
    # One that is there already is returned as it is, stamp and all.
    return client.volumes.create(name, labels={PROJECT: project, STAMP: uuid.uuid4().hex})


def find_kept(client: Any, project: str) -> Any | None:
    """Return the image in which the project is set up; `None`: it is not, as far as the engine knows."""
    found = client.images.list(REPOSITORY, filters={"label": f"{PROJECT}={project}"})
    return found[0] if found else None


def load_made_plan(image: Any) -> SelectedEnvironment:
    """Return the plan that an image was made by: as it was corrected."""
    labels = image.labels
    return SelectedEnvironment.model_validate_json(labels.get(MADE) or labels[PLAN])


def remove_images(client: Any, label: str = PROJECT, *, but: str = "") -> list[str]:
    """Remove images in which a project is set up, except those that somebody works in.

    Args:
        client: of the engine.
        label: they have it; any project's, or that of one.
        but: name of one that stays.

    Returns:
        The names of what was removed.
    """
    from docker.errors import APIError

    removed = []
    for image in client.images.list(filters={"label": label}):
        if but not in image.tags:
            name = next(iter(image.tags), image.id)  # one whose name went to a newer image has none
            with contextlib.suppress(APIError):  # a container stands on it
                client.images.remove(name)
                removed.append(name)
    return removed


def remove_volumes(client: Any) -> list[str]:
    """Remove the packages that are kept for projects, except those in use.

    Returns:
        The names of what was removed.
    """
    from docker.errors import APIError

    removed = []
    for volume in client.volumes.list(filters={"label": PROJECT}):
        with contextlib.suppress(APIError):
            volume.remove()
            removed.append(volume.name)
    return removed
