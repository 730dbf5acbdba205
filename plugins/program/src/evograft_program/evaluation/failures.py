"""Why an evaluation gave no value, and who is to blame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from evograft.api import PluginError
from evograft.text.escapes import one_line
from evograft_hookspecs import CommandResult
from evograft_program.answers.results import StageFailure
from evograft_program.options import EvaluationLimits

EVALUATORS_OWN = frozenset(
    {"NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "SyntaxError", "IndentationError"}
)
"""Errors in the evaluator's code that no candidate can cause by what it returns."""


NOT_RUN = (126, 127)
"""Exit codes of a shell that could not run a program."""


class EvaluatorFailed(Exception):  # noqa: N818 - it says what happened
    """The evaluator is at fault: every candidate would fail like this one.

    Args:
        fault: what happened, and where, in one line.
        feedback: the last frames.
    """

    def __init__(self, fault: str, *, feedback: str = "") -> None:
        super().__init__(f"the evaluator is at fault: {fault}")
        self.fault = fault
        self.feedback = feedback

    def to_plugin_error(self) -> PluginError:
        """Return what ends the run, in words for its user."""
        error = PluginError(f"{self}; correct it and start another run: this one keeps the copy that it began with")
        error.is_resumable = False
        return error


@dataclass(frozen=True)
class RaisedError:
    """An exception that ended an evaluation."""

    name: str
    message: str
    frames: tuple[tuple[str, int, str, str], ...]
    """File, line, function and text of each, the innermost last."""

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> RaisedError:
        """Read what the worker says; it may have been told anything."""
        frames = fields.get("frames")
        found = [_read_frame(frame) for frame in frames if isinstance(frame, dict)] if isinstance(frames, list) else []
        return cls(_text(fields.get("error")), _text(fields.get("message")), tuple(found))

    def __str__(self) -> str:
        return one_line(f"{self.name}: {self.message}" if self.message else self.name)

    def is_evaluators(self, task: str) -> bool:
        """Return whether the evaluator is at fault, whatever the candidate does.

        Args:
            task: the folder of the evaluator and of what lies beside it.
        """
        file = self.frames[-1][0] if self.frames else ""
        return self.name in EVALUATORS_OWN and PurePath(file).is_relative_to(task)

    def describe(self, folders: Sequence[str]) -> str:
        """Return the last frames, as a model or a person may read them.

        Args:
            folders: paths are shown without them.
        """
        lines = [f"{_shorten(file, folders)}, line {line}: {text}" for file, line, _, text in self.frames]
        return "\n".join((*lines, str(self)))

    def explain(self, folders: Sequence[str]) -> str:
        """Return the error in one line, with the place in the task's or the candidate's files where it came from.

        Args:
            folders: those of the task and of the candidate.
        """
        place = next((frame for frame in reversed(self.frames) if _find_folder(frame[0], folders)), None)
        return f"{self} ({_shorten(place[0], folders)}, line {place[1]})" if place else str(self)


def explain_limit(result: CommandResult, limits: EvaluationLimits) -> StageFailure:
    """Return which limit ended a command."""
    cpu = f"the {limits.cpu_seconds:g} s of CPU time" if limits.cpu_seconds else "the CPU time"
    reason = _LIMITS[result.limit].format(limits=limits, cpu=cpu)
    return StageFailure(reason, is_timeout=result.limit in ("wall", "cpu", "idle"))


def explain_exit(result: CommandResult, *, with_output: bool = False) -> StageFailure:
    """Return how a command ended that should have answered.

    Args:
        result: of the command.
        with_output: whether the last line that it printed may say why.
    """
    said = find_last_line(result.stderr) if with_output else ""
    ended = (
        f"the process was ended by signal {-result.exit_code}"
        if result.exit_code < 0
        else f"the process ended without an answer, with exit code {result.exit_code}"
    )
    return StageFailure(f"{ended}: {said}" if said else ended)


def find_last_line(output: bytes) -> str:
    """Return the last line that says something; programs that fail say there why."""
    lines = output.decode(errors="replace").split("\n")
    return next((one_line(line) for line in reversed(lines) if line.strip()), "")


_LIMITS = {
    "wall": "time-out: no answer after {limits.seconds:g} seconds a stage",
    "cpu": "time-out: more than {cpu} that an evaluation may use",
    "idle": "time-out: it waited for nothing",
    "memory": "more than {limits.memory_mb} MB of memory",
    "processes": "more than {limits.processes} processes",
    "output": "too much output, or too large a file",
}


def _read_frame(frame: Mapping[str, Any]) -> tuple[str, int, str, str]:
    line = frame.get("line")
    texts = [_text(frame.get(name)) for name in ("file", "function", "text")]
    return texts[0], line if isinstance(line, int) else 0, texts[1], texts[2]


def _text(value: object) -> str:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _shorten(file: str, folders: Sequence[str]) -> str:
    path, folder = PurePath(file), _find_folder(file, folders)
    return str(path.relative_to(folder)) if folder else path.name


def _find_folder(file: str, folders: Sequence[str]) -> str:
    return next((each for each in folders if each and PurePath(file).is_relative_to(each)), "")
