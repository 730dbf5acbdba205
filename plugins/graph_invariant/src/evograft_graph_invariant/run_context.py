"""The workbench of one run: data, judges and helper processes that belong to one master seed."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from evograft_graph_invariant.evaluation.bounds.search_evaluator import BoundJudge
from evograft_graph_invariant.evaluation.search_evaluator import SearchJudge
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.scoring.simplicity import Simplifier
from evograft_hookspecs import Candidate, CandidateRejected, Evaluation

if TYPE_CHECKING:
    from evograft_graph_invariant.evaluation.final_evaluator import Judgement
    from evograft_graph_invariant.search.explorer import Explorer


class Bench:
    """Safe to be used from several threads; after `close`, what is needed is started again."""

    def __init__(self, options: GraphInvariantOptions, master_seed: int) -> None:
        self.options = options
        self.master_seed = master_seed
        self.simplifier = Simplifier()
        self.search = SearchJudge(options, master_seed, self.simplifier)
        self._bounds = (
            None if options.mode == "approximate" else BoundJudge(self.search, options.mode, master_seed=master_seed)
        )
        self._lock = threading.Lock()
        self._explorer: Explorer | None = None
        self._judged: tuple[str, Judgement] | None = None

    @property
    def explorer(self) -> Explorer:
        """The search inside the plugin's operators, made for the first trial that asks for it."""
        from evograft_graph_invariant.search.explorer import Explorer
        from evograft_graph_invariant.search.search_objective import Aim

        with self._lock:
            if self._explorer is None:
                self._explorer = Explorer(Aim(self.search.sheet, self.options), self.options.explore)
            return self._explorer

    def evaluate(self, candidate: Candidate) -> Evaluation:
        return (self._bounds or self.search).evaluate(_source(candidate))

    def judge_finally(self, candidate: Candidate) -> Evaluation:
        """The whole judgement. A candidate that the search would reject is rejected here too."""
        source = _source(candidate)
        if self._bounds is not None:
            return self._judge_bound(source, self._bounds)
        from evograft_graph_invariant.evaluation.final_text import to_evaluation

        self.search.evaluate(source)
        return to_evaluation(self.judgement_of(source))

    def judgement_of(self, source: str) -> Judgement:
        """The whole judgement of a candidate that the search accepted; the newest is kept, since records tell it too."""
        if self._judged is None or self._judged[0] != source:
            from evograft_graph_invariant.evaluation.final_evaluator import FinalJudge

            judge = FinalJudge(self.search, self.master_seed)
            try:
                self._judged = source, judge.judge(source)
            finally:
                judge.runner.close()
        return self._judged[1]

    def _judge_bound(self, source: str, bounds: BoundJudge) -> Evaluation:
        from evograft_graph_invariant.evaluation.bounds.final_evaluator import FinalBoundJudge, to_evaluation

        bounds.evaluate(source)
        judge = FinalBoundJudge(self.search, bounds.side, self.master_seed)
        try:
            return to_evaluation(judge.judge(source), self.options.parsimony)
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
