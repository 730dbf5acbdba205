"""The problem: the statement for models and operators, and the log's description of the data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evograft.api import UserError
from evograft_graph_invariant.evaluation.data_splits import (
    get_larger_set,
    get_random_ood_sets,
    get_random_search_sets,
    get_random_test_sets,
)
from evograft_graph_invariant.evaluation.run_columns import list_columns, list_quantities
from evograft_graph_invariant.formulas.parser import FUNCTION
from evograft_graph_invariant.formulas.program import write_program
from evograft_graph_invariant.graphs.cache import get_cache_folder
from evograft_graph_invariant.graphs.datasets import RandomSet, derive_graph_seed, load_set
from evograft_graph_invariant.graphs.own_graphs import load_own_graphs
from evograft_graph_invariant.graphs.targets import find_given_away, find_target, get_reference_invariants
from evograft_graph_invariant.graphs.vocabulary import COLUMNS
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_hookspecs import ExpressionGrammar, FrozenDict, Problem

GRAMMAR_FUNCTIONS = ("math.sqrt", "math.log", "math.exp", "abs")
OBJECTIVES = {
    "rho": "|rho| on validation",
    "straight": "mean of |rho| on validation and straightness",
    "robust": "mean of |rho| on validation, |rho| in the worst slice and straightness",
    "total": "{alpha:g} |rho| on validation + {beta:g} simplicity + {gamma:g} novelty",
}
NOVELTIES = {
    "plain": "1 less its largest |rho| with a known invariant",
    "given_target": "1 less its largest partial |rho| with a known invariant, given the target",
}
STRAIGHTNESS = """Straightness (`linearity` in what was measured) is the largest |Pearson correlation| of the values, or
their logarithms, with a simple function of the target."""
SLICES = """Slices are the graphs of one kind, where there are as many of each, and the fifths by number of nodes and by
density, the first being those of the lowest."""
BOUND_OBJECTIVE = "a valid {} bound on every graph seen, then tightness, less parsimony"
SEED_COLUMNS = 8
"""The number of single columns that start the search."""


def pose_problem(options: GraphInvariantOptions, master_seed: int) -> Problem:
    columns = list_columns(options)
    return Problem(
        name="graph_invariant",
        statement=_statement(options, columns),
        kind="python",
        language="python",
        objective=_objective(options),
        analysis=_analysis(options, master_seed, columns),
        seeds=tuple(FrozenDict({"main": write_program(f"{name}(G)")}) for name in _spread(columns)),
        grammar=ExpressionGrammar(
            function=FUNCTION,
            argument="G",
            terminals=tuple(f"{name}(G)" for name in columns),
            functions=GRAMMAR_FUNCTIONS,
            operators=("+", "-", "*", "/", "**"),
            constants=options.constants,
            max_nodes=options.max_nodes,
        ),
    )


def _spread(columns: tuple[str, ...]) -> tuple[str, ...]:
    """Choose a few columns from all along the list."""
    step = max(1, len(columns) // SEED_COLUMNS)
    return columns[::step][:SEED_COLUMNS]


def _objective(options: GraphInvariantOptions) -> str:
    if options.mode != "approximate":
        return BOUND_OBJECTIVE.format(options.mode)
    low, high = options.larger_sizes
    weights = {"the atlas": options.weighs_atlas * options.atlas_weight}
    weights[f"graphs of {low} to {high}"] = options.weighs_larger * options.larger_weight
    beyond = "".join(f", plus {weight:g} |rho| on {graphs}" for graphs, weight in weights.items() if weight)
    costs_nodes = options.objective != "total" and options.parsimony > 0
    length = f", less {options.parsimony:g} a syntax node" if costs_nodes else ""
    return OBJECTIVES[options.objective].format(**options.weights.model_dump()) + beyond + length


def _explain_score(options: GraphInvariantOptions) -> str:
    """Explain the words of the objective, and what it leaves out."""
    if options.mode != "approximate" or options.objective == "total":
        return ""
    told = {"rho": (), "straight": (STRAIGHTNESS,), "robust": (STRAIGHTNESS, SLICES)}[options.objective]
    return "".join(f"\n{each}" for each in (*told, *_explain_signs(options), *_explain_costs(options)))


def _explain_signs(options: GraphInvariantOptions) -> Iterator[str]:
    weighed = {"in slices": options.objective == "robust", "on the atlas": options.weighs_atlas}
    weighed["on larger graphs"] = options.weighs_larger
    if options.weighs_atlas:
        yield "The atlas is all connected graphs of two to seven nodes."
    if any(weighed.values()):
        where = " and ".join(place for place, counts in weighed.items() if counts)
        yield f"Correlations {where} count as negative if their sign is not that on validation."


def _explain_costs(options: GraphInvariantOptions) -> Iterator[str]:
    if options.objective == "rho":
        return
    if options.unsafe_cost:
        yield (
            "Each root, logarithm, division or power that may be undefined on some connected graph lowers the score by "
            f"{options.unsafe_cost:g}."
        )
    if options.steep_cost:
        yield f"Each power beyond the third, products of powers included, lowers the score by {options.steep_cost:g}."


def _task(options: GraphInvariantOptions) -> tuple[str, str]:
    """Describe what is looked for, and how it is scored."""
    target = find_target(options.target)
    if options.mode == "approximate":
        return (
            f"Find a simple formula that orders connected graphs as their {target.name} does: {target.meaning}.",
            _scoring(options),
        )
    never = "below" if options.mode == "upper" else "above"
    score = "bounds that are valid are scored by how tight they are, and should be short"
    return (
        f"Find a simple {options.mode} bound of the {target.name} of connected graphs: {target.meaning}.",
        f"It must never be {never} the target, on small graphs neither; {score}.",
    )


def _scoring(options: GraphInvariantOptions) -> str:
    rho = "It is scored by |rho|, the absolute Spearman rank correlation with the target"
    if options.objective == "rho":
        return f"{rho}, and should be short."
    if options.objective != "total":
        return f"{rho}, and by how straight\nthe relation is, and should be short."
    return (
        f"{rho}, its simplicity\n(few syntax nodes, and few characters once simplified) and its novelty, which is "
        f"{NOVELTIES[options.novelty]}."
    )


def write_statement_without_columns(options: GraphInvariantOptions) -> str:
    """Write the statement for a prompt that says itself what a program may use."""
    return f"{_head(options)}\n\n{_rules(options)}"


def _statement(options: GraphInvariantOptions, columns: tuple[str, ...]) -> str:
    meanings = "\n".join(f"- {column.name}(G): {column.meaning}" for column in COLUMNS if column.name in columns)
    own = "".join(f"\n- {name}(G): {reference.rpartition(':')[2]}" for name, reference in options.own_columns.items())
    return f"""{_head(options)}{_explain_score(options)}

These functions of the graph are given (they return floats):
{meanings}{own}

`math`, `np` and harmless functions of `nx` may be used. {_rules(options)}"""


def _head(options: GraphInvariantOptions) -> str:
    task, scoring = _task(options)
    return f"""{task}{_describe_graphs(options)}

Write one Python function `def {FUNCTION}(G)` that takes an undirected networkx graph and returns a finite number for
every graph. {scoring}"""


def _describe_graphs(options: GraphInvariantOptions) -> str:
    if options.graphs is not None:
        return ""
    low, high = options.sizes
    kinds = "Erdős–Rényi, Barabási–Albert, Watts–Strogatz, random geometric and block graphs"
    small = ", and all connected graphs of up to seven nodes" if options.mode != "approximate" else ""
    return f"\nThe graphs are the largest components of random ones of {low} to {high} nodes ({kinds}){small}."


def _rules(options: GraphInvariantOptions) -> str:
    given = find_given_away(list_columns(options))
    forbidden = ", ".join(name for name in find_target(options.target).forbidden if name not in given)
    return f"""A program that uses one of these, or that computes one by other means, is refused (its values are
compared, and the order of graphs that they give): {forbidden}.
The value may not depend on the names of the nodes, and two calls must agree."""


def _analysis(options: GraphInvariantOptions, master_seed: int, columns: tuple[str, ...]) -> dict[str, Any]:
    return {
        "master_seed": master_seed,
        "target": options.target,
        "mode": options.mode,
        "level": options.level,
        "columns": list(columns),
        "references": list(get_reference_invariants(options.target)),
        "graphs": _graphs(options, master_seed),
        **_digest_functions(options),
    }


def _digest_functions(options: GraphInvariantOptions) -> dict[str, Any]:
    """Digest the source of each function of the user's."""
    own = [quantity for quantity in list_quantities(options) if quantity.origin == "function"]
    return {"functions": {quantity.reference: quantity.digest() for quantity in own}} if own else {}


def _graphs(options: GraphInvariantOptions, master_seed: int) -> dict[str, Any]:
    """Every graph's seed; parameters and redraws too of those that are built before the final judgement.

    Of the user's graphs their names, and a digest of all.
    """
    if options.graphs is not None:
        own = load_own_graphs(options.graphs, master_seed)
        names = {split: [graph.name for graph in graphs] for split, graphs in own.splits.items()}
        return {"digest": own.digest, **{split: {"graphs": found} for split, found in names.items()}}
    folder = get_cache_folder() if options.cache else None
    searched = (*get_random_search_sets(options), *([get_larger_set(options)] if options.weighs_larger else []))
    rest = (*get_random_test_sets(options), *get_random_ood_sets(options))
    logged = {spec.name: _seeds(spec, master_seed) for spec in (*searched, *rest)}
    for spec in searched:
        drawn = load_set(spec, master_seed, folder=folder, columns=()).drawn
        logged[spec.name]["redraws"] = [about["redraws"] for about in drawn]
        logged[spec.name]["parameters"] = [
            " ".join(f"{name}={value:.4g}" for name, value in about["parameters"].items()) for about in drawn
        ]
    return logged


def require_same_data(problem: Problem, options: GraphInvariantOptions, master_seed: int) -> None:
    """Compare the user's graphs and functions with those that a run began with.

    Raises:
        UserError: they have changed.
    """
    _require_same_functions(problem, options)
    if options.graphs is None:
        return
    began = problem.analysis["graphs"]["digest"]
    if load_own_graphs(options.graphs, master_seed).digest != began:
        raise UserError("the graphs or their table have changed since this run began: begin another run")


def _require_same_functions(problem: Problem, options: GraphInvariantOptions) -> None:
    began = problem.analysis.get("functions", {})  # an older log has none
    now = _digest_functions(options).get("functions", {})
    changed = [reference for reference, digest in now.items() if began.get(reference, digest) != digest]
    if changed:
        raise UserError(f"{', '.join(changed)}: the source has changed since this run began: begin another run")


def _seeds(spec: RandomSet, master_seed: int) -> dict[str, Any]:
    """Return the kinds of a set, in turn, and a seed for each of its graphs."""
    return {
        "kinds": list(spec.kinds),
        "seeds": [derive_graph_seed(master_seed, spec.name, i) for i in range(spec.count)],
    }
