"""The phases of working on a repository, in their order."""

from __future__ import annotations

from typing import Final, Literal

from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import Text, Value

Phase = Literal["pre_planning", "planning", "environment_setup", "execution", "reflection", "verification", "complete"]
State = Literal["pending", "active", "completed"]

PHASE_ORDER: Final[list[Phase]] = [
    "pre_planning",
    "planning",
    "environment_setup",
    "execution",
    "reflection",
    "verification",
    "complete",
]
PHASE_DISPLAY_NAMES: Final[dict[Phase, str]] = {
    "pre_planning": "Pre Planning",
    "planning": "Planning",
    "environment_setup": "Environment Setup",
    "execution": "Execution",
    "reflection": "Reflection",
    "verification": "Verification",
    "complete": "Complete",
}


class PhaseStatus(Value):
    """The status of the work's phases, as it is reported."""

    phases: FrozenDict[Phase, State] = FrozenDict((phase, "pending") for phase in PHASE_ORDER)
    """All of them, in their order; a phase that was left without being completed is pending again."""
    warnings: tuple[Text, ...] = ()
    comment: Text = ""
    """What could not be set up, as Markdown; empty as long as nothing has failed for good."""

    @property
    def active(self) -> Phase | None:
        return next((phase for phase, state in self.phases.items() if state == "active"), None)
