"""Writing a config file: one key at a time, the rest of the file and its comments as they are."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evograft.api import parse_yaml, read_yaml
from evograft_ahc.files.user_file import write_file
from evograft_ahc.settings.model import AhcSettings, flatten, make_unknown_key_error, nest, validate_settings


def save_setting(file: Path, key: str, text: str) -> None:
    """Set a dotted key of a config file, which is made if it does not exist.

    Args:
        file: a workspace's or the user's.
        key: such as `llm.model`.
        text: the value as YAML.

    Raises:
        UserError: there is no such key, it takes no such value, or the file cannot be written.
    """
    if key not in dict(flatten(AhcSettings().model_dump(mode="json"))):
        raise make_unknown_key_error(key)
    value = parse_yaml(text, source=key)
    *sections, name = key.split(".")
    before = read_yaml(file) if file.exists() else None
    if before is not None:
        validate_settings(before, source=str(file))
    validate_settings(nest({key: value}), source="evo ahc config")
    write_file(file, _changed(file, sections, name, value))


def _changed(file: Path, sections: list[str], name: str, value: Any) -> bytes:
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096
    data = (yaml.load(file.read_text(encoding="utf-8")) if file.exists() else None) or CommentedMap()
    place = data
    for section in sections:
        if not isinstance(place.get(section), Mapping):
            place[section] = CommentedMap()
        place = place[section]
    place[name] = value
    text = io.StringIO()
    yaml.dump(data, text)
    return text.getvalue().encode()
