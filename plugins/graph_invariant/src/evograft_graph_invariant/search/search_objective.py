"""The objective of the search inside an operator: the evaluator's score, and a quicker one to screen by."""

from __future__ import annotations

import numpy as np

from evograft_graph_invariant.evaluation.validity import require_values
from evograft_graph_invariant.formulas.interpreter import evaluate_columns
from evograft_graph_invariant.formulas.parser import Expr, NotAnExpression
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.scoring.correlation import Matrix, Vector, center, rank_profiles
from evograft_graph_invariant.scoring.feature_table import SearchTable
from evograft_graph_invariant.scoring.objective import compute_search_score, measure_correlations
from evograft_graph_invariant.scoring.simplicity import simplicity_of_nodes
from evograft_graph_invariant.search.building_blocks import Counts
from evograft_graph_invariant.search.least_squares import StraightForm
from evograft_hookspecs import CandidateRejected

RETURN = 1
"""AST nodes of a formula's program in addition to the formula's own."""


class SearchObjective:
    """The scores of formulas on the training and validation graphs, and on no others."""

    def __init__(self, table: SearchTable, options: GraphInvariantOptions) -> None:
        self.table = table
        self.options = options

    def score(self, expr: Expr) -> float | None:
        """Return the evaluator's score; `None` for a formula that it would reject.

        Under the objective `total` SymPy is not asked: nodes stand for simplicity.
        """
        try:
            values = require_values(evaluate_columns(expr, self.table.all.columns, self.table.all.count))
        except (NotAnExpression, CandidateRejected):
            return None
        found = measure_correlations(values, self.table.rank(values), self.table, expr)
        if abs(found.train) < self.options.screen:
            return None
        nodes = expr.nodes + RETURN
        if self.options.objective == "total":
            simplicity = simplicity_of_nodes(nodes)
            return self.options.weights.total(rho=found.validation, simplicity=simplicity, novelty=found.novelty)
        return compute_search_score(found, nodes, self.options)

    def straighten(self, values: Vector) -> StraightForm | None:
        """Return the form of the values, and of the target, in which both are closest to a line; `None`: none is."""
        if not np.isfinite(values).all() or values.min() == values.max():
            return None
        forms = [values]
        if values.min() > 0 or values.max() < 0:
            forms.append(np.log(np.abs(values)))
        correlations = np.abs(center(np.stack(forms)) @ self.table.shape_profiles.T)
        form, shape = np.unravel_index(correlations.argmax(), correlations.shape)
        return StraightForm(forms[form], self.table.shape_profiles[shape], is_logarithm=bool(form))

    def screen(self, rows: Matrix, nodes: Counts) -> Vector:
        """Return a rough score of each row; minus infinity if a value is missing or all values are equal."""
        crude = np.full(len(rows), -np.inf)
        sound = np.array(np.isfinite(rows).all(axis=1))
        sound[sound] = rows[sound].min(axis=1) < rows[sound].max(axis=1)
        if not sound.any():
            return crude
        values = rows[sound]
        rho = np.abs(rank_profiles(values[:, self.table.train.count :]) @ self.table.validation_profile)
        if self.options.objective in ("robust", "straight"):
            rho = (rho + self.table.linearities(values)) / 2
        crude[sound] = rho - self.options.parsimony * nodes[sound]
        return crude
