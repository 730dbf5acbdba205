"""Requests to the runner and its answers: numbers of 8 bytes, and fields with their length before them."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Mapping
from typing import Protocol

from evograft_hookspecs import CommandResult, ForkServer, SandboxCommand, SandboxLayer, SandboxLimits

MICROSECONDS = 1_000_000
MEGABYTE = 1 << 20
NEVER = (1 << 63) - 1
SERVER_CPU_SECONDS = 1e9
MOST_FILE_MEGABYTES = 1 << 30
STACK_MEGABYTES = 1024
"""The greatest stack of a fork server and of the commands that it begins; its memory is not watched."""
OWN_PROCESSES = 1024
"""Processes and threads that a fork server may have next to the command's: libraries start threads, one for a core."""
LIMITS = ("", "cpu", "wall", "memory", "processes", "output", "idle")
"""In the order of the runner's `enum limit`."""


class Source(Protocol):
    """Where answers come from."""

    def read(self, size: int) -> bytes:
        """Return exactly a given number of bytes."""


def number(value: int) -> bytes:
    return struct.pack("<Q", value)


def field(data: bytes) -> bytes:
    return number(len(data)) + data


def text(value: str) -> bytes:
    return field(value.encode())


def texts(values: Iterable[str]) -> bytes:
    listed = [text(value) for value in values]
    return number(len(listed)) + b"".join(listed)


def command(asked: SandboxCommand, environment: Mapping[str, str]) -> bytes:
    """Return a command as the runner reads it."""
    source = number(1) + text(asked.stdin_file) if asked.stdin_file else number(0) + field(asked.stdin)
    return b"".join(
        (
            texts(asked.arguments),
            texts(f"{name}={value}" for name, value in environment.items()),
            source,
            _links(asked.inputs),
            _links(asked.outputs),
            _limits(asked.limits),
        )
    )


def fork_server(asked: ForkServer | None, environment: Mapping[str, str]) -> bytes:
    """Return a fork server as the runner reads it: as the command that starts it, with a name of its own."""
    if asked is None:
        return number(0)
    started = command(
        SandboxCommand(arguments=asked.arguments, inputs=asked.inputs, limits=_limits_of_server(asked)), environment
    )
    return number(1) + text(hashlib.sha256(started).hexdigest()) + started


def _limits_of_server(asked: ForkServer) -> SandboxLimits:
    """Return limits that leave room for those of each command, which are lower."""
    return SandboxLimits(
        cpu_seconds=SERVER_CPU_SECONDS,
        wall_seconds=asked.wall_seconds,
        memory_mb=STACK_MEGABYTES,
        processes=asked.processes + OWN_PROCESSES,
        file_mb=MOST_FILE_MEGABYTES,
    )


def _links(paths: Mapping[str, str]) -> bytes:
    return number(len(paths)) + b"".join(text(inside) + text(outside) for inside, outside in paths.items())


def _limits(limits: SandboxLimits) -> bytes:
    values = (
        round(limits.cpu_seconds * MICROSECONDS),
        round(limits.wall_seconds * MICROSECONDS),
        limits.memory_mb * MEGABYTE,
        limits.processes,
        limits.output_bytes,
        limits.file_mb * MEGABYTE,
        NEVER if limits.idle_seconds is None else round(limits.idle_seconds * MICROSECONDS),
    )
    return b"".join(map(number, values))


def read_number(source: Source) -> int:
    (value,) = struct.unpack("<Q", source.read(8))
    return int(value)


def read_field(source: Source) -> bytes:
    return source.read(read_number(source))


def read_layers(source: Source) -> tuple[SandboxLayer, ...]:
    """Read what the runner says when it is ready."""
    return tuple(_read_layer(source) for _ in range(read_number(source)))


def _read_layer(source: Source) -> SandboxLayer:
    name, active, detail = read_field(source), read_number(source), read_field(source)
    return SandboxLayer(name=name.decode(), active=bool(active), detail=detail.decode())


def read_result(source: Source) -> CommandResult:
    (exit_code,) = struct.unpack("<q", source.read(8))
    limit, cpu, wall, waited, peak, forked = (read_number(source) for _ in range(6))
    stdout, stderr = read_field(source), read_field(source)
    return CommandResult(
        exit_code=exit_code,
        stdout=stdout,
        stderr=stderr,
        cpu_seconds=cpu / MICROSECONDS,
        wall_seconds=wall / MICROSECONDS,
        waited_seconds=waited / MICROSECONDS,
        peak_memory_mb=peak / MEGABYTE,
        limit=LIMITS[limit],
        forked=bool(forked),
    )
