"""Where programs are compiled and run: in which image of the sandbox, and behind which walls."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from evograft_hookspecs import SandboxLayer, SandboxService, SandboxUnavailable

DOCKER = "docker"
"""The layer that is missing where a sandbox had to do without images."""


@dataclass(frozen=True)
class JudgingImage:
    """One that works here."""

    image: str
    """Empty: that of the pipeline, else the host's programs."""
    layers: tuple[SandboxLayer, ...]


def find_image(sandbox: SandboxService, image: str, *, is_named: bool) -> JudgingImage:
    """Return the image if the sandbox knows it; else what there is, unless the user named the image.

    Args:
        sandbox: what a hook has as `ctx.sandbox`.
        image: with a compiler that serves.
        is_named: by the user, so that no other compiler will do.

    Raises:
        SandboxUnavailable: there is no sandbox, or the named image is not to be had.
    """
    try:
        place = JudgingImage(image, sandbox.layers(image=image))
        sandbox.open(image=image).close()  # layers are told of what else there is, too
    except SandboxUnavailable:
        if is_named:
            raise
        with contextlib.suppress(SandboxUnavailable):
            return JudgingImage("", sandbox.layers())
        raise
    missing = [layer.detail for layer in place.layers if layer.name == DOCKER and not layer.active]
    if missing and is_named:
        raise SandboxUnavailable(f"judge.image names {image!r}, and there are no images: {missing[0]}")
    return place
