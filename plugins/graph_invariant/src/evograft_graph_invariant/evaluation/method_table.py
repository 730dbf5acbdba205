"""The table of all methods, with the same columns, graphs and budget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evograft_graph_invariant.baselines.protocol import FittedBaseline, NotRun
from evograft_graph_invariant.evaluation.data_splits import OOD_NAMES
from evograft_graph_invariant.evaluation.final_result import FinalResult
from evograft_graph_invariant.evaluation.verdict import ENOUGH, Score, Scores

SETS: Mapping[str, str] = {"train": "train", "validation": "validation", "test": "test", **OOD_NAMES}
"""Heading and name of the sets in the table."""

_CANDIDATE = "this candidate"


def write_method_table(found: FinalResult) -> Iterator[str]:
    """One line a method, the candidate first; a method that did not run says why and has no number."""
    heads = "".join(f"{head:>12}" for head in SETS)
    yield f"{'|rho|':<17}{heads}   AST nodes  evaluations  formula"
    own = {name: Score(row.rho, row.answered) for name, row in found.sets.items()}
    yield f"{_CANDIDATE:<17}{_cells(own)}   {found.program.ast_nodes:>9}  {'-':>11}  as above"
    for each in found.baselines:
        yield f"{each.heading:<17}" + (_row(each, found) if isinstance(each, FittedBaseline) else _reason(each))
    yield "All of them were fitted on, or chosen by, the training and validation graphs, with the columns of the level."
    if any(score.answered < 1 for row in found.sets.values() for score in row.baselines.values()):
        share = f"{100 * ENOUGH:.0f} %"
        yield f"Where a method has no value on some graphs, rho is over the others; ! marks less than {share}."


def _row(baseline: FittedBaseline, found: FinalResult) -> str:
    scores = {name: row.baselines[baseline.heading] for name, row in found.sets.items()}
    nodes = "-" if baseline.nodes is None else str(baseline.nodes)
    evaluations = "-" if baseline.evaluations is None else f"{baseline.evaluations:,}"
    return f"{_cells(scores)}   {nodes:>9}  {evaluations:>11}  {baseline.expression or 'none'}"


def _reason(missing: NotRun) -> str:
    return f"  not run: {missing.reason}"


def _cells(scores: Scores) -> str:
    return "".join(f"{_cell(scores[name]):>12}" for name in SETS.values())


def _cell(score: Score) -> str:
    return f"{abs(score.rho):.4f}" + ("" if score.answered >= ENOUGH else " !")
