"""The final result as parts of a summary."""

from __future__ import annotations

import math
from collections.abc import Iterator

from evograft_graph_invariant.baselines.protocol import FittedBaseline, NotRun
from evograft_graph_invariant.evaluation.data_splits import OOD_NAMES
from evograft_graph_invariant.evaluation.final_result import FinalResult, SetResult, SetValues
from evograft_graph_invariant.evaluation.verdict import Decision, find_symbolic_baseline
from evograft_graph_invariant.records.summary.model import (
    BaselineRecord,
    BestFormula,
    DecisionRecord,
    GraphValues,
    NoveltyRecord,
    SetScore,
    SimplicityRecord,
    Verdicts,
)
from evograft_graph_invariant.scoring.feature_table import get_quantities
from evograft_graph_invariant.scoring.novelty import Likenesses
from evograft_hookspecs import FrozenDict


def add_final_scores(best: BestFormula, found: FinalResult) -> BestFormula:
    """Return the best formula, as the search knew it, with all that its final evaluation says."""
    scores = {name: _set_score(row) for name, row in found.sets.items()}
    return best.model_copy(
        update={
            "formula": found.formula,
            "simplified": found.simplified.text,
            "predictor": found.predictor,
            "train": scores["train"],
            "val": scores["validation"],
            "test": scores["test"],
            "sanity": scores.get("sanity"),
            "ood": FrozenDict({name: scores[name] for name in OOD_NAMES.values() if name in scores}),
            "graphs": FrozenDict({name: _graph_values(found, answered) for name, answered in found.graphs.items()}),
            "simplicity": _simplicity(found),
            "novelty": found.held_out.novelty,
            "novelty_plain": _novelty(found.held_out.likeness),
            "novelty_given_target": _novelty(found.held_out.likeness_given_target),
            "total": found.held_out.total,
        }
    )


def record_baselines(found: FinalResult) -> tuple[BaselineRecord, ...]:
    """Return a row for each method, those that did not run included."""
    symbolic = find_symbolic_baseline({each.heading: {} for each in found.ran})
    return tuple(_baseline(each, found, symbolic) for each in found.baselines)


def record_verdicts(found: FinalResult) -> Verdicts:
    verdict = found.verdict
    return Verdicts(
        success=_finding(verdict.success), phase_two=_finding(verdict.phase_two), strict=_finding(verdict.strict)
    )


def _finding(finding: Decision) -> DecisionRecord:
    return DecisionRecord(holds=finding.holds, why=finding.why)


def _set_score(row: SetResult) -> SetScore:
    low, high = row.interval or (None, None)
    return SetScore(
        graphs=row.graphs,
        answered=row.answered,
        rho=row.rho,
        low=low,
        high=high,
        pearson=row.pearson,
        rmse=_finite(row.rmse),
        mae=_finite(row.mae),
        median_error=_finite(row.median_error),
    )


def _graph_values(found: FinalResult, answered: SetValues) -> GraphValues:
    table = answered.table
    predicted = found.calibration.predict(answered.values)
    return GraphValues(
        families=tuple(table.kinds.tolist()),
        nodes=tuple(round(n) for n in get_quantities(table, ("n",))["n"].tolist()),
        true=tuple(table.target.tolist()),
        predicted=tuple(map(_finite, predicted.tolist())),
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _simplicity(found: FinalResult) -> SimplicityRecord:
    inlined = found.program.formula is not None or not found.program.inlined.note
    return SimplicityRecord(
        ast_nodes=found.program.ast_nodes,
        sympy_length=found.simplified.length,
        value=found.held_out.simplicity,
        note=found.simplified.note or ("" if inlined else found.program.inlined.note),
    )


def _novelty(found: Likenesses) -> NoveltyRecord:
    if not found.each:
        return NoveltyRecord()
    nearest = found.each[found.nearest]
    return NoveltyRecord(
        bonus=found.bonus,
        nearest=found.nearest,
        rho=nearest.rho,
        low=nearest.low,
        high=found.each[found.doubtful].high,
        is_new=found.is_new,
    )


def _baseline(method: FittedBaseline | NotRun, found: FinalResult, symbolic: str | None) -> BaselineRecord:
    if isinstance(method, NotRun):
        return BaselineRecord(name=method.heading, reason=method.reason)
    scores = dict(_scores(method, found))
    return BaselineRecord(
        name=method.heading,
        ran=True,
        is_symbolic_baseline=method.heading == symbolic,
        formula=method.expression,
        ast_nodes=method.nodes,
        rho=FrozenDict({name: rho for name, (rho, _) in scores.items()}),
        answered=FrozenDict({name: answered for name, (_, answered) in scores.items()}),
    )


def _scores(method: FittedBaseline, found: FinalResult) -> Iterator[tuple[str, tuple[float, float]]]:
    for name, row in found.sets.items():
        score = row.baselines[method.heading]
        yield name, (score.rho, score.answered)
