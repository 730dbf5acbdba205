"""The runner for a container: compiled on the host, or where it has no compiler inside an image that has one."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Any

from evograft_hookspecs import SandboxUnavailable
from evograft_sandbox.commands.native_build import COMPILERS, RUNNER
from evograft_sandbox.commands.native_cache import ensure_runner, install_native

FOLDER = "/tmp"  # noqa: S108 - inside a container that nobody else has


def ensure_runner_for_image(engine: Any, image: str) -> Path:
    """Return the runner's program; whichever way it was made, it is kept."""
    try:
        return ensure_runner()
    except SandboxUnavailable as err:
        content = _compile_in(engine, image)
        if content is None:
            raise SandboxUnavailable(f"{err}, or use an image that has one: {image!r} has none") from err
        return install_native(RUNNER, content)


def _compile_in(engine: Any, image: str) -> bytes | None:
    choice = " || ".join(f"command -v {name}" for name in COMPILERS)
    command = f"cd {FOLDER} && $({choice}) {' '.join(RUNNER.flags)} *.c -o runner"
    container = engine.containers.create(image, entrypoint=["/bin/sh", "-c", command], command=[], network_mode="none")
    try:
        container.put_archive(FOLDER, _pack_sources())
        container.start()
        if container.wait()["StatusCode"] != 0:
            return None
        parts, _ = container.get_archive(f"{FOLDER}/runner")
        return _extract_only_file(b"".join(parts))
    finally:
        container.remove(force=True)


def _pack_sources() -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for path in sorted(RUNNER.sources.glob("*.[ch]")):
            archive.add(path, path.name)
    return content.getvalue()


def _extract_only_file(content: bytes) -> bytes | None:
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        file = archive.extractfile("runner")
        return file.read() if file else None
