"""Keys by reference: options name an environment variable, never a key."""

from __future__ import annotations

import os
import re
from typing import Annotated

from pydantic import AfterValidator

from evograft_hookspecs import LlmUnavailable
from evograft_models.http.address import is_openai

USUAL = "OPENAI_API_KEY"


_LONG_NAME = 20
"""Keys are at least as long, and names of variables that are stand in capitals."""


def _variable(name: str) -> str:
    is_name = re.fullmatch(r"([A-Za-z_][A-Za-z0-9_]*)?", name) and (len(name) < _LONG_NAME or name.isupper())
    if not is_name:
        # The name is not repeated: what is not a name may be the key itself.
        raise ValueError("names an environment variable that holds the key; a key itself is written nowhere")
    return name


KeyVariable = Annotated[str, AfterValidator(_variable)]


def find_key_for(variable: str, address: str) -> str | None:
    """Return the key for a server that follows OpenAI's conventions; `None` if it gets none.

    Another server than OpenAI's goes without one unless its variable was named.

    Raises:
        LlmUnavailable: the variable is unset.
    """
    if not variable:
        return None
    if variable == USUAL and not is_openai(address):
        return find_key(variable)
    return require_key(variable)


def require_key(variable: str) -> str:
    """Return the key that a variable holds; raise LlmUnavailable if there is none."""
    key = find_key(variable)
    if key is None:
        raise LlmUnavailable(f"no API key: set the environment variable {variable}")
    return key


def find_key(variable: str) -> str | None:
    """Return the key that a variable holds; `None` if the variable is unset or blank.

    Raises:
        LlmUnavailable: it holds what no HTTP header can carry.
    """
    key = os.environ.get(variable, "").strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise LlmUnavailable(f"the environment variable {variable} holds something that is no key")
    return key or None
