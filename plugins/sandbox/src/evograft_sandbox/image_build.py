"""Images that the Docker engine builds from a folder with a Dockerfile. Public, like `docker_engine`."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evograft.drivers.optional import import_optional
from evograft.text.escapes import one_line
from evograft_hookspecs import SandboxUnavailable
from evograft_sandbox.commands.docker import BASE
from evograft_sandbox.commands.session import FOLDERS
from evograft_sandbox.docker_engine import check_reachable

SECONDS = 3600
"""Within which the engine answers: it may have large packages to fetch."""
LABEL = "evograft.built"
TEMPORARY_FOLDER = f"""
USER root
RUN rm -rf /tmp && ln -s {BASE}/{FOLDERS[0]} /tmp
"""
"""In sessions of the driver `docker` a command can write nowhere but to its own folder, and many programs know no other
place than `/tmp`."""

ENGINES_OWN = ("--->", "Removing intermediate container")
"""How lines of the engine begin, between those that a build prints."""


@dataclass(frozen=True)
class BuiltImage:
    """An image that the engine has."""

    working_folder: str
    environment: dict[str, str]


def ensure_image(name: str, folder: Path) -> BuiltImage:
    """Return an image; build it where the engine has none of that name.

    The engine may fetch what the Dockerfile builds on. The image is kept.

    Args:
        name: of the image, which should tell its content: one that is there is taken as it is.
        folder: with the Dockerfile, and with all that it copies.

    Raises:
        SandboxUnavailable: no engine answers, or the image cannot be built.
    """
    docker = import_optional("docker", extra="evograft-sandbox[docker]", error=SandboxUnavailable)
    with _explain(docker):
        check_reachable()
        with contextlib.closing(docker.from_env(timeout=SECONDS)) as engine:
            try:
                image = engine.images.get(name)
            except docker.errors.ImageNotFound:
                image = _build(engine, name, folder)
            return _describe(image)


def _build(engine: Any, name: str, folder: Path) -> Any:
    inner, _ = engine.images.build(path=str(folder), rm=True, forcerm=True)
    dockerfile = io.BytesIO(f"FROM {inner.id}{TEMPORARY_FOLDER}".encode())
    image, _ = engine.images.build(fileobj=dockerfile, tag=name, rm=True, forcerm=True, labels={LABEL: folder.name})
    return image


def _describe(image: Any) -> BuiltImage:
    config = image.attrs["Config"]
    variables = (entry.partition("=")[::2] for entry in config.get("Env") or ())
    return BuiltImage(config.get("WorkingDir") or "/", dict(variables))


@contextlib.contextmanager
def _explain(docker: Any) -> Iterator[None]:
    """Say what can be done about what the engine refuses."""
    what = "cannot build an image from the Dockerfile"
    try:
        yield
    except docker.errors.BuildError as err:
        raise SandboxUnavailable(f"{what}: {_find_cause(err)}") from err
    except (docker.errors.APIError, TypeError) as err:
        # docker-py raises a TypeError for a folder that cannot be packed.
        raise SandboxUnavailable(f"{what}: {one_line(str(getattr(err, 'explanation', '') or err))}") from err
    except (docker.errors.DockerException, OSError) as err:
        raise SandboxUnavailable(f"no Docker engine answers ({err}): start it") from err


def _find_cause(err: Any) -> str:
    """Return the step that failed, and the line that says why."""
    parts = [str(chunk.get("stream", "")) for chunk in err.build_log if isinstance(chunk, dict)]
    lines = [line.strip() for line in "".join(parts).splitlines() if line.strip()]
    numbers = [number for number, line in enumerate(lines) if line.startswith("Step ")]
    step = lines[numbers[-1]].partition(" : ")[2] if numbers else ""
    if step.upper().startswith("FROM"):
        return one_line(f"the engine does not have the image of {step!r} and cannot fetch it: {err.msg}")
    said = [line for line in lines[numbers[-1] + 1 :] if not line.startswith(ENGINES_OWN)] if numbers else []
    errors = [line for line in said if "error" in line.lower()]
    return one_line(f"{step!r} failed: {(errors or said or [err.msg])[-1]}")
