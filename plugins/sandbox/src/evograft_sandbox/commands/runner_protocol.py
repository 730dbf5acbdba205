"""Requests to the runner and its answers: numbers of 8 bytes, and fields with their length before them."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from typing import Protocol

from evograft_hookspecs import CommandResult, SandboxCommand, SandboxLayer, SandboxLimits

MICROSECONDS = 1_000_000
MEGABYTE = 1 << 20
NEVER = (1 << 63) - 1
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
    limit, cpu, wall, waited, peak = (read_number(source) for _ in range(5))
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
    )
