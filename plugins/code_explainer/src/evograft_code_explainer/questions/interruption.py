"""Work that a signal can end while it waits for something."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

LOOK = 0.2
"""Seconds between two looks of the main thread."""

T = TypeVar("T")


def run_interruptibly(work: Callable[[], T], end: Callable[[], None]) -> T:
    """Carry work out on a thread of its own, and return or raise what it comes to.

    Python handles signals on the main thread alone, which may sleep through one while it waits for a lock.

    Args:
        work: what takes long.
        end: brings it to its end. It is called at the first KeyboardInterrupt; the second one is raised.
    """
    result: Future[T] = Future()
    threading.Thread(target=_carry_out, args=(work, result), name="work", daemon=True).start()
    try:
        return _wait_for(result)
    except KeyboardInterrupt:
        end()
    return _wait_for(result)


def _carry_out(work: Callable[[], T], result: Future[T]) -> None:
    try:
        value = work()
    except BaseException as err:  # noqa: BLE001 - it is raised again where the result is waited for
        result.set_exception(err)
    else:
        result.set_result(value)


def _wait_for(result: Future[T]) -> T:
    while not result.done():
        wait([result], timeout=LOOK)
    return result.result()
