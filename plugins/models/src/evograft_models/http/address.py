"""The address of a server, as options give it."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator

OPENAI = "api.openai.com"


def check_address(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("an address begins with http:// or https:// and names a host")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("an address holds no user, password, query or fragment; a key stands in the environment")
    parts.port  # noqa: B018 - raises a ValueError for a port that is none
    return address


HttpAddress = Annotated[str, AfterValidator(check_address)]


def is_openai(address: str) -> bool:
    return urlsplit(address).hostname == OPENAI
