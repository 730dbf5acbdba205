"""The context of one run: data, evaluators and helper processes that belong to one master seed."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from evograft_graph_invariant.evaluation.bounds.search_evaluator import BoundEvaluator
from evograft_graph_invariant.evaluation.search_evaluator import SearchEvaluator
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.scoring.simplicity import Simplifier
from evograft_hookspecs import Candidate, CandidateRejected, Evaluation

if TYPE_CHECKING:
    from evograft_graph_invariant.evaluation.final_result import FinalResult
    from evograft_graph_invariant.search.explorer import Explorer


class RunContext:
    """A context that is safe to be used from several threads; after `close`, what is needed is started again."""

    def __init__(self, options: GraphInvariantOptions, master_seed: int) -> None:
        self.options = options
        self.master_seed = master_seed
        self.simplifier = Simplifier()
        self.search = SearchEvaluator(options, master_seed, self.simplifier)
        self._bounds = None if options.mode == "approximate" else BoundEvaluator(self.search, options.mode)
        self._lock = threading.Lock()
        self._explorer: Explorer | None = None
        self._final_result: tuple[str, FinalResult] | None = None

    @property
    def explorer(self) -> Explorer:
        """The search inside the plugin's operators, made for the first trial that asks for it."""
        from evograft_graph_invariant.search.explorer import Explorer
        from evograft_graph_invariant.search.search_objective import SearchObjective

        with self._lock:
            if self._explorer is None:
                self._explorer = Explorer(SearchObjective(self.search.table, self.options), self.options.explore)
            return self._explorer

    def evaluate(self, candidate: Candidate) -> Evaluation:
        return (self._bounds or self.search).evaluate(_get_source(candidate))

    def evaluate_finally(self, candidate: Candidate) -> Evaluation:
        """Return the final evaluation. A candidate that the search would reject is rejected here too."""
        source = _get_source(candidate)
        if self._bounds is not None:
            return self._evaluate_bound(source, self._bounds)
        from evograft_graph_invariant.evaluation.final_text import to_evaluation

        self.search.evaluate(source)
        return to_evaluation(self.get_final_result(source))

    def get_final_result(self, source: str) -> FinalResult:
        """Return the final result of an accepted candidate; the newest is kept, because records need it too."""
        if self._final_result is None or self._final_result[0] != source:
            from evograft_graph_invariant.evaluation.final_evaluator import FinalEvaluator

            evaluator = FinalEvaluator(self.search, self.master_seed)
            try:
                self._final_result = source, evaluator.evaluate(source)
            finally:
                evaluator.runner.close()
        return self._final_result[1]

    def _evaluate_bound(self, source: str, bounds: BoundEvaluator) -> Evaluation:
        from evograft_graph_invariant.evaluation.bounds.final_evaluator import FinalBoundEvaluator, to_evaluation

        bounds.evaluate(source)
        evaluator = FinalBoundEvaluator(self.search, bounds.side, self.master_seed)
        try:
            return to_evaluation(evaluator.evaluate(source), self.options.parsimony)
        finally:
            evaluator.runner.close()

    def close(self) -> None:
        """End the sandbox and SymPy's process."""
        self.search.close()
        self.simplifier.close()


def _get_source(candidate: Candidate) -> str:
    if len(candidate.files) != 1:
        raise CandidateRejected("a candidate is one file with the function new_invariant(G)")
    return candidate.source
