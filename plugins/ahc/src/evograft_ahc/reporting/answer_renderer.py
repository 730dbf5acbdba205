"""Draws what the best program answers when a run ends: the log does not hold it, and a report runs nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evograft.api import write_atomically
from evograft_ahc.contests.task import sign_of
from evograft_ahc.records.outputs import ProgramOutputs
from evograft_ahc.scoring.comparison import compare_cases
from evograft_ahc.scoring.reference_frame import ReferenceFrame
from evograft_hookspecs import Event, ProblemAnalyzed, RunEnded, RunStarted, Trial

FOLDER = "pictures"
_NAME = re.compile(r"trial(\d+)_case(\w+)\.svg")
Draw = Callable[[str, bytes], bytes | None]
"""From a case and what a program printed on it to a drawing."""


@dataclass(frozen=True)
class AnswerDrawing:
    """A drawing in a run's folder."""

    case: str
    svg: bytes


class AnswerRenderer:
    """Keeps drawings of the best program of a run: of the case where it is weakest, and of that where it is strongest.

    Args:
        outputs: what programs have printed.
        draw: the contest's visualiser.
    """

    def __init__(self, outputs: ProgramOutputs, draw: Draw) -> None:
        self._outputs = outputs
        self._draw = draw
        self._folder: Path | None = None
        self._yardstick: ReferenceFrame | None = None

    def observe(self, event: Event) -> None:
        """Take note of an event."""
        if isinstance(event, RunStarted):
            self._folder = Path(event.folder)
        elif isinstance(event, ProblemAnalyzed):
            self._yardstick = ReferenceFrame.within(event.problem.analysis)
        elif isinstance(event, RunEnded) and event.best and self._folder and self._yardstick:
            self._paint(self._folder / FOLDER, event.best, self._yardstick)

    def _paint(self, folder: Path, best: Trial, reference_frame: ReferenceFrame) -> None:
        if best.candidate is None:
            return
        sign = sign_of(reference_frame.direction)
        rows = sorted(compare_cases(best.evaluation.cases, reference_frame.references, sign), key=lambda row: row.gain)
        cases = {row.case for row in (*rows[:1], *rows[-1:])}
        for case in sorted(cases):
            target = folder / f"trial{best.number:04}_case{case}.svg"
            output = None if target.exists() else self._outputs.output_of(best.candidate.source, case)
            drawing = None if output is None else self._draw(case, output)
            if drawing is not None:
                folder.mkdir(exist_ok=True)
                write_atomically(target, drawing)


def find_drawings(folder: Path, trial: int) -> tuple[AnswerDrawing, ...]:
    """Return the drawings of a trial in the folder of a run."""
    named = ((_NAME.fullmatch(path.name), path) for path in sorted((folder / FOLDER).glob("*.svg")))
    return tuple(AnswerDrawing(name[2], path.read_bytes()) for name, path in named if name and int(name[1]) == trial)
