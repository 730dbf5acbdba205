"""What ends a command from outside."""

from __future__ import annotations

import signal


def ending_signals() -> tuple[signal.Signals, ...]:
    """Return the signals that end a command: Ctrl-C, a request, and its terminal's end unless `nohup` is at work."""
    outlives = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return (signal.SIGINT, signal.SIGTERM) if outlives else (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interrupt_on_signals() -> None:
    """Let all of them end the command like Ctrl-C does, by a KeyboardInterrupt.

    SIGINT is set as well: a shell starts what it puts into the background with SIGINT ignored, and Python leaves it so.
    """
    for number in ending_signals():
        signal.signal(number, signal.default_int_handler)
