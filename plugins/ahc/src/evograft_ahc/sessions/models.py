"""Which models the settings ask for."""

from __future__ import annotations

import importlib.util
import os
from typing import Any

from evograft_ahc.settings.model import LlmSettings, get_key_variable
from evograft_ahc.text.messages import ContestUserError

OWN_DRIVERS = ("none", "manual", "ollama")
"""Providers that are drivers of evograft under the same name."""
PREFIXES = {"google": "gemini"}
"""Providers that litellm calls otherwise."""
OPENAI_KEY = "OPENAI_API_KEY"


def build_llm_section(settings: LlmSettings) -> dict[str, Any]:
    """Return the section `llm` of a pipeline."""
    shared = {"timeout": settings.timeout}
    if settings.provider in ("none", "manual"):
        return {"driver": settings.provider, **shared}
    if settings.provider == "ollama":
        return {"driver": "ollama", "models": [settings.model], **shared}
    if settings.provider == "openai" and importlib.util.find_spec("litellm") is None:
        variable = _own_variable(settings)
        return {
            "driver": "openai",
            "models": [settings.model],
            **({"api_key_env": variable} if variable else {}),
            **shared,
        }
    prefix = PREFIXES.get(settings.provider, settings.provider)
    name = settings.model if settings.model.startswith(f"{prefix}/") else f"{prefix}/{settings.model}"
    return {"driver": "litellm", "models": [name], "api_key_env": _own_variable(settings), **shared}


def require_key(settings: LlmSettings) -> None:
    """Refuse to start if the key that is referred to does not exist.

    Raises:
        ContestUserError: naming the variable, and how to do without a model.
    """
    variable = "" if settings.provider in OWN_DRIVERS else _own_variable(settings)
    if variable and not os.environ.get(variable, "").strip():
        raise ContestUserError(
            f"no key for {settings.provider}: set the environment variable {variable}; or name another provider, "
            "such as "
            "none, which needs no model: evo ahc config llm.provider none",
            ja=f"{settings.provider} のキーがありません: 環境変数 {variable} を設定してください。"
            "モデルなしで動かすには: "
            "evo ahc config llm.provider none",
        )


def _own_variable(settings: LlmSettings) -> str:
    """Return the variable that holds the key; empty: the provider's usual one.

    OpenAI's variable belongs to no other provider.
    """
    variable = get_key_variable(settings)
    return "" if variable == OPENAI_KEY and settings.provider != "openai" else variable
