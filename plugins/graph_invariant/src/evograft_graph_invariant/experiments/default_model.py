"""The model that an experiment uses if it names none: Ollama's, where it answers."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from evograft_graph_invariant.experiments.experiment import Experiment

MODEL = "gpt-oss:20b"
USUAL = "127.0.0.1:11434"
PATIENCE = 1.0
"""Seconds that a server has to say that it is there."""
MOST_BYTES = 4_000_000

NO_MODEL: dict[str, Any] = {"driver": "none"}


def find_default_models(config: Experiment) -> tuple[Mapping[str, Any], str]:
    """Return the section `llm`, and a line for the user; both empty where the experiment names its models itself."""
    if config.model is not None:
        return {}, ""
    return find_default_llm()


def find_default_llm(model: str = MODEL) -> tuple[dict[str, Any], str]:
    """Return the section `llm` of a pipeline, and a line for the user that says what it is and why.

    Args:
        model: that is wanted of Ollama.
    """
    given = os.environ.get("OLLAMA_HOST", "").strip() or USUAL
    try:
        address = _address(given)
    except ValueError:
        return _without(f"OLLAMA_HOST={given!r} is no address")
    try:
        offered = _models_at(address)
    except OSError:
        return _without(f"no Ollama answers at {address}")
    except (ValueError, RecursionError):
        return _without(f"what answers at {address} is no Ollama")
    if model not in offered:
        return _without(f"Ollama at {address} has no {model} (ollama pull {model})")
    if find_spec("ollama") is None:
        return _without(
            f"Ollama answers at {address}, its client is not installed (pip install 'evograft-models[ollama]')"
        )
    return {"driver": "ollama", "model": model}, f"model: {model} of Ollama at {address}"


def _without(reason: str) -> tuple[dict[str, Any], str]:
    return dict(NO_MODEL), f"no model: {reason}, so formulas are edited by operators without one"


def _models_at(address: str) -> frozenset[str]:
    """Return the names of a server's models.

    Raises:
        OSError: nobody answers.
        ValueError: something else does.
    """
    import httpx

    try:
        with httpx.stream("GET", f"{address}/api/tags", timeout=PATIENCE, trust_env=False) as reply:
            reply.raise_for_status()
            body = b""
            for piece in reply.iter_bytes():
                body += piece
                if len(body) > MOST_BYTES:
                    raise ValueError("that is no list of models")
    except (httpx.HTTPStatusError, httpx.DecodingError, httpx.RemoteProtocolError, httpx.InvalidURL) as err:
        raise ValueError(str(err)) from err
    except httpx.HTTPError as err:
        raise OSError(str(err)) from err
    match json.loads(body):
        case {"models": list() as models}:
            return frozenset(str(each.get("name")) for each in models if isinstance(each, dict))
    raise ValueError("that is no list of models")


def _address(given: str) -> str:
    """Return a whole address from what Ollama accepts as one: `gpu`, `gpu:8080`, `http://gpu`."""
    if "://" in given:
        return given.rstrip("/")
    return f"http://{given if urlsplit(f'//{given}').port else f'{given}:11434'}"
