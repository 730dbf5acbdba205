"""The summary of an experiment and its parts: `phase1_summary.json` and `phase2_summary.json`, schema 3.

Every field may be missing: `None` and empty mean that it was not recorded.
"""

from __future__ import annotations

from typing import Self

from pydantic import ConfigDict, model_validator

from evograft_hookspecs.values import Count, FrozenDict, Json, Number, Text, Value

SCHEMA_VERSION = 3


class RecordPart(Value):
    """A part that ignores unknown fields: a newer version may have written them."""

    model_config = ConfigDict(extra="ignore")


class SetScore(RecordPart):
    """The scores of a formula on one data set. Correlations are signed, and over the graphs that have a value."""

    graphs: Count | None = None
    answered: Number | None = None
    """The share of graphs with a value."""
    rho: Number | None = None
    low: Number | None = None
    """The lower end of the 95 % interval of `rho`, by a bootstrap or, of a few graphs, by Fisher's z."""
    high: Number | None = None
    pearson: Number | None = None
    rmse: Number | None = None
    """After a calibration that was fitted on training and validation graphs, as `mae` and `median_error`."""
    mae: Number | None = None
    median_error: Number | None = None
    """The median of the absolute errors, each as a share of the target."""


class GraphValues(RecordPart):
    """The graphs of a data set one by one: all sequences have one item a graph, in the same order."""

    families: tuple[Text, ...] = ()
    """The generator of each graph (ER, BA, WS, RGG, SBM, …), or its name in a fixed set."""
    nodes: tuple[Count, ...] = ()
    true: tuple[Number, ...] = ()
    """The target."""
    predicted: tuple[Number | None, ...] = ()
    """The formula's value after the calibration of `rmse`; `None` where it has none."""

    @model_validator(mode="after")
    def _of_equal_length(self) -> Self:
        lengths = {len(row) for row in (self.families, self.nodes, self.true, self.predicted) if row}
        if len(lengths) > 1:
            raise ValueError("the sequences have one item a graph, so they are equally long")
        return self


class SimplicityRecord(RecordPart):
    """The simplicity of the whole function."""

    ast_nodes: Count | None = None
    sympy_length: Count | None = None
    value: Number | None = None
    note: Text = ""
    """Why SymPy did not simplify it, or why it could not be inlined."""


class NoveltyRecord(RecordPart):
    """The distance of a formula from the reference invariants."""

    bonus: Number | None = None
    nearest: Text = ""
    """The reference with the largest |ρ|, or partial |ρ|."""
    rho: Number | None = None
    """That |ρ|."""
    low: Number | None = None
    high: Number | None = None
    """The highest end of all intervals: the formula is new if it is below 0.7."""
    is_new: bool | None = None


class FoundFormula(RecordPart):
    """A candidate as the search knows it."""

    trial: Count | None = None
    generation: Count | None = None
    island: Count | None = None
    operator: Text = ""
    model: Text = ""
    score: Number | None = None
    """The score that the search climbed."""
    code: Text = ""
    formula: Text = ""
    """The whole function as one Python expression."""


class BestFormula(FoundFormula):
    """The best candidate and its final judgement."""

    simplified: Text = ""
    """`formula` as SymPy simplifies it."""
    predictor: Text = ""
    """A Python function that predicts the target: the formula and its calibration."""
    train: SetScore | None = None
    val: SetScore | None = None
    test: SetScore | None = None
    sanity: SetScore | None = None
    ood: FrozenDict[Text, SetScore] = FrozenDict()
    """By name: `large_random`, `extreme_params`, `special_topology`."""
    graphs: FrozenDict[Text, GraphValues] = FrozenDict()
    """By data set: `validation`, `test`, `sanity` and the OOD sets."""
    simplicity: SimplicityRecord | None = None
    novelty: Number | None = None
    """The bonus that `total` counts."""
    novelty_plain: NoveltyRecord | None = None
    novelty_given_target: NoveltyRecord | None = None
    total: Number | None = None


class EliteRecord(RecordPart):
    """A candidate of an island's knowledge base."""

    trial: Count | None = None
    generation: Count | None = None
    score: Number | None = None
    train_rho: Number | None = None
    validation_rho: Number | None = None
    ast_nodes: Count | None = None
    code: Text = ""
    formula: Text = ""


class IslandRecord(RecordPart):
    """An island at the end, and on its way."""

    number: Count
    name: Text = ""
    strategy: Text = ""
    temperature: Number | None = None
    elites: tuple[EliteRecord, ...] = ()
    """The knowledge base, the best first."""
    best_by_generation: tuple[Number | None, ...] = ()
    """The best score so far after each generation, its seeds being generation 0; `None`: no valid candidate yet."""


class MapPoint(RecordPart):
    """A candidate's place in the map of elites."""

    trial: Count
    island: Count | None = None
    simplicity: Number | None = None
    novelty: Number | None = None
    """The plain bonus."""
    novelty_given_target: Number | None = None
    score: Number | None = None


class FallbackRecord(RecordPart):
    """A stagnant island, and what was done."""

    generation: Count | None = None
    island: Count | None = None
    kind: Text = ""
    """`constrained_on`, `constrained_off`, `fallback_model`, `refused`."""
    reason: Text = ""
    dollars: Number | None = None


class BaselineRecord(RecordPart):
    """A method for comparison: a row of the table, with numbers or with the reason why there are none."""

    name: Text
    ran: bool = False
    reason: Text = ""
    """Why it was not run."""
    is_symbolic_baseline: bool = False
    """Whether it is the one that the success rule asks for."""
    formula: Text = ""
    ast_nodes: Count | None = None
    rho: FrozenDict[Text, Number] = FrozenDict()
    """Signed, by data set: `train`, `validation`, `test` and the OOD sets."""
    answered: FrozenDict[Text, Number] = FrozenDict()


class DecisionRecord(RecordPart):
    """A verdict and why."""

    holds: bool | None = None
    """`None`: it could not be decided."""
    why: Text = ""


class Verdicts(RecordPart):
    """Success as specified, whether phase 2 may start, and the strict verdict."""

    success: DecisionRecord | None = None
    phase_two: DecisionRecord | None = None
    strict: DecisionRecord | None = None


class DataSetRecord(RecordPart):
    """A data set and what it was used for."""

    name: Text
    use: Text = ""
    graphs: Count | None = None
    nodes: tuple[Count, Count] | None = None
    """The smallest and the largest number of nodes asked for; `None` for fixed graphs."""
    kinds: FrozenDict[Text, Count] = FrozenDict()
    """The number of graphs of each family."""
    seeds: tuple[Count, ...] = ()
    """The seed of each graph, in the order of the set; fixed graphs have none."""


class AttributionRecord(RecordPart):
    """The contribution of an operator or a model."""

    operator: Text = ""
    """Empty: whichever."""
    model: Text = ""
    """The model that was called; empty in the row of an operator: whichever, else: none was called."""
    trials: Count | None = None
    accepted: Count | None = None
    """Valid candidates, duplicates of valid ones included."""
    new_bests: Count | None = None
    """How often one of them was better than all before."""
    best: Number | None = None
    """The highest score."""
    calls: Count | None = None
    """Calls of models for these candidates, corrections included."""
    tokens: Count | None = None
    """Prompts and answers together."""
    dollars: Number | None = None
    """`None`: the price of a model is unknown."""


class CostRecord(RecordPart):
    """The calls of models, and their cost."""

    calls: Count | None = None
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    dollars: Number | None = None
    """`None`: the price of a model is unknown, or it was not recorded."""
    models: tuple[Text, ...] = ()


class RunRecord(RecordPart):
    """The run whose log all of this was taken from."""

    id: Text = ""
    name: Text = ""
    folder: Text = ""
    seed: Count | None = None
    trials: Count | None = None
    seconds: Number | None = None
    """Wall time over all sessions."""
    version: Text = ""
    """The version of evograft-graph-invariant."""


class ExperimentFacts(RecordPart):
    """The settings of an experiment, and how far it came."""

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


class ExperimentSummary(ExperimentFacts):
    """The results of an experiment. What is `None` or empty was not recorded; see `read_summary`."""

    best: BestFormula | None = None
    """`None`: no valid candidate, or the final judgement is yet to come."""
    islands: tuple[IslandRecord, ...] = ()
    fallbacks: tuple[FallbackRecord, ...] | None = None
    """`None`: not recorded; empty: there was none."""
    baselines: tuple[BaselineRecord, ...] = ()
    success: bool | None = None
    """The success of the phase, as specified; the same as `verdicts.success.holds`."""
    verdicts: Verdicts | None = None
    data: tuple[DataSetRecord, ...] = ()
    map_points: tuple[MapPoint, ...] = ()
    """One a candidate that was looked at closely, in the order of trials."""
    cost: CostRecord | None = None
    by_operator: tuple[AttributionRecord, ...] = ()
    """The contribution of each operator."""
    by_model: tuple[AttributionRecord, ...] = ()
    """The contribution of each model that was called, and of trials without one; empty: none was called."""
    run: RunRecord | None = None
    notes: tuple[Text, ...] = ()
    """Notes for the reader of this file, such as fields that could not be read."""
