"""Formulas that other packages find, in the words of this one: counted alike, and read by the same interpreter."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from evograft_graph_invariant.baselines.linear_models import build_matrix
from evograft_graph_invariant.baselines.protocol import BaselineName, FittedBaseline, SymbolicBudget
from evograft_graph_invariant.formulas.program import CandidateProgram, write_program
from evograft_graph_invariant.graphs.features import Matrix, Vector
from evograft_graph_invariant.scoring.correlation import spearman

FEWEST = 3
"""A correlation over fewer graphs says nothing."""


@dataclass(frozen=True)
class ParsedFormula:
    """A formula that another package found."""

    expression: str
    """Over `column(G)`, without the line around it."""
    nodes: int
    values: Callable[[Matrix], Vector]
    """As the package that found it computes them."""


def parse_formula(expression: str, values: Callable[[Matrix], Vector]) -> ParsedFormula:
    bare = strip_affine_constants(expression)
    return ParsedFormula(bare, count_formula(bare), values)


def count_formula(expression: str) -> int:
    """AST nodes of the candidate that returns it."""
    return CandidateProgram.parse(write_program(expression)).ast_nodes


def strip_affine_constants(expression: str) -> str:
    """Without constants that are added to the whole or multiplied with it: they change no rank."""
    node = ast.parse(expression, mode="eval").body
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
        if _is_constant(node.right):
            node = node.left
        elif _is_constant(node.left) and not isinstance(node.op, ast.Div):
            node = node.right
        else:
            break
    return ast.unparse(node)


def _is_constant(node: ast.expr) -> bool:
    return not any(isinstance(inner, ast.Call) for inner in ast.walk(node))


def compute_answered_rho(values: Vector, target: Vector) -> float:
    """ρ over the graphs with a finite value."""
    answered = np.isfinite(values)
    return spearman(values[answered], target[answered]) if answered.sum() >= FEWEST else 0.0


@dataclass(frozen=True)
class ChosenFormulas:
    """The formulas that order the graphs best that were seen."""

    any_size: ParsedFormula
    short: ParsedFormula | None
    """The best of those that are no larger than asked for."""

    def as_baseline(self, method: BaselineName, names: tuple[str, ...]) -> FittedBaseline:
        taken = self.short or self.any_size
        return FittedBaseline(
            method,
            lambda columns: taken.values(build_matrix(columns, names)),
            calibrated=False,
            expression=taken.expression,
            nodes=taken.nodes,
        )


def choose_formulas(
    formulas: Iterable[ParsedFormula], rows: Matrix, target: Vector, budget: SymbolicBudget
) -> ChosenFormulas:
    """Choose the best two of a front, by |ρ| on the graphs that it was fitted on."""
    ranked = sorted(formulas, key=lambda each: -abs(compute_answered_rho(each.values(rows), target)))
    short = next((each for each in ranked if each.nodes <= budget.max_nodes), None)
    return ChosenFormulas(ranked[0], short)
