"""What ends a command from outside."""

from __future__ import annotations

import signal


def interrupt_on_signals() -> None:
    """Lets SIGTERM end the command like Ctrl-C does, by a KeyboardInterrupt.

    SIGINT is set as well: a shell starts what it puts into the background with SIGINT ignored, and Python leaves it so.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
