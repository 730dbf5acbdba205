"""Building what a pipeline names: its plugins with their options, its drivers, the presets that plugins ship."""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import EntryPoint
from typing import Any

from pydantic import BaseModel, ValidationError

from evograft.config.explain import explain_validation
from evograft.config.loading import pipeline_from
from evograft.config.pipeline import DriverSection, Pipeline, PluginSection
from evograft.config.yaml_file import parse_yaml
from evograft.errors import PluginError, UserError, did_you_mean
from evograft.plugin.discovery import find_plugin
from evograft.plugin.entry_points import installed
from evograft.plugin.toolkits import how_to_install
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


def active_plugins(pipeline: Pipeline) -> tuple[ActivePlugin, ...]:
    """Return all plugins of a pipeline, in its order."""
    return tuple(activate(section, position=index) for index, section in enumerate(pipeline.plugins))


def activate(section: PluginSection, *, position: int) -> ActivePlugin:
    """Build a plugin of a pipeline with its options."""
    found = find_plugin(section.name)
    who = f"plugin {found.name!r} ({found.origin})"
    source = f"plugins.{position} ({section.name}).with"
    instance = _build(found.factory, found.options, section.with_, source=source, who=who)
    return ActivePlugin(found.name, instance, found.manifest, found.origin)


def is_missing(kind: str, section: DriverSection) -> bool:
    """Return whether a driver is one of this project's that is not installed."""
    group = f"evograft.{kind}"
    return bool(how_to_install(group, section.driver)) and section.driver not in installed(group)


def load_driver(kind: str, section: DriverSection) -> Any:
    """Build a driver (`llm`, `executor`, `sandbox`, `store`) by name with the options of its section."""
    who = f"{kind} driver {section.driver!r}"
    factory = _driver_class(kind, section.driver)
    model, beside = factory.Options, type(section).model_fields
    hint = _hint_on_foreign_options(kind, section, {*model.model_fields, *beside})
    return _build(factory, model, section.options, source=kind, who=who, beside=beside, hint=hint)


def without_foreign_options(kind: str, data: Mapping[str, Any], driver: str) -> dict[str, Any]:
    """Return the section of a driver with another driver: the options that it does not know are left behind.

    Args:
        kind: `executor`, `sandbox`, `store`.
        data: the section as plain data.
        driver: the other one.
    """
    fields = _driver_class(kind, driver).Options.model_fields
    known = {name for key, field in fields.items() for name in (key, field.alias)}
    return {**{key: value for key, value in data.items() if key in known}, "driver": driver}


def _driver_class(kind: str, name: str) -> Any:
    from stevedore.driver import DriverManager
    from stevedore.exception import NoMatches

    group = f"evograft.{kind}"
    try:
        factory: Any = DriverManager(group, name, on_load_failure_callback=_raise).driver
        factory.Options  # noqa: B018 - a driver has some, and to say so is part of loading it
    except NoMatches as err:
        if command := how_to_install(group, name):
            raise UserError(f"{kind}.driver: {name!r} is not installed: {command}") from err
        raise UserError(f"{kind}.driver: {name!r} unknown; {did_you_mean(name, installed(group))}") from err
    except Exception as err:  # foreign code runs at import: whatever it raises is blamed on the driver
        raise PluginError(f"{kind} driver {name!r} cannot be loaded: {type(err).__name__}: {err}") from err
    return factory


def _hint_on_foreign_options(kind: str, section: DriverSection, known: set[str]) -> str:
    """Return how to leave another driver's options behind, where there are any that are not just misspelt."""
    if all(key in known or get_close_matches(key, known) for key in section.options):
        return ""
    path = "novelty.embedding" if kind == "embedding" else kind
    return (
        f"; for {section.driver!r} without the options of another driver: --set '{path}={{driver: {section.driver}}}'"
    )


def _raise(_manager: Any, _entry: EntryPoint, err: BaseException) -> None:
    raise err


def _build(
    factory: Any,
    model: type[BaseModel],
    given: Mapping[str, Any],
    *,
    source: str,
    who: str,
    beside: Iterable[str] = (),
    hint: str = "",
) -> Any:
    try:
        return factory(model.model_validate(dict(given)))
    except ValidationError as err:
        raise UserError(f"{source}: {explain_validation(err, model, beside=beside)}{hint}") from err
    except Exception as err:  # validators and constructors are foreign code
        raise PluginError(f"{who}: __init__ raised {type(err).__name__}: {err}") from err


def preset_data(name: str) -> dict[str, Any]:
    """Return the pipeline that a plugin ships, as plain data; without a preset, that of the plugin alone."""
    found = find_plugin(name)
    run_name = name.replace("_", "-")
    if not found.manifest.preset:
        return {"name": run_name, "plugins": [name]}
    source = f"preset of plugin {name!r} ({found.origin})"
    try:
        file = importlib.resources.files(found.package.partition(".")[0]) / found.manifest.preset
        data = parse_yaml(file.read_text(encoding="utf-8"), source=source)
        pipeline_from(data, source=source)
    except TypeError as err:
        raise PluginError(f"{source}: a plugin with a preset is a package, not a single module") from err
    except (OSError, UserError) as err:
        raise PluginError(f"{source} cannot be used: {err}") from err
    return {"name": run_name, **data}
