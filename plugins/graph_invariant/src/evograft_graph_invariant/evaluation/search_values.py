"""A candidate's values on training and validation graphs: of a formula interpreted, of a program run in the sandbox."""

from __future__ import annotations

import numpy as np

from evograft_graph_invariant.evaluation import validity
from evograft_graph_invariant.evaluation.data_splits import get_search_sets
from evograft_graph_invariant.evaluation.forbidden_names import refuse_forbidden_names
from evograft_graph_invariant.evaluation.program_runner import ProgramRunner
from evograft_graph_invariant.evaluation.question_order import AGAIN
from evograft_graph_invariant.formulas.interpreter import interpret
from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.scoring.correlation import Vector
from evograft_graph_invariant.scoring.feature_table import SearchTable


class SearchValues:
    """The values of candidates during the search; safe to be used from several threads.

    All methods reject invalid candidates.
    """

    def __init__(self, options: GraphInvariantOptions, master_seed: int, table: SearchTable) -> None:
        self.runner = ProgramRunner(options, master_seed, "search")
        self._second_runner = ProgramRunner(options, master_seed, "again")
        self._options = options
        self._table = table

    def close(self) -> None:
        """End the sandboxes."""
        self.runner.close()
        self._second_runner.close()

    def compute(self, program: CandidateProgram) -> Vector:
        """Return the values on all training and validation graphs of a candidate that was accepted."""
        values = self.interpret(program)
        if values is not None:
            return values
        return np.concatenate([self.run_on_train(program), self.run(program, "validation")])

    def interpret(self, program: CandidateProgram) -> Vector | None:
        """Return the values on all graphs of a formula; `None` for a program that has to be run."""
        values = interpret(program, self._table.all.columns, self._table.all.count)
        return None if values is None else validity.require_values(values)

    def run_on_train(self, program: CandidateProgram) -> Vector:
        """Run a program on the few training graphs; it must not call what it may not use."""
        refuse_forbidden_names(program, self._options.target, self._options.level)
        return validity.require_steadiness(self.run(program, "train"), self._table.train)

    def run(self, program: CandidateProgram, dataset: str) -> Vector:
        """Run a program on a data set."""
        return validity.require_values(self.runner.run(program.source, dataset))

    def require_steadiness(self, program: CandidateProgram, values: Vector) -> None:
        """Run a program that is about to be accepted a second time; a formula has no state to depend on.

        Raises:
            CandidateRejected: its values differ.
        """
        if self.interpret(program) is not None:
            return
        names = [spec.name + AGAIN for spec in get_search_sets(self._options)]
        again = [validity.require_values(self._second_runner.run(program.source, name)) for name in names]
        validity.require_same_again(values, np.concatenate(again))
