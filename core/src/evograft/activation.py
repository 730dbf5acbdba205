"""Building what a pipeline names: its plugins with their options, its drivers, the presets that plugins ship."""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any

from pydantic import BaseModel, ValidationError

from evograft.config import DriverSection, Pipeline, PluginSection, explain, parse_yaml, pipeline_from
from evograft.discovery import find_plugin, installed
from evograft.errors import PluginError, UserError, did_you_mean
from evograft_hookspecs import Manifest


@dataclass(frozen=True)
class ActivePlugin:
    """A plugin of a pipeline, built with its options."""

    name: str
    instance: Any
    manifest: Manifest
    origin: str

    def __str__(self) -> str:
        return f"plugin {self.name!r} ({self.origin})"


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
