"""The tables of the database, in a schema of their own."""

from __future__ import annotations

from psycopg import errors

from evograft.api import UserError
from evograft_postgres.database import Connection

LAYOUT = 1
"""The version of the tables. Rows have a version of their own, which is noted with each run."""

# A row's text is body and, unpacked, rest: as in the logs of one folder. All texts are bytes: they may hold what a text
# of PostgreSQL cannot. What is compressed already is not compressed again.
_CREATE = """
CREATE SCHEMA IF NOT EXISTS evograft;
CREATE TABLE IF NOT EXISTS evograft.layout (version integer NOT NULL);
CREATE TABLE IF NOT EXISTS evograft.runs (
    id text PRIMARY KEY, name text NOT NULL, version integer NOT NULL, begun timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS evograft.rows (
    run text NOT NULL, seq bigint NOT NULL, kind text NOT NULL, key bytea NOT NULL, body bytea NOT NULL,
    rest bytea, hash bytea NOT NULL, PRIMARY KEY (run, seq)
);
ALTER TABLE evograft.rows ALTER COLUMN rest SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS evograft.artifacts (hash bytea PRIMARY KEY, text bytea NOT NULL);
ALTER TABLE evograft.artifacts ALTER COLUMN text SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS evograft.documents (
    run text NOT NULL, name text NOT NULL, content bytea NOT NULL, written timestamptz NOT NULL, PRIMARY KEY (run, name)
);
CREATE TABLE IF NOT EXISTS evograft.messages (
    run text NOT NULL, id text NOT NULL, body text NOT NULL, PRIMARY KEY (run, id)
);
CREATE TABLE IF NOT EXISTS evograft.claims (
    run text PRIMARY KEY, token text NOT NULL, backend integer NOT NULL, process bigint NOT NULL, host text NOT NULL,
    since timestamptz NOT NULL, note text NOT NULL, written timestamptz NOT NULL
);
INSERT INTO evograft.layout SELECT %d WHERE NOT EXISTS (SELECT FROM evograft.layout);
"""
_ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtextextended('evograft layout', 0))"
REMOVE = tuple(
    f"DELETE FROM evograft.{table} WHERE run = %s".encode()  # noqa: S608 - our own tables
    for table in ("rows", "documents", "messages", "claims")
)
"""Removes what belongs to one run."""


def ensure_layout(connection: Connection, address: str) -> None:
    """Make the tables where they are missing.

    Raises:
        UserError: the database cannot hold them, or this user may not make them.
    """
    try:
        require_layout(connection, address)
    except (errors.UndefinedTable, errors.InvalidSchemaName):
        _require_unicode(connection, address)
        try:
            with connection.transaction():
                connection.execute(_ONE_AT_A_TIME)
                connection.execute((_CREATE % LAYOUT).encode())
        except errors.InsufficientPrivilege as err:
            raise UserError(
                f"{address}: this user may not make the tables ({err.diag.message_primary}); "
                "let the owner run: GRANT CREATE ON DATABASE … TO …"
            ) from err


def require_layout(connection: Connection, address: str) -> None:
    """Refuse tables that a later version has made."""
    found = connection.execute("SELECT max(version) FROM evograft.layout").fetchone()
    version = found[0] if found else None
    if version is not None and version > LAYOUT:
        raise UserError(f"{address} has tables of version {version}, this reads {LAYOUT}: upgrade evograft-postgres")


def _require_unicode(connection: Connection, address: str) -> None:
    if (encoding := connection.info.parameter_status("server_encoding")) != "UTF8":
        raise UserError(
            f"{address} keeps texts as {encoding}: make a database that keeps them as UTF-8, with: "
            "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
        )
