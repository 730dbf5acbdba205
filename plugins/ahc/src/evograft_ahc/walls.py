"""What stands between programs and the machine, in lines for the start of a run."""

from __future__ import annotations

from collections.abc import Iterable

from evograft.pages import Texts
from evograft_hookspecs import SandboxLayer

DRIVER = "driver"
"""The layer whose detail is the name of the sandbox that was chosen."""


def describe_walls(layers: Iterable[SandboxLayer], t: Texts) -> tuple[str, ...]:
    """A line with all that protects here, and one for each layer that is missing."""
    every = tuple(layers)
    driver = " ".join(layer.detail for layer in every if layer.name == DRIVER)
    active = ", ".join(layer.name for layer in every if layer.active and layer.name != DRIVER)
    missing = (t("missing_wall", name=layer.name, detail=layer.detail) for layer in every if not layer.active)
    return (t("walls", driver=driver, active=active), *missing)
