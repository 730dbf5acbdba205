"""Logs of the libraries beneath an engine, which write tracebacks to the terminal when a connection is lost."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

LOGGERS = ("distributed", "distributed.client", "tornado.application", "asyncio")
"""Those with a level of their own. What they say of a lost connection, the state of the engine says in one line."""


@contextmanager
def muted_logs() -> Iterator[None]:
    """Keep what these libraries log off the terminal."""
    loggers = [logging.getLogger(name) for name in LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
