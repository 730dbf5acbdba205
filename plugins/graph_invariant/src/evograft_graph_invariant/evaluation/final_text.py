"""The final evaluation as text and as metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator

from evograft_graph_invariant.evaluation.data_splits import OOD_NAMES
from evograft_graph_invariant.evaluation.final_result import FinalResult, SetResult
from evograft_graph_invariant.evaluation.method_table import write_method_table
from evograft_graph_invariant.evaluation.verdict import ENOUGH, Verdict
from evograft_graph_invariant.formulas.intervals import count_unsafe
from evograft_graph_invariant.scoring.novelty import NEW_BELOW, Likenesses
from evograft_hookspecs import Evaluation, FrozenDict


def to_evaluation(found: FinalResult) -> Evaluation:
    """Return the answer to `evaluate` with the purpose `final`: |ρ| on the test set, and all other figures."""
    return Evaluation(
        status="ok",
        score=abs(found.sets["test"].rho),
        stage="final",
        metrics=FrozenDict({name: value for name, value in _metrics(found) if math.isfinite(value)}),
        feedback="\n".join(write_final_text(found)),
    )


def _metrics(found: FinalResult) -> Iterator[tuple[str, float]]:
    for name, row in found.sets.items():
        yield f"{name}_rho", row.rho
        yield f"{name}_pearson", row.pearson
        yield f"{name}_rmse_linear", row.rmse
        yield f"{name}_mae_linear", row.mae
        yield f"{name}_answered", row.answered
        for heading, score in row.baselines.items():
            yield f"{name}_rho_{heading.replace(' ', '_')}", score.rho
            yield f"{name}_answered_{heading.replace(' ', '_')}", score.answered
    yield "test_rmse_monotone", found.held_out.monotone[0]
    yield "test_mae_monotone", found.held_out.monotone[1]
    yield "simplicity", found.held_out.simplicity
    yield "novelty", found.held_out.novelty
    yield "novelty_plain", found.held_out.likeness.bonus
    yield "novelty_given_target", found.held_out.likeness_given_target.bonus
    yield "new", float(found.held_out.likeness.is_new)
    yield "new_given_target", float(found.held_out.likeness_given_target.is_new)
    yield "total", found.held_out.total
    yield from _verdict_metrics(found.verdict)
    yield "ast_nodes", float(found.program.ast_nodes)
    yield "sympy_length", float(found.simplified.length)
    yield "sympy_simplified", float(not found.simplified.note)
    yield "inlined", float(found.program.formula is not None or not found.program.inlined.note)


def _verdict_metrics(verdict: Verdict) -> Iterator[tuple[str, float]]:
    """1 or 0; nothing of what could not be decided."""
    findings = {"success": verdict.success, "phase_two": verdict.phase_two, "strict": verdict.strict}
    yield from ((name, float(finding.holds)) for name, finding in findings.items() if finding.holds is not None)


def write_final_text(found: FinalResult) -> Iterator[str]:
    """Yield the lines of the report; the last three have a fixed form, for programs to read."""
    yield f"formula      {found.formula}"
    yield f"simplified   {found.simplified.text}" + (f"  ({found.simplified.note})" if found.simplified.note else "")
    if found.program.formula is not None:
        yield f"domain       {_domain(count_unsafe(found.program.formula))}"
    yield ""
    yield from _table(found)
    yield from (f"no value on the whole of {name}: {reason}" for name, reason in found.notes.items())
    yield from (f"leak on {name}: restates {what}, which it was to do without" for name, what in found.leaks.items())
    yield ""
    yield from write_method_table(found)
    yield ""
    yield from _errors(found)
    yield from _sanity(found)
    yield from _novelty("novelty     ", found.held_out.likeness, "|rho|")
    yield from _novelty("given target", found.held_out.likeness_given_target, "|partial rho|")
    yield f"simplicity   {found.held_out.simplicity:.4f}   total {found.held_out.total:.4f}"
    yield ""
    yield from _verdicts(found.verdict)
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


def _table(found: FinalResult) -> Iterator[str]:
    yield f"{'signed rho':<17} graphs answered       rho   pearson      RMSE       MAE"
    for name, row in found.sets.items():
        errors = f"{_error(row.rmse)}  {_error(row.mae)}"
        yield f"{name:<17} {row.graphs:>6} {_share(row):>8}  {row.rho:>+8.4f}  {row.pearson:>+8.4f}  {errors}"


def _share(row: SetResult) -> str:
    return f"{100 * row.answered:.0f} %" + ("" if row.answered >= ENOUGH else " !")


def _error(value: float) -> str:
    return f"{value:>8.4f}" if value < 1000 else f"{value:>8.2g}"  # noqa: PLR2004 - the width of the column


def _verdicts(verdict: Verdict) -> Iterator[str]:
    for head, finding in (("success", verdict.success), ("to phase 2", verdict.phase_two), ("strict", verdict.strict)):
        yield f"{head:<12} {finding.word}: {finding.why}"


def _errors(found: FinalResult) -> Iterator[str]:
    yield f"RMSE and MAE are of a {found.calibration.name} calibration, fitted on the training and validation graphs."
    error, mean = found.held_out.monotone
    yield f"test errors  {found.monotone.name} calibration: RMSE {error:.4f}, MAE {mean:.4f}"
    for name, (error, mean) in found.held_out.baseline_errors.items():
        yield f"             {name}: RMSE {error:.4f}, MAE {mean:.4f}"


def _sanity(found: FinalResult) -> Iterator[str]:
    cases = ", ".join(f"{name} {value:.4g} (is {truth:.4g})" for name, truth, value in found.sanity)
    yield f"sanity       predicted {found.target}: {cases}"


def _novelty(head: str, found: Likenesses, what: str) -> Iterator[str]:
    if not found.each:
        return
    nearest, doubtful = found.each[found.nearest], found.each[found.doubtful]
    yield (
        f"{head} {found.bonus:.4f}: nearest is {found.nearest} with {what} {nearest.rho:.4f}, 95 % {nearest.low:.4f} "
        f"to {nearest.high:.4f}; {'new' if found.is_new else 'not new'}, the interval of {what} with "
        f"{found.doubtful} ends at "
        f"{doubtful.high:.4f} (new below {NEW_BELOW})"
    )
