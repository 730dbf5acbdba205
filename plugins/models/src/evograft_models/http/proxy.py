"""The proxy that the environment sets."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

from evograft_hookspecs import LlmUnavailable


def find_proxy_for(address: str) -> dict[str, Any]:
    """Return the arguments of the proxy that the environment sets for an address.

    Empty if it is reached directly.
    """
    parts = urlsplit(address)
    host = parts.hostname or ""
    if host in ("localhost", "::1") or host.startswith("127.") or proxy_bypass(host):
        return {}
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy:
        return {}
    given = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if given.scheme not in ("http", "https"):
        raise LlmUnavailable(
            f"the proxy for {address} is of the kind {given.scheme!r}: only http and https are supported"
        )
    place = urlunsplit((given.scheme, given.netloc.rpartition("@")[2], "", "", ""))
    if given.username is None:
        return {"proxy_url": place}
    return {"proxy_url": place, "proxy_auth": (unquote(given.username), unquote(given.password or ""))}
