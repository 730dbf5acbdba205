"""What PostgreSQL complains about, as an error for the user: who, what, and what to do."""

from __future__ import annotations

import psycopg
from psycopg import errors

from evograft.api import EvograftError, ServiceError, UserError

AWAY = (
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
    errors.IdleSessionTimeout,
    errors.TooManyConnections,
)
"""Errors after which the same may work later."""
ADVICE = {
    "password authentication failed": "check the user, and the password in ~/.pgpass or PGPASSWORD",
    "no password supplied": "put the password into ~/.pgpass, a service file or PGPASSWORD",
    "no pg_hba.conf entry": "let the server's pg_hba.conf admit this machine and user",
    "does not exist": "create it, or correct the address",
    "definition of service": "write it into ~/.pg_service.conf, or correct the address",
    "permission denied": "let its owner grant the right to connect",
    "invalid": "correct the address",
    "unexpected": "correct the address",
}
"""By what libpq says, what to do about a connection that the server, or libpq itself, refuses for good."""


def is_lost(err: psycopg.Error, connection: psycopg.Connection | None) -> bool:
    """Return whether an error is that of a connection which may be made again."""
    lost = connection is None or connection.closed or connection.broken
    return isinstance(err, AWAY) or (lost and isinstance(err, (psycopg.OperationalError, psycopg.InterfaceError)))


def refusal(err: psycopg.Error, address: str) -> EvograftError:
    """Return why a database cannot be connected to."""
    said = describe_refusal(err)
    advice = next((advice for words, advice in ADVICE.items() if words in said), None)
    if advice is None:
        return ServiceError(f"cannot reach {address}: {said}; start the server, or correct the address")
    return UserError(f"cannot use {address}: {said}; {advice}")


def describe_refusal(err: psycopg.Error) -> str:
    """Return what was said of a connection that could not be made, for people."""
    last = str(err).rpartition("failed: ")[2].strip().partition("\n")[0]  # a guess of libpq follows
    return " ".join(last.split()).removeprefix("FATAL: ")


def complaint(err: psycopg.Error, address: str, *, hint: str) -> EvograftError:
    """Return what a statement failed for.

    Args:
        err: what psycopg raised.
        address: of the database.
        hint: the command that resumes or repeats what failed.
    """
    said = " ".join((err.diag.message_primary or str(err)).split())
    if isinstance(err, (errors.UndefinedTable, errors.InvalidSchemaName)):
        return UserError(f"{address} holds no runs yet: start one with store.url={address}")
    if isinstance(err, (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction)):
        return UserError(
            f"{address}: {said}; let the owner of schema evograft grant this user its tables, or use another user"
        )
    if isinstance(err, (errors.DiskFull, errors.OutOfMemory, errors.ConfigurationLimitExceeded)):
        return ServiceError(f"{address} takes no more: {said}; free some space, then: {hint}", hint=hint)
    return ServiceError(f"{address}: {said}; then: {hint}", hint=hint)
