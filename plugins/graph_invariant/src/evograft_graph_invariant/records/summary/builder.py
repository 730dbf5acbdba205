"""The summary of an experiment, built from its log and the final result of its best formula."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from evograft.api import RunFolder, UserError
from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_graph_invariant.records.experiment_log import ExperimentLog
from evograft_graph_invariant.records.history import GenerationHistory
from evograft_graph_invariant.records.options import ExperimentRecordOptions
from evograft_graph_invariant.records.summary.attribution import attribute_to_models, attribute_to_operators
from evograft_graph_invariant.records.summary.data_sets import describe_data_sets
from evograft_graph_invariant.records.summary.fallbacks import list_fallbacks
from evograft_graph_invariant.records.summary.final_record import add_final_scores, record_baselines, record_verdicts
from evograft_graph_invariant.records.summary.formulas import add_formulas, measure_novelties, write_formula
from evograft_graph_invariant.records.summary.model import (
    SCHEMA_VERSION,
    BestFormula,
    CostRecord,
    ExperimentSummary,
    MapPoint,
    RunRecord,
)
from evograft_graph_invariant.records.summary.reader import read_summary
from evograft_graph_invariant.run_context import RunContext
from evograft_hookspecs import Problem, RunEnded, Trial


@dataclass(frozen=True)
class SummaryInputs:
    """The parts of an experiment's log that its summary is built from."""

    run: RunFolder
    records: ExperimentRecordOptions
    fallbacks: FallbackOptions | None
    problem: Problem
    history: GenerationHistory
    log: ExperimentLog


def summarize(inputs: SummaryInputs, context: RunContext, ended: RunEnded, judged: Trial | None) -> ExperimentSummary:
    """Return the summary of an experiment as it stands.

    Args:
        inputs: of the experiment.
        context: the data and judges of the problem.
        ended: why the run stopped, and its best trial.
        judged: the best trial, if the final judgement is done.
    """
    options, history, log = context.options, inputs.history, inputs.log
    log.read_on()
    summary = ExperimentSummary(
        schema_version=SCHEMA_VERSION,
        experiment_id=inputs.records.experiment_id,
        phase=inputs.records.phase,
        config=inputs.run.pipeline.to_data(),
        master_seed=context.master_seed,
        target=options.target,
        level=options.level,
        objective=inputs.problem.objective,
        generations_run=history.generations,
        stop_reason=ended.reason,
        best=_best(ended.best, history) if ended.best else None,
        islands=tuple(add_formulas(island.to_record()) for island in history.islands_in_order()),
        fallbacks=list_fallbacks(history, log, inputs.fallbacks),
        data=describe_data_sets(options, context.master_seed),
        map_points=_points(history, context),
        cost=_cost(log),
        by_operator=attribute_to_operators(history.trials, log.paid),
        by_model=attribute_to_models(history.trials, log.paid) if log.paid else (),
        run=_run(inputs),
    )
    if judged is None or options.mode != "approximate":
        return summary
    return _with_judgement(summary, context, judged)


def is_summarized(path: Path, run: RunFolder, history: GenerationHistory, *, judged: bool) -> bool:
    """Return whether a file sums up this very state: its final evaluation need not be repeated."""
    try:
        found = read_summary(path)
    except UserError:
        return False
    same = found.run is not None and (found.run.id, found.run.trials) == (run.id, history.commits)
    return same and judged and found.best is not None and found.best.test is not None


def _with_judgement(summary: ExperimentSummary, context: RunContext, judged: Trial) -> ExperimentSummary:
    assert judged.candidate is not None, "what was judged is a candidate"
    assert summary.best is not None, "the best trial is what is judged"
    found = context.get_final_result(judged.candidate.source)
    verdict = record_verdicts(found)
    return summary.model_copy(
        update={
            "best": add_final_scores(summary.best, found),
            "baselines": record_baselines(found),
            "verdicts": verdict,
            "success": verdict.success.holds if verdict.success else None,
        }
    )


def _best(trial: Trial, history: GenerationHistory) -> BestFormula:
    assert trial.candidate is not None, "the best trial has a candidate"
    return BestFormula(
        trial=trial.number,
        generation=history.generation_of[trial.number],
        island=trial.selection.island if trial.selection else None,
        operator=trial.candidate.operator,
        model=trial.model,
        score=trial.score,
        code=trial.candidate.source,
        formula=write_formula(trial.candidate.source),
    )


def _points(history: GenerationHistory, context: RunContext) -> tuple[MapPoint, ...]:
    if context.options.mode != "approximate":
        return tuple(history.points)
    placed = {point.trial for point in history.points}
    sources = {
        each.number: each.candidate.source for each in history.trials if each.candidate and each.number in placed
    }
    return tuple(measure_novelties(((point, sources[point.trial]) for point in history.points), context.search))


def _cost(log: ExperimentLog) -> CostRecord:
    spent = log.spent
    return CostRecord(
        calls=spent.calls,
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        dollars=spent.known_dollars,
        models=log.models,
    )


def _run(inputs: SummaryInputs) -> RunRecord:
    run = inputs.run
    return RunRecord(
        id=run.id,
        name=run.name,
        folder=str(run.path),
        seed=run.pipeline.seed,
        trials=inputs.history.commits,
        seconds=inputs.log.elapsed,
        version=version("evograft-graph-invariant"),
    )
