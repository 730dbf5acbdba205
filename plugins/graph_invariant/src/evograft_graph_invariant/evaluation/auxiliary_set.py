"""Candidates on graphs that the score counts next to the validation graphs: the atlas, and larger random graphs.

A candidate may have no value on some of them.
"""

from __future__ import annotations

import numpy as np

from evograft_graph_invariant.evaluation.leaks import find_leak
from evograft_graph_invariant.evaluation.run_tables import RunTables
from evograft_graph_invariant.evaluation.search_values import SearchValues
from evograft_graph_invariant.formulas.interpreter import interpret
from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.graphs.datasets import SetSpec
from evograft_graph_invariant.scoring.correlation import Vector, spearman
from evograft_hookspecs import CandidateRejected


class AuxiliarySet:
    """The graphs with their target, and the values of candidates on them."""

    def __init__(self, spec: SetSpec, tables: RunTables, values: SearchValues) -> None:
        self.name = spec.name
        self.table = tables.load(spec)
        self._values = values
        self._target = tables.target
        self._rounded = _round(self.table.target)

    def compute(self, program: CandidateProgram) -> Vector:
        """Return the values, NaN where there is none."""
        found = interpret(program, self.table.columns, self.table.count)
        return self._values.runner.run(program.source, self.name).values if found is None else found.values

    def correlate(self, program: CandidateProgram) -> float:
        """Return the signed rank correlation with the target over the graphs with a value, times their share.

        Raises:
            CandidateRejected: a program restates here what it may not use.
        """
        values = self.compute(program)
        rounded = _round(values)
        answered = np.isfinite(rounded)
        if not answered.any():
            return 0.0
        if program.formula is None:
            copied = find_leak(values[answered], self.table.of(answered), self._target)
            if copied is not None:
                raise CandidateRejected(f"leak: on the set {self.name} the value restates {copied}")
        return float(answered.mean()) * spearman(rounded[answered], self._rounded[answered])


def _round(values: Vector) -> Vector:
    """Round to single precision: many of these graphs have equal values, but for an eigenvalue's last digits."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32).astype(np.float64)
