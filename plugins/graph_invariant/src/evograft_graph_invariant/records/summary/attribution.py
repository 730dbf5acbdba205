"""The makers of an experiment's candidates, as parts of its summary: by operator, and by the model that was called."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from evograft.api import BillableCall, operator_of
from evograft_graph_invariant.records.summary.model import AttributionRecord
from evograft_hookspecs import Trial
from evograft_report.figures.success import Success


def attribute_to_operators(
    trials: Iterable[Trial], calls: Mapping[int, Sequence[BillableCall]]
) -> tuple[AttributionRecord, ...]:
    """Sum up candidates and calls by operator, seed programs included.

    Args:
        trials: in the order of their commits.
        calls: for the candidate of each trial.
    """
    rows: dict[str, Success] = {}
    for trial, is_best in _with_bests(trials):
        row = rows.setdefault(operator_of(trial), Success(operator=operator_of(trial)))
        row.add(trial, improved=False, is_best=is_best, calls=calls.get(trial.number, ()))
    return _records(rows.values())


def attribute_to_models(
    trials: Iterable[Trial], calls: Mapping[int, Sequence[BillableCall]]
) -> tuple[AttributionRecord, ...]:
    """Sum up by the model that was called; the row without a name is what operators made that call none.

    A call is in the row of its own model, also where another one made the candidate in the end.
    """
    rows: dict[str, Success] = {}
    for trial, is_best in _with_bests(trials):
        if trial.selection is not None:
            row = rows.setdefault(trial.model, Success(model=trial.model))
            row.add(trial, improved=False, is_best=is_best, calls=())
        for call in calls.get(trial.number, ()):
            rows.setdefault(call.model, Success(model=call.model)).spent.add(call)
    return _records(rows.values())


def _with_bests(trials: Iterable[Trial]) -> Iterable[tuple[Trial, bool]]:
    best = -math.inf
    for trial in trials:
        is_best = trial.score is not None and trial.score > best
        best = max(best, -math.inf if trial.score is None else trial.score)
        yield trial, is_best


def _records(rows: Iterable[Success]) -> tuple[AttributionRecord, ...]:
    ordered = sorted(rows, key=lambda row: (-row.trials, row.operator, row.model))
    return tuple(map(_record, ordered))


def _record(row: Success) -> AttributionRecord:
    return AttributionRecord(
        operator=row.operator,
        model=row.model,
        trials=row.trials,
        accepted=row.ok,
        new_bests=row.became_best,
        best=row.best,
        calls=row.spent.calls,
        tokens=row.spent.tokens,
        dollars=row.spent.known_dollars,
    )
