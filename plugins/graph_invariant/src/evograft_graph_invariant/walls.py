"""Which walls the sandbox has on this machine."""

from __future__ import annotations

from evograft.sandbox import Preload, PythonSandbox


def describe_walls() -> tuple[str, ...]:
    """One line a wall: what it forbids, or why it is missing here."""
    with PythonSandbox(f"{__name__}:load_nothing") as sandbox:
        layers = sandbox.layers()
    return tuple(
        f"sandbox {layer.name}: {layer.detail}" if layer.active else f"sandbox {layer.name}: missing, {layer.detail}"
        for layer in layers
    )


def load_nothing() -> Preload:
    """The loader of a sandbox that is only asked for its walls."""
    return Preload(datasets={})
