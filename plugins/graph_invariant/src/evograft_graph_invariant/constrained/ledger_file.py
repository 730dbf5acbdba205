"""A small file of what all runs of a user spend on fallback models in a month, locked while it is changed."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from evograft.api import write_atomically
from evograft_hookspecs import FrozenDict, Value
from evograft_hookspecs.values import Text

Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
MonthName = Annotated[str, Field(pattern=r"^\d{4}-\d{2}$")]


class NotGranted(Exception):  # noqa: N818 - it says how to react
    """The model may not be asked now; the message says why."""


class Month(Value):
    """A calendar month, UTC."""

    spent: Dollars = 0.0
    reserved: FrozenDict[Text, Dollars] = FrozenDict()
    """The most that calls without a known end may cost, by call. A run that is never resumed leaves its own here."""

    @property
    def taken(self) -> float:
        return self.spent + sum(self.reserved.values())


class LedgerFile(Value):
    """The contents of the file."""

    version: Literal[1] = 1
    months: FrozenDict[MonthName, Month] = FrozenDict()


def get_current_month() -> str:
    return f"{datetime.now(UTC):%Y-%m}"


class MonthlyLedger:
    """The ledger, for any thread of any process.

    Args:
        path: of the file.
        month: the month that it is.
    """

    def __init__(self, path: Path, month: Callable[[], str] = get_current_month) -> None:
        self._path = path
        self._month = month

    def reserve(self, call: str, dollars: float, *, most: float) -> None:
        """Set money aside for a call before it starts; if it has some already, set nothing more aside.

        Raises:
            NotGranted: the month's money does not cover it, or the file cannot be used.
        """
        with self._changing() as book:
            if any(call in month.reserved for month in book.months.values()):
                return
            name = self._month()
            month = book.months.get(name, Month())
            if month.taken + dollars > most:
                raise NotGranted(
                    f"{month.taken:.4f} of {most:g} dollars of {name} are spent or set aside, and a call may take "
                    f"{dollars:.4f}"
                )
            self._write(book, name, Month(spent=month.spent, reserved=FrozenDict({**month.reserved, call: dollars})))

    def settle(self, call: str, dollars: float) -> None:
        """Replace what was set aside for a call with what it has cost; repeated calls change nothing.

        Raises:
            NotGranted: the file cannot be used.
        """
        with self._changing() as book:
            for name, month in book.months.items():
                if call in month.reserved:
                    rest = {key: value for key, value in month.reserved.items() if key != call}
                    self._write(book, name, Month(spent=month.spent + dollars, reserved=FrozenDict(rest)))

    @contextmanager
    def _changing(self) -> Iterator[LedgerFile]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.with_suffix(".lock").open("a") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)  # of this open file, so it keeps threads apart too; ends with it
                yield self._read()
        except OSError as err:
            raise NotGranted(f"what was spent cannot be noted in {self._path}: {err.strerror}") from err

    def _read(self) -> LedgerFile:
        if not self._path.exists():
            return LedgerFile()
        try:
            return LedgerFile.model_validate_json(self._path.read_bytes())
        except (ValidationError, RecursionError) as err:
            raise NotGranted(
                f"{self._path} is damaged, so nobody knows what was spent: mend it, or remove it to begin at 0"
            ) from err

    def _write(self, book: LedgerFile, name: str, month: Month) -> None:
        changed = LedgerFile(months=FrozenDict({**book.months, name: month}))
        write_atomically(self._path, changed.model_dump_json(indent=1).encode())
