"""From what a worker reports to what the caller learns: every way in which a candidate can end."""

from __future__ import annotations

import math
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evograft_sandbox.functions.channel import ChannelLost
from evograft_sandbox.functions.frame import FrameBroken, unpack_frame
from evograft_sandbox.functions.limits import FunctionLimits
from evograft_sandbox.functions.result import FunctionResult

CPU_SIGNALS = ("SIGPROF", "SIGXCPU")
CRASH_SIGNALS = ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE")
STATUSES = 256
ALMOST = 0.99
"""The kernel and the accounting of a process's time differ by a tick."""


@dataclass(frozen=True)
class CandidateReport:
    """A worker's answer, its types checked; what the candidate wrote is still unread."""

    ending: str
    status: int
    cpu_seconds: float
    written: bytes


def read_report(head: Mapping[str, Any], written: bytes) -> CandidateReport:
    """Check the head of a report.

    Raises:
        ChannelLost: the worker does not keep to the protocol.
    """
    ending, status, cpu = head.get("ending"), head.get("status"), head.get("cpu_seconds")
    if type(status) is not int or type(cpu) is not float or not isinstance(ending, str):
        raise ChannelLost("a report with wrong types")
    if not (abs(status) < STATUSES and 0 <= cpu < math.inf):
        raise ChannelLost("a report of what cannot be")
    return CandidateReport(ending, status, cpu, written)


def find_fault(report: CandidateReport, *, token: bytes, items: int, limits: FunctionLimits) -> FunctionResult:
    """Turn a report into the candidate's result."""
    error = _violent_end(report, limits)
    if not error:
        try:
            frame = unpack_frame(report.written, token=token, items=items)
        except FrameBroken:
            error = _strange_end(report)
        else:
            if not frame.error:
                failed = sum(map(math.isnan, frame.values))
                return FunctionResult(frame.values, "", frame.item_errors, failed, report.cpu_seconds)
            error = frame.error
    return FunctionResult.failed(error, cpu_seconds=report.cpu_seconds)


def _violent_end(report: CandidateReport, limits: FunctionLimits) -> str:
    name = _signal_name(-report.status) if report.status < 0 else ""
    spent = name == "SIGKILL" and report.cpu_seconds >= ALMOST * limits.cpu_seconds
    if spent or name in CPU_SIGNALS:
        return f"time-out: more than {limits.cpu_seconds:g} s of CPU time over the data set; make the function cheaper"
    if report.ending == "wall":
        return f"time-out: more than {limits.wall_seconds:g} s of wall time over the data set"
    if report.ending == "flood":
        return "wrote to its result pipe, which is the sandbox's own"
    if name in CRASH_SIGNALS:
        return f"crashed with {name} (too deep recursion, or too much memory, in C code)"
    return ""


def _strange_end(report: CandidateReport) -> str:
    if report.status < 0:
        return f"its process was ended by {_signal_name(-report.status)}"
    if report.written:
        return "wrote to its result pipe, which is the sandbox's own"
    return "its process ended before the function had been called on every item"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
