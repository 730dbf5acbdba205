"""Finding the plugins that are installed: by name, one at a time, so that a broken one harms nobody else."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any

from pydantic import BaseModel

from evograft.errors import PluginError, UserError, did_you_mean
from evograft.plugin.entry_points import installed, origin_of
from evograft_hookspecs import CONTRACT, Manifest

OURS = ("ahc", "code_explainer", "env_setup", "graph_invariant", "islands", "operators", "playbook")
"""Plugins that are developed with evograft, each a distribution of its own."""


@dataclass(frozen=True)
class PluginClass:
    """An installed plugin, imported but not run."""

    name: str
    factory: type[Any]
    manifest: Manifest
    options: type[BaseModel]
    origin: str
    """Distribution and version, for blame."""
    package: str
    """The package that its preset lies in."""


def find_plugin(name: str) -> PluginClass:
    """Import an installed plugin and check that it has the shape of one.

    Raises:
        UserError: no plugin of this name is installed.
        PluginError: it is there, but it cannot be imported or is no plugin.
    """
    plugins = installed()
    if name not in plugins:
        distribution = f"evograft-{name.replace('_', '-')}"
        hint = f"pip install {distribution}" if name in OURS else did_you_mean(name, plugins)
        raise UserError(f"plugin {name!r} is not installed; {hint}")
    entry, *others = plugins[name]
    if others:
        origins = " and ".join(map(origin_of, plugins[name]))
        raise PluginError(f"{origins} both offer the plugin {name!r}: uninstall one of them")
    return _checked(entry, _load(entry))


def _load(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as err:  # foreign code runs at import: whatever it raises is blamed on the plugin
        raise PluginError(
            f"plugin {entry.name!r} ({origin_of(entry)}) cannot be imported from {entry.value!r}: "
            f"{type(err).__name__}: {err}; repair or reinstall it"
        ) from err


def _checked(entry: EntryPoint, factory: Any) -> PluginClass:
    who = f"plugin {entry.name!r} ({origin_of(entry)})"
    manifest, options = getattr(factory, "manifest", None), getattr(factory, "Options", None)
    if not isinstance(manifest, Manifest):
        raise PluginError(f"{who}: {entry.value!r} has no `manifest` of type Manifest")
    if not (isinstance(options, type) and issubclass(options, BaseModel)):
        raise PluginError(f"{who}: {entry.value!r} has no `Options` that is a pydantic model; use NoOptions")
    if manifest.name != entry.name:
        raise PluginError(f"{who}: its manifest says {manifest.name!r}; entry point and manifest must agree")
    if manifest.contract != CONTRACT:
        older = "the plugin" if manifest.contract < CONTRACT else "evograft"
        raise PluginError(
            f"{who}: written for contract {manifest.contract}, this evograft has {CONTRACT}; upgrade {older}"
        )
    return PluginClass(
        name=entry.name,
        factory=factory,
        manifest=manifest,
        options=options,
        origin=origin_of(entry),
        package=entry.module,
    )
