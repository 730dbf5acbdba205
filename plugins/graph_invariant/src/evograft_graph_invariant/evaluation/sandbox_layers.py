"""The layers that keep programs from the machine here, in a line for the start of a run."""

from __future__ import annotations

from evograft_sandbox.functions import Preload, PythonSandbox


def describe_layers() -> tuple[str, ...]:
    """Return one line: what isolates programs, by the names that docs/sandbox.md explains, and what is missing here."""
    with PythonSandbox(f"{__name__}:load_nothing") as sandbox:
        layers = sandbox.layers()
    active = ", ".join(layer.name for layer in layers if layer.active)
    missing = ", ".join(f"{layer.name} ({layer.detail})" for layer in layers if not layer.active)
    return (f"sandbox: {active or 'none'}" + (f"; missing: {missing}" if missing else ""),)


def load_nothing() -> Preload:
    """Load nothing, for a sandbox that is only asked for its layers."""
    return Preload(datasets={})
