"""What the host asks for."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

CANDIDATE, CHANGES, WORKING_FOLDER = "candidate", "changes", "work"
"""Folders in that of the command: with the candidate, with what it changes in a larger program, and to work in."""


@dataclass(frozen=True)
class EvaluationRequest:
    """One evaluation. Paths are absolute, or relative to the command's folder."""

    token: str
    style: str
    evaluator: str
    """The evaluator's file; a shell line for the style `command`."""
    function: str
    arguments: list[str]
    task: str
    """The task's folder, whose files are shown in the working folder; empty: none."""
    program: str
    """The candidate's file or folder."""
    folder: str
    """The folder that candidates change files of; empty: they are one file."""
    path: list[str]
    """Folders to import from, before all others."""
    examples: str
    thresholds: list[float]
    """Of a cascade; without any, there are no stages."""
    seconds: float
    """Wall seconds of a stage."""
    seed: int
    kept_bytes: int
    is_final: bool
    """Whether this is the evaluation at the end."""

    @classmethod
    def read(cls, data: bytes) -> EvaluationRequest:
        """Read a request as it comes over standard input."""
        values: dict[str, Any] = json.loads(data)
        request = cls(**{field.name: values[field.name] for field in fields(cls)})
        object.__setattr__(request, "program", str(Path(request.program).absolute()))
        return request

    @property
    def kept(self) -> Path:
        """The file by which a candidate may hand something on to its children."""
        return Path(self.program).with_name("kept")
