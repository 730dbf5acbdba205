"""The process of a candidate: it locks itself in, calls the candidate once per item, and writes one frame."""

from __future__ import annotations

import array
import math
import os
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from evograft_sandbox.functions.frame import MAX_TEXT, SHOWN_ITEMS, one_line, pack_frame
from evograft_sandbox.functions.lockdown import Lockdown
from evograft_sandbox.functions.namespace import candidate_globals
from evograft_sandbox.functions.number import NotANumber, to_float
from evograft_sandbox.functions.preload import Preload

RESULT_FD = 3
FILENAME = "<candidate>"
BALLAST = 1 << 21
SMALL_OBJECT = 512
PER_SIZE = 1 << 18


@dataclass(frozen=True)
class CandidateJob:
    """One candidate and the data set it is to be called on."""

    source: str
    function: str
    dataset: str
    token: bytes
    moved: bool = False
    """Whether its objects are to lie at other addresses than usual."""


def run_candidate(job: CandidateJob, preload: Preload, lockdown: Lockdown, *, result_fd: int, null_fd: int) -> NoReturn:
    """Run the candidate; never return, and never run what the worker registered to run at its exit."""
    try:
        os.setsid()
        for fd in (0, 1, 2):
            os.dup2(null_fd, fd)
        os.dup2(result_fd, RESULT_FD)
        _seed_generators()
        lockdown.apply()
        _write(_answer(job, preload))
    finally:
        os._exit(0)


def _seed_generators() -> None:
    """Give every candidate the global generators in one state; `random` reseeds itself from the system in a fork."""
    for name in ("random", "numpy.random"):
        if name in sys.modules:
            sys.modules[name].seed(0)


def _answer(job: CandidateJob, preload: Preload) -> bytes:
    """Return the frame. A candidate that breaks what runs here ruins only its own."""
    ballast = bytearray(BALLAST)
    values, item_errors = array.array("d"), list[tuple[int, str]]()
    moving = _fill_pools() if job.moved else None
    function, error = _attempt(_load, job, candidate_globals(preload))
    if not error:
        values, item_errors = _call_on_items(function, preload, job.dataset)
    # The candidate may have filled the memory; what follows needs a little.
    del ballast, moving
    return pack_frame(job.token, values, error, item_errors)


def _fill_pools() -> list[object]:
    """Take what is free in the pools that small objects come from, so that later ones come from new pools."""
    smallest = [object() for _ in range(PER_SIZE // 16)]
    small = [float(number) for number in range(PER_SIZE // 32)]
    return [
        smallest,
        small,
        *(bytes(size) for size in range(16, SMALL_OBJECT - 32, 16) for _ in range(PER_SIZE // size)),
    ]


def _load(job: CandidateJob, namespace: dict[str, Any]) -> Any:
    exec(compile(job.source, FILENAME, "exec", dont_inherit=True), namespace)  # noqa: S102 - behind the layers
    function = namespace.get(job.function)
    if not callable(function):
        raise NotANumber(f"there is no function named {job.function!r}: define it at the top level")
    return function


def _call_on_items(
    function: Callable[[Any], Any], preload: Preload, dataset: str
) -> tuple[array.array[float], list[tuple[int, str]]]:
    items, before = preload.datasets[dataset], preload.before_item
    values = array.array("d", [math.nan]) * len(items)
    reasons: list[tuple[int, str]] = []
    for index in range(len(items)):
        value, reason = _attempt(_value_of, function, before, items[index])
        if not reason:
            values[index] = value
        elif len(reasons) < SHOWN_ITEMS:
            reasons.append((index, reason))
    return values, reasons


def _value_of(function: Callable[[Any], Any], before: Callable[[Any], Any] | None, item: Any) -> float:
    return to_float(function(item if before is None else before(item)))


def _attempt(call: Callable[..., Any], *arguments: Any) -> tuple[Any, str]:
    """Return what the call returns, or `None` and why it failed. All candidate code is called here."""
    try:
        return call(*arguments), ""
    except BaseException as err:  # noqa: BLE001 - a candidate may raise anything, and its SystemExit ends nothing
        try:
            return None, _describe(err)
        except BaseException:  # noqa: BLE001 - __str__ may be the candidate's own
            return None, "an exception that cannot be shown"


def _describe(err: BaseException) -> str:
    if isinstance(err, NotANumber):
        return one_line(str(err))
    line = err.lineno if isinstance(err, SyntaxError) else _candidate_line(err.__traceback__)
    text = err.msg if isinstance(err, SyntaxError) else str(err)
    if isinstance(err, MemoryError):
        text = "more memory than a candidate may use"
    place = f" (line {line})" if line else ""
    return one_line(f"{type(err).__name__}{': ' if text else ''}{text[:MAX_TEXT]}", MAX_TEXT - len(place)) + place


def _candidate_line(traceback: types.TracebackType | None) -> int | None:
    """Return the innermost line of the candidate that an exception came through."""
    line = None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == FILENAME:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def _write(frame: bytes) -> None:
    rest = memoryview(frame)
    while rest:
        rest = rest[os.write(RESULT_FD, rest) :]
