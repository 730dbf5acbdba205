"""Finding what is installed: plugins and drivers by name, one at a time, so that a broken one harms nobody else."""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from pydantic import BaseModel, ValidationError

from evograft.config import DriverSection, Pipeline, PluginSection, explain, parse_yaml, pipeline_from
from evograft.errors import PluginError, UserError, did_you_mean
from evograft_hookspecs import CONTRACT, Manifest

PLUGINS = "evograft.plugins"


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


@dataclass(frozen=True)
class ActivePlugin:
    """A plugin of a pipeline, built with its options."""

    name: str
    instance: Any
    manifest: Manifest
    origin: str

    def __str__(self) -> str:
        return f"plugin {self.name!r} ({self.origin})"


def installed(group: str = PLUGINS) -> dict[str, EntryPoint]:
    """The entry points of a group by name, nothing imported.

    Raises:
        UserError: when two distributions offer the same name.
    """
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
        other = found.setdefault(entry.name, entry)
        if origin_of(other) != origin_of(entry):
            clash = f"{origin_of(other)} and {origin_of(entry)} both offer {entry.name!r}"
            raise UserError(f"{clash} in {group!r}: uninstall one of them")
    return found


def origin_of(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "no distribution"


def find_plugin(name: str) -> PluginClass:
    """Imports an installed plugin and checks that it has the shape of one.

    Raises:
        UserError: no plugin of this name is installed.
        PluginError: it is there, but it cannot be imported or is no plugin.
    """
    plugins = installed()
    if name not in plugins:
        hint = did_you_mean(name, plugins)
        raise UserError(f"plugin {name!r} is not installed; {hint}")
    entry = plugins[name]
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
    if manifest.contract > CONTRACT:
        raise PluginError(
            f"{who}: written for contract {manifest.contract}, this evograft has {CONTRACT}; upgrade evograft"
        )
    return PluginClass(
        name=entry.name,
        factory=factory,
        manifest=manifest,
        options=options,
        origin=origin_of(entry),
        package=entry.module,
    )


def activate(section: PluginSection, *, position: int) -> ActivePlugin:
    """Builds a plugin of a pipeline with its options."""
    found = find_plugin(section.name)
    options = _options(found.options, section.with_, source=f"plugins.{position} ({section.name}).with")
    try:
        instance = found.factory(options)
    except Exception as err:  # foreign code: blamed on the plugin
        raise PluginError(
            f"plugin {found.name!r} ({found.origin}): __init__ raised {type(err).__name__}: {err}"
        ) from err
    return ActivePlugin(found.name, instance, found.manifest, found.origin)


def load_driver(kind: str, section: DriverSection) -> Any:
    """Builds a driver (`llm`, `executor`, `store`) by name with the options of its section."""
    from stevedore.driver import DriverManager
    from stevedore.exception import NoMatches

    group = f"evograft.{kind}"
    try:
        factory: Any = DriverManager(group, section.driver, on_load_failure_callback=_raise).driver
    except NoMatches as err:
        raise UserError(
            f"{kind}.driver: {section.driver!r} unknown; {did_you_mean(section.driver, installed(group))}"
        ) from err
    except ImportError as err:
        raise PluginError(f"{kind} driver {section.driver!r} cannot be imported: {err}") from err
    return factory(_options(factory.Options, section.options, source=kind))


def _raise(_manager: Any, _entry: EntryPoint, err: BaseException) -> None:
    raise err


def _options(model: type[BaseModel], given: Mapping[str, Any], *, source: str) -> BaseModel:
    try:
        return model.model_validate(dict(given))
    except ValidationError as err:
        raise UserError(f"{source}: {explain(err, model)}") from err


def preset_data(name: str) -> dict[str, Any]:
    """The pipeline that a plugin ships, as plain data; one without a preset is a pipeline of itself alone."""
    found = find_plugin(name)
    if not found.manifest.preset:
        return {"name": name.replace("_", "-"), "plugins": [name]}
    source = f"preset of plugin {name!r} ({found.origin})"
    file = importlib.resources.files(found.package.partition(".")[0]) / found.manifest.preset
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as err:
        raise PluginError(f"{source}: cannot read {found.manifest.preset!r}: {err.strerror}") from err
    data = parse_yaml(text, source=source)
    pipeline_from(data, source=source)
    return dict(data)


def active_plugins(pipeline: Pipeline) -> tuple[ActivePlugin, ...]:
    """All plugins of a pipeline, in its order."""
    return tuple(activate(section, position=index) for index, section in enumerate(pipeline.plugins))
