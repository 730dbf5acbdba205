"""A candidate's values on a set of the final judgement, whichever way it has to be run."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from evograft_graph_invariant.evaluation.program_runner import ProgramRunner
from evograft_graph_invariant.formulas.interpreter import Answers, interpret
from evograft_graph_invariant.formulas.program import Program
from evograft_graph_invariant.scoring.feature_table import Sheet
from evograft_hookspecs import CandidateRejected


@dataclass
class Answering:
    """Of one candidate; a program that fails as a whole on data it had not seen has no value there."""

    program: Program
    runner: ProgramRunner
    notes: dict[str, str] = field(default_factory=dict)
    """Sets on which it failed as a whole, and why."""

    def answer(self, name: str, sheet: Sheet) -> Answers:
        answers = interpret(self.program, sheet.columns, sheet.count)
        if answers is not None:
            return answers
        try:
            return self.runner.run(self.program.source, name)
        except CandidateRejected as err:
            self.notes[name] = err.reason
            return Answers(np.full(sheet.count, np.nan))
