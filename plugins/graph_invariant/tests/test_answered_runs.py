"""The runs of the benchmark that a strong model answered: they are opened, and their best formulas are scored as then."""

from pathlib import Path

import pytest

from evograft.api import RunHistory
from evograft.runs.index import open_run
from evograft.runs.reader import open_journal
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.run_context import RunContext

ANSWERED = Path(__file__).parents[1] / "benchmarks" / "answered"


@pytest.mark.parametrize(("search", "score", "nodes"), [("islands", 1.08546, 76), ("best_of_n", 1.08169, 42)])
def test_the_best_formula_of_a_run_that_a_model_answered_has_its_score(unpacked, search, score, nodes):
    run = open_run(unpacked(ANSWERED / f"{search}.tar.gz"))
    with open_journal(run.path) as journal:
        history = RunHistory.follow(journal, run.pipeline)
    best = history.best
    assert (round(best.score, 5), best.evaluation.metrics["ast_nodes"], best.model) == (score, nodes, "manual")
    options = GraphInvariantOptions.model_validate(run.pipeline.plugins[0].with_)
    context = RunContext(options, history.problem.analysis["master_seed"])
    try:
        again = context.evaluate(best.candidate)
    finally:
        context.close()
    assert again.metrics == pytest.approx(best.evaluation.metrics, abs=1e-9)
    assert again.score == pytest.approx(best.score, abs=1e-9)
