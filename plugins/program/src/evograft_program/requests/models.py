"""Models as a command names them, as the `llm` section of a pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from evograft.api import UserError, llm_settings, load_settings, with_overrides

ADDRESS_KEYS = {"openai": "base_url", "litellm": "api_base", "ollama": "host"}
"""By driver, its option for the address of a server."""
NO_MODEL = "none"
TIERS = ("cheap=", "strong=")
"""What the models of a run begin with that has a cheap and a strong one."""


def build_llm_section(llm: str, *, api_base: str = "") -> dict[str, Any]:
    """Return the section for the models that a command names.

    Args:
        llm: `DRIVER:MODEL`, several separated by commas; or `cheap=DRIVER:MODEL,strong=DRIVER:MODEL`.
        api_base: the address of their server; empty: the driver's own.

    Raises:
        UserError: the models do not go together, or their driver asks no server.
    """
    section = _read_names(llm)
    if not api_base:
        return section
    if section["driver"] not in ADDRESS_KEYS:
        raise UserError(f"--api-base: the llm driver {section['driver']!r} asks no server; use openai:MODEL")
    return {**section, ADDRESS_KEYS[section["driver"]]: api_base}


def has_model(section: Mapping[str, Any]) -> bool:
    """Return whether there is somebody to ask."""
    return bool(section.get("driver", NO_MODEL) != NO_MODEL)


def _read_names(llm: str) -> dict[str, Any]:
    """Read `DRIVER:MODEL`, or several of one driver that are separated by commas."""
    runs = Path(load_settings().runs_dir)
    if llm.strip().startswith(TIERS):
        return dict(with_overrides({}, llm_settings(llm, runs))["llm"])
    first, *others = (word.strip() for word in llm.split(","))
    section: dict[str, Any] = with_overrides({}, llm_settings(first, runs)).get("llm", {})
    driver = section.get("driver", "")
    if others and not section.get("models"):
        raise UserError(f"--llm {llm!r}: write each model as DRIVER:MODEL")
    names = [_model_name(word, driver, llm) for word in others]
    return {**section, "models": [*section["models"], *names]} if names else section


def _model_name(word: str, driver: str, llm: str) -> str:
    """Return the name of a further model, which may do without its driver's."""
    before, colon, name = word.partition(":")
    if colon and before == driver:
        return name
    if not word or (colon and before in entry_points(group="evograft.llm").names):
        raise UserError(
            f"--llm {llm!r}: the models of a run have one driver, {driver} or {before or 'another'}; litellm asks "
            "models of several providers"
        )
    return word
