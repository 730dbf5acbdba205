"""One connection to a database, which is made again when it is lost."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from tenacity import RetryCallState, Retrying, retry_if_exception_type, wait_random_exponential

from evograft.api import EvograftError, ServiceError
from evograft_postgres.faults import complaint, describe_refusal, is_lost, refusal

T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]

USUAL = {
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "4",
    "tcp_user_timeout": "30000",
}
"""Parameters of libpq that the address may override: a peer that is cut off is noticed within half a minute."""
NOTICE = (
    "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4; "
    "SET tcp_user_timeout = 30000"
)
"""The same for the server, which holds the lock of a run for as long as it takes the connection for alive. While what
it has sent does not arrive, it looks for no sign of life, and would repeat itself for a quarter of an hour."""
LONGEST_PAUSE = 5.0
_LOG = logging.getLogger(__name__)
_UNHEARD = logging.NullHandler()


@dataclass
class _Absence:
    """The time in which no connection to a database could be had."""

    since: float
    """Monotonic."""
    is_announced: bool = False


_absences: dict[str, _Absence] = {}
"""By address: what a run needs its connections for is done one after another, and patience is that of the run."""


class _Lost(Exception):  # noqa: N818 - it says what became of the connection
    """The connection was lost; the same may work on a new one."""

    def __init__(self, error: psycopg.Error) -> None:
        super().__init__(str(error))
        self.error = error


class Database:
    """Threads take turns at one connection.

    Args:
        url: of the database, without a password.
        name: of the connection, for whoever looks at the server.
        patience: seconds for which one that went away is waited for; 0: it is not.
        hint: the command that repeats or resumes what this is needed for.
        prepare: is called with each new connection, before anything else uses it.
    """

    def __init__(
        self, url: str, name: str, *, patience: float, hint: str, prepare: Callable[[Connection], None]
    ) -> None:
        self.url = url
        self._name = name
        self.hint = hint
        self._patience = patience
        self._prepare = prepare
        self._connection: Connection | None = None
        self._turn = threading.RLock()
        # What it logs of a lost connection would be printed, because nobody else handles it; the error here says it.
        logging.getLogger("psycopg").addHandler(_UNHEARD)

    def run(self, work: Callable[[Connection], T]) -> T:
        """Return what some work on the connection returns. It is repeated on a new one where that one is lost.

        So the work must be such that repeating it does no harm, whatever became of the first attempt.

        Raises:
            ServiceError: the database stayed away, or cannot do it.
            UserError: it does not let this user do it.
        """
        with self._turn:
            # Whoever has never been connected learns at once why it cannot be.
            patience = self._patience if self._connection is not None else 0.0
            retrying = Retrying(
                retry=retry_if_exception_type(_Lost),
                stop=partial(self._is_given_up, patience),
                wait=wait_random_exponential(multiplier=0.1, max=LONGEST_PAUSE),
                before_sleep=self._announce,
                reraise=True,
            )
            try:
                # An absence begins with somebody who waits.
                found: T = retrying(self._attempt if patience else self._work, work)
            except _Lost as err:
                raise self._absence(err.error, patience) from err
            _absences.pop(self.url, None)
            return found

    def close(self) -> None:
        """End the connection."""
        if self._connection is not None:
            self._connection.close()

    def _is_given_up(self, patience: float, state: RetryCallState) -> bool:
        """Return whether this connection has waited for long enough, or all of them together have."""
        absence = _absences.get(self.url)
        together = 0.0 if absence is None else time.monotonic() - absence.since
        return max(together, state.seconds_since_start or 0.0) >= patience

    def _announce(self, state: RetryCallState) -> None:
        """Say once that the database is waited for: whoever looks at the run sees it stand still."""
        absence = _absences.get(self.url)
        # At first only a connection has broken; then a new one could not be made.
        if absence is not None and state.attempt_number > 1 and not absence.is_announced:
            absence.is_announced = True
            _LOG.warning("%s is away: it is waited for, for up to %.0f s", self.url, self._patience)

    def _absence(self, err: psycopg.Error, patience: float) -> EvograftError:
        if not patience:
            return refusal(err, self.url)
        return ServiceError(
            f"{self.url} has been away for {patience:.0f} s ({describe_refusal(err)}); once it is back: {self.hint}",
            hint=self.hint,
        )

    def _attempt(self, work: Callable[[Connection], T]) -> T:
        try:
            return self._work(work)
        except _Lost:
            _absences.setdefault(self.url, _Absence(time.monotonic()))
            raise

    def _work(self, work: Callable[[Connection], T]) -> T:
        if self._connection is None or self._connection.closed or self._connection.broken:
            self._connect()
        assert self._connection is not None
        try:
            return work(self._connection)
        except psycopg.Error as err:
            if is_lost(err, self._connection):
                self._connection.close()
                raise _Lost(err) from err
            raise complaint(err, self.url, hint=self.hint) from err

    def _connect(self) -> None:
        try:
            given = conninfo_to_dict(self.url)
            usual = {name: value for name, value in USUAL.items() if name not in given}
            connection = psycopg.connect(
                make_conninfo(self.url, **usual, client_encoding="UTF8", application_name=self._name), autocommit=True
            )
        except psycopg.Error as err:
            raise _Lost(err) from err
        try:
            connection.execute(NOTICE)
            self._prepare(connection)
        except psycopg.Error as err:
            connection.close()
            if is_lost(err, connection):
                raise _Lost(err) from err
            raise complaint(err, self.url, hint=self.hint) from err
        except EvograftError:
            connection.close()
            raise
        self._connection = connection
