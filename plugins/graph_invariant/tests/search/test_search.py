"""The search inside an operator: what it counts, what it keeps, and what it never looks at."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from evograft_graph_invariant.formulas.interpreter import evaluate_columns
from evograft_graph_invariant.formulas.program import CandidateProgram, write_program
from evograft_graph_invariant.graphs import datasets
from evograft_graph_invariant.options import ExploreOptions, GraphInvariantOptions
from evograft_graph_invariant.run_context import RunContext
from evograft_graph_invariant.search import search_objective
from evograft_graph_invariant.search.budget import EvaluationBudget
from evograft_graph_invariant.search.constants import fit_constants
from evograft_graph_invariant.search.explorer import Explorer, _cut
from evograft_graph_invariant.search.operators import EXPLORE, FIT, make_candidate, offer_proposals
from evograft_graph_invariant.search.trees import make_constant, replace, strip_affine_constants, tidy, to_source, walk
from evograft_graph_invariant.search.values import compute_replaced
from evograft_hookspecs import Candidate, CandidateRejected, Proposal

MASTER_SEED = 7

FORMULAS = [
    "density(G) ** 0.5 - (n(G) - m(G))",
    "1 / (two_hop_share(G) / (density(G) * (n(G) * m(G))))",
    "math.log(n(G)) ** -0.5 + abs(density(G) - 0.3)",
    "(-0.5 * n(G)) ** 2 / m(G)",
    "(density(G) ** 2) ** 0.3 * math.exp(-density(G))",
]


@pytest.fixture(scope="module")
def workbench():
    found = RunContext(GraphInvariantOptions(master_seed=MASTER_SEED, explore=ExploreOptions(slice=600)), MASTER_SEED)
    yield found
    found.close()


@pytest.fixture
def explorer(workbench):
    return workbench.explorer


def read(expression):
    return CandidateProgram.parse(write_program(expression)).formula


def explore(explorer, *parents, seed=0, evaluations=600, known=()):
    budget = EvaluationBudget(evaluations)
    found = explorer.explore(
        random.Random(seed), tuple(map(read, parents)), lambda expr: to_source(expr) in known, budget
    )
    return found, budget


@pytest.mark.parametrize("expression", FORMULAS)
def test_a_formula_is_written_as_it_is_read(expression):
    expr = tidy(read(expression))
    assert tidy(read(to_source(expr))) == expr


@pytest.mark.parametrize("expression", FORMULAS)
def test_tidying_changes_no_value_and_adds_no_node(expression, explorer):
    expr = read(expression)
    values = evaluate_columns(expr, explorer.columns, 250).values
    assert np.allclose(evaluate_columns(tidy(expr), explorer.columns, 250).values, values, rtol=1e-5)
    assert tidy(expr).nodes <= expr.nodes


def test_what_changes_no_rank_is_left_out():
    assert to_source(strip_affine_constants(read("3 * (n(G) + 2) / 5 - 1"))) == "n(G)"
    assert to_source(strip_affine_constants(read("2 / n(G)"))) == "2 / n(G)", "an inverse is another line"


def test_nodes_are_counted_as_the_program_counts_them():
    for expression in FORMULAS:
        expr = tidy(read(expression))
        assert expr.nodes + search_objective.RETURN == CandidateProgram.parse(write_program(to_source(expr))).ast_nodes


def test_the_values_of_many_formulas_are_those_of_each(explorer):
    expr = read("(density(G) + n(G)) / two_hop_share(G) ** 0.5")
    for path, part in walk(expr):
        if part.operation != "constant":
            rows = np.stack([explorer.columns["m"], explorer.columns["density"]])
            both = compute_replaced(expr, path, rows, explorer.columns)
            for row, name in zip(both, ("m", "density"), strict=True):
                alone = evaluate_columns(replace(expr, path, read(f"{name}(G)")), explorer.columns, 250).values
                assert np.array_equal(row, alone)


def test_the_search_climbs_the_score_that_the_judge_gives(workbench):
    for expression in ("two_hop_share(G) ** 0.5 - density(G)", "(1 - density(G)) / two_hop_share(G) ** 0.5"):
        candidate = Candidate.of(write_program(expression), kind="python", operator="test.test", trial=0)
        assert workbench.explorer.objective.score(read(expression)) == workbench.evaluate(candidate).score


def test_what_the_judge_would_reject_has_no_score(explorer):
    assert explorer.objective.score(read("math.log(0 * n(G))")) is None
    assert explorer.objective.score(read("n(G) / n(G)")) is None


def test_rows_without_a_value_everywhere_or_with_only_one_are_screened_out(explorer):
    rows = np.stack([np.ones(250), np.full(250, np.nan), explorer.columns["density"]])
    crude = explorer.objective.screen(rows, np.array([1, 1, 5]))
    assert np.isneginf(crude[:2]).all()
    assert crude[2] > 0


@pytest.mark.parametrize("seed", range(5))
def test_fitted_constants_never_worsen_the_objective(explorer, seed):
    rng = random.Random(seed)
    expr = tidy(
        read(rng.choice(["density(G) ** 2 + two_hop_share(G) ** 0.3", "(1.7 - density(G)) / two_hop_share(G)"]))
    )
    for path, part in walk(expr):
        if part.operation == "constant":
            expr = replace(expr, path, make_constant(round(rng.uniform(0.1, 3), 2)))
    score = explorer.objective.score(expr)
    fitted, better = fit_constants(expr, score, explorer.objective, EvaluationBudget(80), most=29)
    assert better >= score
    assert explorer.objective.score(fitted) == better


def test_fitting_spends_no_more_than_its_budget(explorer, monkeypatch):
    calls = []
    score = explorer.objective.score
    monkeypatch.setattr(explorer.objective, "score", lambda expr: calls.append(expr) or score(expr))
    expr = read("density(G) ** 2 + two_hop_share(G) ** 0.3")
    fit_constants(expr, score(expr), explorer.objective, EvaluationBudget(25), most=29)
    assert 10 < len(calls) <= 25


def test_nothing_is_fitted_where_there_is_no_constant(explorer):
    expr = read("n(G) / m(G)")
    assert fit_constants(expr, 0.5, explorer.objective, EvaluationBudget(9), most=29) == (expr, 0.5)


@pytest.mark.parametrize("evaluations", [100, 600])
def test_the_slice_is_counted(explorer, monkeypatch, evaluations):
    looked_at = 0
    score, screen = explorer.objective.score, explorer.objective.screen

    def counted_score(expr):
        nonlocal looked_at
        looked_at += 1
        return score(expr)

    def counted_screen(rows, nodes):
        nonlocal looked_at
        looked_at += len(rows)
        return screen(rows, nodes)

    monkeypatch.setattr(explorer.objective, "score", counted_score)
    monkeypatch.setattr(explorer.objective, "screen", counted_screen)
    _, budget = explore(explorer, "density(G) + n(G)", evaluations=evaluations)
    assert evaluations / 2 < looked_at <= evaluations
    assert budget.left <= evaluations / 2


@pytest.mark.parametrize("parents", [(), ("density(G) + n(G)",), ("density(G) ** 2", "n(G) / m(G)")])
def test_the_same_generator_makes_the_same_child(workbench, parents):
    fresh = Explorer(workbench.explorer.objective, workbench.options.explore)
    assert explore(workbench.explorer, *parents, seed=3)[0] == explore(fresh, *parents, seed=3)[0]
    assert explore(workbench.explorer, *parents, seed=3)[0] != explore(fresh, *parents, seed=4)[0]


def test_a_child_is_no_larger_than_allowed_and_the_best_of_some_is_better_than_its_parent(explorer):
    parent = "density(G) + two_hop_share(G)"
    children = [explore(explorer, parent, seed=seed)[0] for seed in range(5)]
    assert all(child.nodes <= explorer.most for child in children)
    # A single search may go astray, and which one does depends on the last bits of the columns.
    assert max(map(explorer.objective.score, children)) > explorer.objective.score(read(parent))


def test_what_is_known_is_not_found_again(explorer):
    first, _ = explore(explorer, "density(G) + n(G)", seed=1)
    second, _ = explore(explorer, "density(G) + n(G)", seed=1, known={to_source(first)})
    assert second is not None
    assert second != first


def test_a_parent_that_is_too_large_is_taken_apart(explorer):
    large = " + ".join(f"density(G) ** {exponent}" for exponent in range(2, 9))
    found, _ = explore(explorer, large, evaluations=3000)
    assert found is None or found.nodes <= explorer.most


@pytest.mark.parametrize("seed", range(8))
def test_a_cut_takes_one_operation_out_and_keeps_what_it_was_applied_to(seed):
    formula = tidy(read("(density(G) + n(G) ** 0.5) / math.log(m(G))"))
    smaller = _cut(random.Random(seed), formula)
    assert smaller.nodes < formula.nodes
    assert {part.name for _, part in walk(smaller)} <= {part.name for _, part in walk(formula)}


def test_nothing_is_cut_out_of_a_column():
    assert _cut(random.Random(1), read("n(G)")) == read("n(G)")


def context(**about):
    history = SimpleNamespace(latest=lambda count: ())
    return SimpleNamespace(rng=random.Random(1), trial=9, history=history, problem=None, **about)


def parent(number, expression):
    source = expression if "def " in expression else write_program(expression)
    candidate = Candidate.of(source, kind="python", operator="test.test", trial=number)
    return SimpleNamespace(number=number, candidate=candidate, score=0.5)


def make(explorer, operator, *parents):
    return make_candidate(context(), Proposal(id=operator, operator=operator), parents, explorer)


def test_a_candidate_names_the_parents_that_could_be_read(explorer):
    program_with_a_loop = "def new_invariant(G):\n    for x in G:\n        return 1.0\n"
    child = make(explorer, EXPLORE, parent(3, program_with_a_loop), parent(5, "density(G)"))
    assert child.parents == (5,)
    assert child.operator == "graph_invariant.explore"


def test_fitting_hands_in_a_better_formula_or_is_refused(explorer):
    child = make(explorer, FIT, parent(3, "density(G) ** 2 + two_hop_share(G) ** 0.3"))
    better = explorer.objective.score(CandidateProgram.parse(child.source).formula)
    assert better > explorer.objective.score(read("density(G) ** 2 + two_hop_share(G) ** 0.3"))
    with pytest.raises(CandidateRejected, match="no other formula"):
        make(explorer, FIT, parent(3, "density(G)"))


def test_a_model_does_the_writing_where_there_is_one_unless_a_weight_is_given():
    options, parents = ExploreOptions(), (parent(1, "density(G) ** 0.3"),)
    alone, beside = (offer_proposals(options, parents, with_model=answer) for answer in (False, True))
    assert [(each.operator, each.weight) for each in alone] == [(EXPLORE, options.weight), (FIT, options.fit_weight)]
    assert beside == ()
    added = ExploreOptions(weight_with_model=0.1, fit_weight_with_model=0.05)
    given = offer_proposals(added, parents, with_model=True)
    assert [(each.operator, each.weight) for each in given] == [(EXPLORE, 0.1), (FIT, 0.05)]


def test_operators_without_weight_are_not_offered():
    assert (
        offer_proposals(ExploreOptions(weight=0, fit_weight=0), (parent(1, "density(G) ** 2"),), with_model=False) == ()
    )


@pytest.mark.parametrize(
    ("expressions", "fits"),
    [
        ((), False),
        (("density(G) * m(G)",), False),
        (("3 * density(G) + 0.5",), False),
        (("density(G) ** 0.5 * m(G)",), True),
        (("def new_invariant(G):\n    for x in G:\n        return 2.0\n",), False),
        (("def new_invariant(G):\n    for x in G:\n        return 2.0\n", "density(G) ** 0.5"), True),
        (("density(G)", "density(G) ** 0.5"), False),
    ],
)
def test_fitting_is_offered_where_the_formula_that_it_would_fit_has_numbers_that_matter(expressions, fits):
    parents = tuple(parent(number, each) for number, each in enumerate(expressions))
    offered = [each.operator for each in offer_proposals(ExploreOptions(), parents, with_model=False)]
    assert offered == [EXPLORE, *([FIT] if fits else [])]


def test_a_parent_without_a_score_has_nothing_that_could_be_fitted():
    broken = SimpleNamespace(number=1, score=None, candidate=Candidate.of("f(", kind="python", operator="a.b", trial=1))
    assert [each.operator for each in offer_proposals(ExploreOptions(), (broken,), with_model=False)] == [EXPLORE]


def test_no_graph_but_those_of_the_search_is_built(monkeypatch):
    """Whatever builds a test, sanity or OOD graph would have to ask for it here."""
    load = datasets._draw

    def guarded(spec, master_seed):
        assert spec.name in ("train", "validation"), f"the search asked for {spec.name}"
        return load(spec, master_seed)

    monkeypatch.setattr(datasets, "_draw", guarded)
    options = GraphInvariantOptions(master_seed=MASTER_SEED, train=10, validation=25, cache=False)
    bench = RunContext(options, MASTER_SEED)
    found, _ = explore(bench.explorer, "density(G) + n(G)", evaluations=2000)
    assert found is not None
    with pytest.raises(AssertionError, match="the search asked for test"):
        bench.evaluate_finally(
            Candidate.of(write_program(to_source(found)), kind="python", operator="test.test", trial=0)
        )
    bench.close()
