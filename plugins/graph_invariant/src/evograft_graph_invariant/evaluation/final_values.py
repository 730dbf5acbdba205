"""A candidate's values on a set of the final evaluation, whichever way it has to be run."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from evograft_graph_invariant.evaluation.program_runner import ProgramRunner
from evograft_graph_invariant.formulas.interpreter import CandidateValues, interpret
from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.scoring.feature_table import FeatureTable
from evograft_hookspecs import CandidateRejected


@dataclass
class FinalValues:
    """The values of one candidate; a program that fails as a whole on data it had not seen has no value there."""

    program: CandidateProgram
    runner: ProgramRunner
    notes: dict[str, str] = field(default_factory=dict)
    """Sets on which it failed as a whole, and why."""

    def compute(self, name: str, table: FeatureTable) -> CandidateValues:
        answers = interpret(self.program, table.columns, table.count)
        if answers is not None:
            return answers
        try:
            return self.runner.run(self.program.source, name)
        except CandidateRejected as err:
            self.notes[name] = err.reason
            return CandidateValues(np.full(table.count, np.nan))
