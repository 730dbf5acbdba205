"""The workbench of one run: data, judges and helper processes that belong to one master seed."""

from __future__ import annotations

from evograft_graph_invariant.judge import SearchJudge
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.simplicity import Simplifier
from evograft_hookspecs import Candidate, CandidateRejected, Evaluation


class Bench:
    """Safe to be used from several threads; after `close`, what is needed is started again."""

    def __init__(self, options: GraphInvariantOptions, master_seed: int) -> None:
        self.options = options
        self.master_seed = master_seed
        self.simplifier = Simplifier()
        self.search = SearchJudge(options, master_seed, self.simplifier)

    def evaluate(self, candidate: Candidate) -> Evaluation:
        return self.search.evaluate(_source(candidate))

    def judge_finally(self, candidate: Candidate) -> Evaluation:
        """The whole judgement. A candidate that the search would reject is rejected here too."""
        from evograft_graph_invariant.judgement import FinalJudge
        from evograft_graph_invariant.report import to_evaluation

        source = _source(candidate)
        self.search.evaluate(source)
        judge = FinalJudge(self.search, self.master_seed)
        try:
            return to_evaluation(judge.judge(source))
        finally:
            judge.runner.close()

    def close(self) -> None:
        """Ends the sandbox and SymPy's process."""
        self.search.close()
        self.simplifier.close()


def _source(candidate: Candidate) -> str:
    if len(candidate.files) != 1:
        raise CandidateRejected("a candidate is one file with the function new_invariant(G)")
    return candidate.source
