"""What stands between programs and the machine, in lines for the start of a run."""

from __future__ import annotations

from collections.abc import Iterable

from evograft.text.i18n import Catalog
from evograft_hookspecs import SandboxLayer

DRIVER = "driver"
"""The layer whose detail is the name of the sandbox that was chosen."""


def describe_layers(layers: Iterable[SandboxLayer], t: Catalog) -> tuple[str, ...]:
    """Return one line: the sandbox, what isolates programs in it, and what is missing here."""
    every = tuple(layers)
    driver = " ".join(layer.detail for layer in every if layer.name == DRIVER)
    active = ", ".join(layer.name for layer in every if layer.active and layer.name != DRIVER)
    missing = ", ".join(f"{layer.name} ({layer.detail})" for layer in every if not layer.active)
    line = t("walls", driver=driver, active=active)
    return (line + t("missing_walls", missing=missing) if missing else line,)
