"""The options of the driver, and what they say of the database."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import parse_qs, urlsplit, urlunsplit

from pydantic import AfterValidator, Field

from evograft_hookspecs import NoOptions

SCHEMES = ("postgresql", "postgres")
_HOST = r"(\[[^\]]*\]|[^:\[\]]*)(:\d*)?"
_HOSTS = re.compile(f"{_HOST}(,{_HOST})*")
SECRECY = (
    "holds a password, which would be written down: leave it out, and put it into ~/.pgpass, a service file or the "
    "environment variable PGPASSWORD"
)


def check_url(url: str) -> str:
    """Return an address of a database that may be written down and shown.

    Raises:
        ValueError: it is none, or holds a password.
    """
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES:
        raise ValueError("is not an address of a database: write it as postgresql://HOST/DATABASE")
    user, _, hosts = parts.netloc.rpartition("@")
    # A password with a slash in it ends the part of the hosts early: what is no port may be its beginning.
    if ":" in user or "@" in parts.path or "password" in parse_qs(parts.query) or not _HOSTS.fullmatch(hosts):
        raise ValueError(SECRECY)
    if parts.fragment:
        raise ValueError("names a run behind its #: leave that out, the run gets its name from the pipeline")
    return urlunsplit(("postgresql", *parts[1:])) if parts.netloc else url.replace("postgres://", "postgresql://", 1)


class PostgresOptions(NoOptions):
    """Where the database is, and how long its absence is borne."""

    url: Annotated[str, AfterValidator(check_url)]
    """`postgresql://[USER@]HOST[:PORT]/DATABASE`, parameters of libpq behind a `?`. A password is not part of it:
    `~/.pgpass`, a service file or `PGPASSWORD` holds."""
    patience: Annotated[float, Field(ge=0)] = 300.0
    """Seconds for which a run that is under way waits for a database that went away, before it ends resumable."""
