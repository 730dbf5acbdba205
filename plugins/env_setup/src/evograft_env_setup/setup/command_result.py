"""The record of a command, as results keep it."""

from __future__ import annotations

from typing import Any

from evograft.text.masking import mask
from evograft_env_setup.sandbox import CommandOutcome
from evograft_env_setup.text.quoting import bound, shorten
from evograft_hookspecs.values import Number, Text, Value

LONGEST = 20_000
"""Characters of a stream that are kept, without its middle."""


class CommandRecord(Value):
    """A command that has run; streams are without keys, and without their middle if they are long."""

    command: Text
    """As it was planned."""
    exit_code: int
    stdout: Text
    stderr: Text
    seconds: Number


def record_fields(command: str, outcome: CommandOutcome) -> dict[str, Any]:
    """Return the fields of a `CommandRecord`."""
    return {
        "command": mask(command),
        "exit_code": outcome.exit_code,
        "stdout": _shorten_stream(outcome.stdout),
        "stderr": _shorten_stream(outcome.stderr),
        "seconds": outcome.seconds,
    }


def _shorten_stream(stream: str) -> str:
    # Masked before it is cut to what is kept: half a key is not recognised any more.
    return shorten(mask(bound(stream)), LONGEST)
