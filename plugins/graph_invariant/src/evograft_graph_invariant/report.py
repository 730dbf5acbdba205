"""The final judgement as text and as metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator

from evograft_graph_invariant.domain import count_unsafe
from evograft_graph_invariant.judgement import Judgement, SetResult
from evograft_graph_invariant.novelty import NEW_BELOW
from evograft_graph_invariant.splits import OOD_NAMES
from evograft_hookspecs import Evaluation, FrozenDict

ENOUGH = 0.9
"""The share of an OOD set that has to be answered for its ρ to count."""


def to_evaluation(found: Judgement) -> Evaluation:
    """The answer of `evaluate` with the purpose `final`: |ρ| on the test set, and all the rest."""
    return Evaluation(
        status="ok",
        score=abs(found.sets["test"].rho),
        stage="final",
        metrics=FrozenDict({name: value for name, value in _metrics(found) if math.isfinite(value)}),
        feedback="\n".join(write_report(found)),
    )


def _metrics(found: Judgement) -> Iterator[tuple[str, float]]:
    for name, row in found.sets.items():
        yield f"{name}_rho", row.rho
        yield f"{name}_pearson", row.pearson
        yield f"{name}_rmse_linear", row.rmse
        yield f"{name}_mae_linear", row.mae
        yield f"{name}_answered", row.answered
        for baseline, rho in zip(found.baselines, row.baselines, strict=True):
            yield f"{name}_rho_{baseline.name.partition(':')[0].replace(' ', '_')}", rho
    yield "test_rmse_monotone", found.monotone_test[0]
    yield "test_mae_monotone", found.monotone_test[1]
    yield "simplicity", found.simplicity
    yield "novelty", found.novelty
    yield "total", found.total
    yield "ast_nodes", float(found.program.ast_nodes)
    yield "sympy_length", float(found.simplified.length)


def write_report(found: Judgement) -> Iterator[str]:
    """The lines of the report; the last three are of a fixed form, for programs to read."""
    yield f"formula      {found.formula}"
    yield f"simplified   {found.simplified.text}" + (f"  ({found.simplified.note})" if found.simplified.note else "")
    if found.program.formula is not None:
        yield f"domain       {_domain(count_unsafe(found.program.formula))}"
    yield ""
    yield from _table(found)
    yield from (f"no value on the whole of {name}: {reason}" for name, reason in found.notes.items())
    yield ""
    yield from _errors(found)
    yield from _sanity(found)
    yield from _novelty(found)
    yield f"simplicity   {found.simplicity:.4f}   total {found.total:.4f}"
    yield ""
    yield f"best test rho = {abs(found.sets['test'].rho):.4f}"
    ood = " ".join(f"{short} {abs(found.sets[name].rho):.4f}" for short, name in OOD_NAMES.items())
    yield f"best OOD rho = {ood}"
    yield f"AST nodes = {found.program.ast_nodes}"


def _domain(unsafe: int) -> str:
    if unsafe == 0:
        return (
            "defined on every connected graph, but for single edge cases such as complete ones (by interval arithmetic)"
        )
    return f"not shown to be defined on every connected graph: {unsafe} operations may leave their domain"


def _table(found: Judgement) -> Iterator[str]:
    names = [baseline.name for baseline in found.baselines]
    widths = [max(len(name), 8) for name in names]
    heads = "  ".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True))
    yield f"{'signed rho':<17} graphs answered       rho   pearson      RMSE       MAE  |  {heads}"
    for name, row in found.sets.items():
        others = "  ".join(f"{rho:>+{width}.4f}" for rho, width in zip(row.baselines, widths, strict=True))
        yield f"{name:<17} {row.graphs:>6} {_share(row):>8}  {row.rho:>+8.4f}  {row.pearson:>+8.4f}  {_error(row.rmse)}  {_error(row.mae)}  |  {others}"


def _share(row: SetResult) -> str:
    return f"{100 * row.answered:.0f} %" + ("" if row.answered >= ENOUGH else " !")


def _error(value: float) -> str:
    return f"{value:>8.4f}" if value < 1000 else f"{value:>8.2g}"  # noqa: PLR2004 - the width of the column


def _errors(found: Judgement) -> Iterator[str]:
    yield f"RMSE and MAE are of a {found.calibration.name} calibration, fitted on the training and validation graphs."
    error, mean = found.monotone_test
    yield f"test errors  {found.monotone.name} calibration: RMSE {error:.4f}, MAE {mean:.4f}"
    for name, (error, mean) in found.baseline_errors.items():
        yield f"             {name}: RMSE {error:.4f}, MAE {mean:.4f}"


def _sanity(found: Judgement) -> Iterator[str]:
    cases = ", ".join(f"{name} {value:.4g} (is {truth:.4g})" for name, truth, value in found.sanity)
    yield f"sanity       predicted {found.target}: {cases}"


def _novelty(found: Judgement) -> Iterator[str]:
    if not found.reference_rho:
        return
    name = max(found.reference_rho, key=found.reference_rho.__getitem__)
    upper = max(found.reference_upper, key=found.reference_upper.__getitem__)
    verdict = "new" if found.reference_upper[upper] < NEW_BELOW else "not new"
    yield (
        f"novelty      {found.novelty:.4f}: nearest is {name} with |rho| {found.reference_rho[name]:.4f}; {verdict}, the "
        f"95 % interval of |rho| with {upper} ends at {found.reference_upper[upper]:.4f} (new below {NEW_BELOW})"
    )
