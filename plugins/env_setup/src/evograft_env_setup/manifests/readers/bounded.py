"""Untrusted JSON, YAML, TOML and XML: read by their parsers, refused if a parser would be led astray."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import ParseError

from evograft_env_setup.manifests.manifest import UnreadableManifest

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

DEEPEST = 100
"""Levels of nesting in YAML."""
MOST_NODES = 100_000
"""Nodes of a YAML document once its aliases are written out."""
DOTS = 10_000_000
"""The sum over lines of their dots squared: what tomllib takes for a key of n parts grows with n², in time and
memory."""


def load_json(text: str) -> dict[str, Any]:
    """Return the object that a JSON document is."""
    try:
        return _object(json.loads(text), "JSON")
    except (ValueError, RecursionError) as err:
        raise UnreadableManifest(f"is no JSON: {_first_line(err)}") from err


def load_json_with_comments(text: str) -> dict[str, Any]:
    import pyjson5

    try:
        return _object(pyjson5.decode(text, maxdepth=DEEPEST), "JSON")
    except pyjson5.Json5DecoderException as err:
        raise UnreadableManifest(f"is no JSON: {err.args[0]}") from err


def load_toml(text: str) -> dict[str, Any]:
    if sum(line.count(".") ** 2 for line in text.splitlines()) > DOTS:
        raise UnreadableManifest("has lines with more dots than are read")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as err:
        raise UnreadableManifest(f"is no TOML: {_first_line(err)}") from err


def load_yaml(text: str) -> dict[str, Any]:
    """Return the mapping that a YAML document is, all of whose scalars are texts."""
    import yaml

    # Scalars stay texts: 1:1:1 as a number to the base of 60 takes quadratic time. PyYAML can be built without libyaml.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        _require_small(yaml.parse(text, Loader=loader))
        return _object(yaml.load(text, Loader=loader), "YAML")  # noqa: S506 - safer than the safe loader
    except (yaml.YAMLError, ValueError, RecursionError) as err:
        raise UnreadableManifest(f"is no YAML: {_first_line(err)}") from err


def load_xml(text: str) -> Element:
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        root: Element = fromstring(text)
    except DefusedXmlException as err:
        raise UnreadableManifest("declares XML entities, which are not read") from err
    except (ParseError, ValueError) as err:
        raise UnreadableManifest(f"is no XML: {_first_line(err)}") from err
    return root


def table(value: Any) -> dict[str, Any]:
    """Return the value if it is a mapping, else an empty one."""
    return {str(key): each for key, each in value.items()} if isinstance(value, dict) else {}


def texts(value: Any) -> list[str]:
    """Return the texts of a list; those of other types are passed over."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def text(value: Any) -> str:
    """Return the value if it is a text or number, else an empty text."""
    return str(value) if isinstance(value, (str, int, float)) else ""


def _object(value: Any, language: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UnreadableManifest(
            f"is no {language} mapping but {'empty' if value in (None, '') else type(value).__name__}"
        )
    return table(value)


def _require_small(events: Iterator[Any]) -> None:
    """Count the nodes as if every alias stood for a copy, as it does for those who write the data out."""
    import yaml

    sizes: dict[str, int] = {}
    open_nodes: list[tuple[str | None, int]] = []
    nodes = 0
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_nodes.pop()
            _keep(sizes, anchor, nodes - before)
        elif isinstance(event, yaml.AliasEvent):
            nodes += sizes.get(event.anchor or "", 1)
        elif isinstance(event, yaml.NodeEvent):
            nodes += 1
            if isinstance(event, yaml.CollectionStartEvent):
                open_nodes.append((event.anchor, nodes - 1))
            else:
                _keep(sizes, event.anchor, 1)
        if len(open_nodes) > DEEPEST or nodes > MOST_NODES:
            raise UnreadableManifest("is nested too deeply, or grows too much by its aliases: it is not read")


def _keep(sizes: dict[str, int], anchor: str | None, size: int) -> None:
    if anchor is not None:
        sizes[anchor] = size


def _first_line(err: Exception) -> str:
    if isinstance(err, RecursionError):
        return "it is nested too deeply"
    mark = getattr(err, "problem_mark", None)  # PyYAML's: its own text is several lines long
    if mark is not None:
        return f"{getattr(err, 'problem', '')} in line {mark.line + 1}"
    return (str(err).splitlines() or [type(err).__name__])[0][:200]
