"""The user's settings: few, in one YAML file of the user's configuration folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict

from evograft.cli_kit.console import Style
from evograft.config.loading import validate
from evograft.config.yaml_file import parse_yaml, read_yaml
from evograft.errors import UserError, did_you_mean
from evograft.user_folders import user_folder

SHAPE = "settings are a mapping"


class Settings(BaseModel):
    """What a user prefers, whatever the run."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    runs_dir: str = "runs"
    """Where new runs are made and runs are looked for by name; relative to the current folder."""
    progress: Style = "auto"
    """How long work is shown; `auto`: live on a terminal, plain lines elsewhere."""


def settings_path() -> Path:
    return user_folder("config") / "config.yaml"


def load_settings() -> Settings:
    """Return the user's settings; a file that is there but wrong is a UserError."""
    path = settings_path()
    # Unlike `path.exists()`, takes it well when the home is another user's, and closed.
    is_there = os.access(path, os.F_OK)
    return validate(Settings, _read(path), source=str(path), shape=SHAPE) if is_there else Settings()


def save_setting(key: str, value: str) -> Settings:
    """Set one key, the value written as YAML, and return all settings."""
    if key not in Settings.model_fields:
        raise UserError(f"unknown setting {key!r}; {did_you_mean(key, Settings.model_fields)}")
    path = settings_path()
    data = _read(path) if path.exists() else {}
    data[key] = parse_yaml(value, source=key)
    settings = validate(Settings, data, source=f"evo config {key}", shape=SHAPE)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(data, sort_keys=True, allow_unicode=True), encoding="utf-8")
    except OSError as err:
        raise UserError(f"cannot write {str(path)!r}: {err.strerror}") from err
    return settings


def _read(path: Path) -> dict[str, Any]:
    data = read_yaml(path) or {}
    if not isinstance(data, dict):
        raise UserError(f"{path}: {SHAPE}, not {type(data).__name__}")
    return data
