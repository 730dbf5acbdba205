"""The summary of an experiment: `phase1_summary.json` and `phase2_summary.json`, schema 3."""

from __future__ import annotations

from evograft_graph_invariant.records.summary.parts import (
    AttributionRecord,
    BaselineRecord,
    BestFormula,
    CostRecord,
    DataSetRecord,
    FallbackRecord,
    IslandRecord,
    MapPoint,
    RecordPart,
    RunRecord,
    Verdicts,
)
from evograft_hookspecs.values import Count, FrozenDict, Json, Text

SCHEMA_VERSION = 3


class ExperimentSummary(RecordPart):
    """What came of an experiment. What is `None` or empty was not recorded; see `read_summary`."""

    schema_version: Count | None = None
    """`None`: the file says nothing, so it is older than the versions."""
    experiment_id: Text = ""
    phase: Count | None = None
    config: Json = FrozenDict()
    """The experiment's settings as they were resolved."""
    master_seed: Count | None = None
    """All graphs follow from it."""
    target: Text = ""
    level: Text = ""
    objective: Text = ""
    generations_run: Count | None = None
    stop_reason: Text = ""
    best: BestFormula | None = None
    """`None`: no valid candidate, or the final judgement is yet to come."""
    islands: tuple[IslandRecord, ...] = ()
    fallbacks: tuple[FallbackRecord, ...] | None = None
    """`None`: not recorded; empty: there was none."""
    baselines: tuple[BaselineRecord, ...] = ()
    success: bool | None = None
    """Of the phase, as specified; the same as `verdicts.success.holds`."""
    verdicts: Verdicts | None = None
    data: tuple[DataSetRecord, ...] = ()
    map_points: tuple[MapPoint, ...] = ()
    """One a candidate that was looked at closely, in the order of trials."""
    cost: CostRecord | None = None
    by_operator: tuple[AttributionRecord, ...] = ()
    """What each operator has contributed."""
    by_model: tuple[AttributionRecord, ...] = ()
    """What each model that was called has contributed, and what was made without one; empty: none was called."""
    run: RunRecord | None = None
    notes: tuple[Text, ...] = ()
    """What a reader should know about this file, such as fields that could not be read."""
