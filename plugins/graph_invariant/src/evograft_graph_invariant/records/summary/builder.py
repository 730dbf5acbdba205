"""Sums an experiment up: from what was folded of its log, and the judgement of its best formula."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from evograft.api import RunFolder, UserError
from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_graph_invariant.records.follower import Follower
from evograft_graph_invariant.records.history import Chronicle
from evograft_graph_invariant.records.options import RecordOptions
from evograft_graph_invariant.records.summary.attribution import by_model, by_operator
from evograft_graph_invariant.records.summary.data_sets import data_records
from evograft_graph_invariant.records.summary.fallbacks import fallback_records
from evograft_graph_invariant.records.summary.final_record import baseline_records, judged_formula, verdicts
from evograft_graph_invariant.records.summary.formulas import formula_of, with_both_novelties, with_formulas
from evograft_graph_invariant.records.summary.model import SCHEMA_VERSION, Summary
from evograft_graph_invariant.records.summary.parts import BestFormula, CostRecord, MapPoint, RunRecord
from evograft_graph_invariant.records.summary.reader import read_summary
from evograft_graph_invariant.run_context import Bench
from evograft_hookspecs import Problem, RunEnded, Trial


@dataclass(frozen=True)
class Story:
    """What was folded of an experiment's log."""

    run: RunFolder
    records: RecordOptions
    fallbacks: FallbackOptions | None
    problem: Problem
    chronicle: Chronicle
    follower: Follower


def summarize(story: Story, bench: Bench, ended: RunEnded, judged: Trial | None) -> Summary:
    """The summary of an experiment as it stands.

    Args:
        story: of the experiment.
        bench: the data and judges of the problem.
        ended: why the run stopped, and its best trial.
        judged: the best trial, if the final judgement is done.
    """
    options, chronicle, follower = bench.options, story.chronicle, story.follower
    follower.read_on()
    summary = Summary(
        schema_version=SCHEMA_VERSION,
        experiment_id=story.records.experiment_id,
        phase=story.records.phase,
        config=story.run.pipeline.to_data(),
        master_seed=bench.master_seed,
        target=options.target,
        level=options.level,
        objective=story.problem.objective,
        generations_run=chronicle.generations,
        stop_reason=ended.reason,
        best=_best(ended.best, chronicle) if ended.best else None,
        islands=tuple(with_formulas(island.to_record()) for island in chronicle.islands_in_order()),
        fallbacks=fallback_records(chronicle, follower, story.fallbacks),
        data=data_records(options, bench.master_seed),
        map_points=_points(chronicle, bench),
        cost=_cost(follower),
        by_operator=by_operator(chronicle.trials, follower.paid),
        by_model=by_model(chronicle.trials, follower.paid) if follower.paid else (),
        run=_run(story),
    )
    if judged is None or options.mode != "approximate":
        return summary
    return _with_judgement(summary, bench, judged)


def is_told(path: Path, run: RunFolder, chronicle: Chronicle, *, judged: bool) -> bool:
    """Whether a file sums up just this state: a judgement that is told in it need not be made again."""
    try:
        found = read_summary(path)
    except UserError:
        return False
    same = found.run is not None and (found.run.id, found.run.trials) == (run.id, chronicle.commits)
    return same and judged and found.best is not None and found.best.test is not None


def _with_judgement(summary: Summary, bench: Bench, judged: Trial) -> Summary:
    assert judged.candidate is not None, "what was judged is a candidate"
    assert summary.best is not None, "the best trial is what is judged"
    found = bench.judgement_of(judged.candidate.source)
    verdict = verdicts(found)
    return summary.model_copy(
        update={
            "best": judged_formula(summary.best, found, seed=bench.master_seed),
            "baselines": baseline_records(found),
            "verdicts": verdict,
            "success": verdict.success.holds if verdict.success else None,
        }
    )


def _best(trial: Trial, chronicle: Chronicle) -> BestFormula:
    assert trial.candidate is not None, "the best trial has a candidate"
    return BestFormula(
        trial=trial.number,
        generation=chronicle.generation_of[trial.number],
        island=trial.selection.island if trial.selection else None,
        operator=trial.candidate.operator,
        model=trial.model,
        score=trial.score,
        code=trial.candidate.source,
        formula=formula_of(trial.candidate.source),
    )


def _points(chronicle: Chronicle, bench: Bench) -> tuple[MapPoint, ...]:
    if bench.options.mode != "approximate":
        return tuple(chronicle.points)
    placed = {point.trial for point in chronicle.points}
    sources = {
        each.number: each.candidate.source for each in chronicle.trials if each.candidate and each.number in placed
    }
    return tuple(with_both_novelties(((point, sources[point.trial]) for point in chronicle.points), bench.search))


def _cost(follower: Follower) -> CostRecord:
    spent = follower.spent
    return CostRecord(
        calls=spent.calls,
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        dollars=spent.known_dollars,
        models=tuple(sorted(follower.models)),
    )


def _run(story: Story) -> RunRecord:
    run = story.run
    return RunRecord(
        id=run.id,
        name=run.name,
        folder=str(run.path),
        seed=run.pipeline.seed,
        trials=story.chronicle.commits,
        seconds=story.follower.elapsed,
        version=version("evograft-graph-invariant"),
    )
