"""What all evaluations of a run have in common, fixed before its first one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evograft_ahc.contests.task import Direction
from evograft_ahc.judging.clock import Clock
from evograft_ahc.scoring.references import References
from evograft_hookspecs import Value
from evograft_hookspecs.values import Count

KEY = "yardstick"


class ReferenceFrame(Value):
    """Part of `Problem.analysis`: an evaluation depends on its arguments only."""

    references: References
    """What relative and rank scores compare with, on the training cases."""
    direction: Direction
    """That of the contest's own scores, which evaluations hold case by case."""
    case_order: Count
    """The seed of the order in which races run the cases."""
    clock: Clock = "wall"
    """What programs of this run read as the time."""

    @classmethod
    def within(cls, analysis: Mapping[str, Any]) -> ReferenceFrame:
        """Return the one in a problem's analysis, whatever else stands there."""
        return cls.model_validate(analysis[KEY])

    def entry(self) -> dict[str, Any]:
        """Return what goes into a problem's analysis."""
        return {KEY: self.model_dump(mode="json")}
