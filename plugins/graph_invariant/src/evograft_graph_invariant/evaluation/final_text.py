"""The final evaluation as text and as metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from evograft_graph_invariant.baselines.protocol import FittedBaseline, NotRun
from evograft_graph_invariant.evaluation.data_splits import OOD_NAMES
from evograft_graph_invariant.evaluation.final_result import FinalResult, SetResult
from evograft_graph_invariant.evaluation.predictor import list_columns
from evograft_graph_invariant.evaluation.verdict import ENOUGH, Score, Scores, Verdict
from evograft_graph_invariant.formulas.intervals import count_unsafe
from evograft_graph_invariant.graphs.vocabulary import COLUMNS
from evograft_graph_invariant.scoring.novelty import NEW_BELOW, Likenesses
from evograft_hookspecs import Evaluation, FrozenDict

SETS: Mapping[str, str] = {"train": "train", "validation": "validation", "test": "test", **OOD_NAMES}
"""Heading and name of the sets in the table."""


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
        yield f"{name}_rmse", row.rmse
        yield f"{name}_mae", row.mae
        yield f"{name}_median_error", row.median_error
        yield from zip((f"{name}_rho_low", f"{name}_rho_high"), row.interval or (), strict=False)
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
    yield from _predictor(found)
    yield ""
    yield from _method_table(found)
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
    ood = " ".join(
        f"{short} {abs(found.sets[name].rho):.4f}" for short, name in OOD_NAMES.items() if name in found.sets
    )
    yield f"best OOD rho = {ood or 'none'}"
    yield f"AST nodes = {found.program.ast_nodes}"


def _domain(unsafe: int) -> str:
    if unsafe == 0:
        return (
            "defined on every connected graph, but for single edge cases such as complete ones (by interval arithmetic)"
        )
    return f"not shown to be defined on every connected graph: {unsafe} operations may leave their domain"


def _table(found: FinalResult) -> Iterator[str]:
    yield f"{'signed rho':<17} graphs answered       rho {'95 %':>18}   pearson      RMSE       MAE  median error"
    for name, row in found.sets.items():
        errors = f"{_error(row.rmse)}  {_error(row.mae)}  {100 * row.median_error:>10.1f} %"
        rho = f"{row.rho:>+8.4f} {_ends(row):>18}"
        yield f"{name:<17} {row.graphs:>6} {_share(row):>8}  {rho}  {row.pearson:>+8.4f}  {errors}"


def _ends(row: SetResult) -> str:
    return "-" if row.interval is None else f"{row.interval[0]:+.4f} to {row.interval[1]:+.4f}"


def _predictor(found: FinalResult) -> Iterator[str]:
    yield from found.predictor.splitlines()
    formula = found.program.formula
    used = () if formula is None else list_columns(formula)
    yield from (f"# {column.name}: {column.meaning}" for column in COLUMNS if column.name in used)


def _method_table(found: FinalResult) -> Iterator[str]:
    """One line a method, the candidate first; a method that did not run says why and has no number."""
    heads = "".join(f"{head:>12}" for head in SETS)
    yield f"{'|rho|':<17}{heads}   AST nodes  evaluations  formula"
    own = {name: Score(row.rho, row.answered) for name, row in found.sets.items()}
    yield f"{'this candidate':<17}{_cells(own)}   {found.program.ast_nodes:>9}  {'-':>11}  as above"
    for each in found.baselines:
        yield f"{each.heading:<17}" + (
            _method_row(each, found) if isinstance(each, FittedBaseline) else _missing_row(each)
        )
    yield "All of them were fitted on, or chosen by, the training and validation graphs, with the columns of the level."
    if any(score.answered < 1 for row in found.sets.values() for score in row.baselines.values()):
        share = f"{100 * ENOUGH:.0f} %"
        yield f"Where a method has no value on some graphs, rho is over the others; ! marks less than {share}."


def _method_row(baseline: FittedBaseline, found: FinalResult) -> str:
    scores = {name: row.baselines[baseline.heading] for name, row in found.sets.items()}
    nodes = "-" if baseline.nodes is None else str(baseline.nodes)
    evaluations = "-" if baseline.evaluations is None else f"{baseline.evaluations:,}"
    return f"{_cells(scores)}   {nodes:>9}  {evaluations:>11}  {baseline.expression or 'none'}"


def _missing_row(missing: NotRun) -> str:
    return f"  not run: {missing.reason}"


def _cells(scores: Scores) -> str:
    return "".join(f"{_cell(scores[name]) if name in scores else '-':>12}" for name in SETS.values())


def _cell(score: Score) -> str:
    return f"{abs(score.rho):.4f}" + ("" if score.answered >= ENOUGH else " !")


def _share(row: SetResult) -> str:
    return f"{100 * row.answered:.0f} %" + ("" if row.answered >= ENOUGH else " !")


def _error(value: float) -> str:
    return f"{value:>8.4f}" if value < 1000 else f"{value:>8.2g}"  # noqa: PLR2004 - the width of the column


def _verdicts(verdict: Verdict) -> Iterator[str]:
    for head, finding in (("success", verdict.success), ("to phase 2", verdict.phase_two), ("strict", verdict.strict)):
        yield f"{head:<12} {finding.word}: {finding.why}"


def _errors(found: FinalResult) -> Iterator[str]:
    yield "Errors are those of predict(), fitted on the training and validation graphs; medians are of relative ones."
    error, mean = found.held_out.monotone
    yield f"test errors  isotonic calibration: RMSE {error:.4f}, MAE {mean:.4f}"
    for name, (error, mean) in found.held_out.baseline_errors.items():
        yield f"             {name}: RMSE {error:.4f}, MAE {mean:.4f}"


def _sanity(found: FinalResult) -> Iterator[str]:
    if not found.sanity:
        return
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
