"""The place of an experiment's records."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evograft_hookspecs import NoOptions


class ExperimentRecordOptions(NoOptions):
    """Records are written if this section is given."""

    folder: str = ".."
    """The artifacts folder, relative to that of the run."""
    experiment_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=60)] = "experiment"
    phase: Annotated[int, Field(ge=1, le=2)] = 1
    elites: Annotated[int, Field(ge=1)] = 8
    """Candidates of each island in checkpoints and summary."""
    keep: Annotated[int, Field(ge=1)] = 3
    """The number of checkpoints that are kept."""
