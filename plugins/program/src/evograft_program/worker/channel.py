"""The way back to the host: what was standard output, kept from everything that the evaluation runs."""

from __future__ import annotations

import fcntl
import json
import os
import struct

HEADER = struct.Struct("<I")
FIRST_PRIVATE = 100
OUTPUT, ERROR = 1, 2


class AnswerChannel:
    """Messages to the host, each with its length and the token that only this evaluation was told.

    What is printed goes to standard error from now on.
    """

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        # Not inherited by programs, and out of the way of those who count descriptors.
        self._descriptor = fcntl.fcntl(OUTPUT, fcntl.F_DUPFD_CLOEXEC, FIRST_PRIVATE)
        os.dup2(ERROR, OUTPUT)

    def send(self, kind: str, **fields: object) -> None:
        """Send a message; `fields` are JSON."""
        body = self._token + json.dumps({"type": kind, **fields}).encode()
        rest = memoryview(HEADER.pack(len(body)) + body)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
