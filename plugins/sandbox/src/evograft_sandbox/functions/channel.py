"""Length-framed messages between the caller and a worker, with bounds and deadlines on both sides."""

from __future__ import annotations

import json
import os
import select
import struct
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

HEADER = struct.Struct("<I")
CHUNK = 1 << 16


class ChannelLost(Exception):  # noqa: N818 - it says what happened
    """The other side is gone, silent, or does not keep to the protocol."""


@dataclass(frozen=True)
class WorkerChannel:
    """One side of the line. No byte that arrives is trusted: sizes are checked before anything is read."""

    fd: int
    """One end of a socket pair."""
    watch: tuple[int, ...] = ()
    """Further descriptors that end a wait when they become readable, such as the pidfd of the other side."""

    def __post_init__(self) -> None:
        os.set_blocking(self.fd, False)

    def send(self, payload: bytes, *, deadline: float | None = None) -> None:
        """Write one message; `deadline` is a value of `time.monotonic`."""
        rest = memoryview(HEADER.pack(len(payload)) + payload)
        while rest:
            self._wait(self.fd, select.POLLOUT, deadline)
            try:
                rest = rest[os.write(self.fd, rest[:CHUNK]) :]
            except BlockingIOError:
                continue
            except OSError as err:
                raise ChannelLost(f"cannot write: {err.strerror}") from err

    def receive(self, limit: int, *, deadline: float | None = None) -> bytes:
        """Read one message of at most `limit` bytes."""
        (size,) = HEADER.unpack(self._read(HEADER.size, deadline))
        if size > limit:
            raise ChannelLost(f"a message of {size} bytes, at most {limit} are allowed")
        return self._read(size, deadline)

    def send_json(self, message: Mapping[str, Any], *, deadline: float | None = None) -> None:
        self.send(json.dumps(message).encode(), deadline=deadline)

    def receive_json(self, limit: int, *, deadline: float | None = None) -> dict[str, Any]:
        """Read one message that is a JSON object."""
        try:
            message = json.loads(self.receive(limit, deadline=deadline))
        except (ValueError, RecursionError) as err:
            raise ChannelLost("a message that is no JSON") from err
        if not isinstance(message, dict):
            raise ChannelLost("a message that is no JSON object")
        return message

    def _read(self, size: int, deadline: float | None) -> bytes:
        data = bytearray()
        while len(data) < size:
            self._wait(self.fd, select.POLLIN, deadline)
            try:
                chunk = os.read(self.fd, min(size - len(data), CHUNK))
            except BlockingIOError:
                continue
            except OSError as err:
                raise ChannelLost(f"cannot read: {err.strerror}") from err
            if not chunk:
                raise ChannelLost("the other side is gone")
            data += chunk
        return bytes(data)

    def _wait(self, fd: int, event: int, deadline: float | None) -> None:
        poll = select.poll()
        poll.register(fd, event)
        for other in self.watch:
            poll.register(other, select.POLLIN)
        ready = dict(poll.poll(None if deadline is None else max(0, deadline - time.monotonic()) * 1000))
        if not ready:
            raise ChannelLost("no answer in time")
        if fd not in ready or ready[fd] & select.POLLNVAL:
            raise ChannelLost("the other side is gone")
