"""The problem: the statement for models, and what the log keeps about the data."""

from __future__ import annotations

from evograft_graph_invariant.conjectures.evolution.notation import LARGEST_EXPONENT, LARGEST_NUMBER
from evograft_graph_invariant.conjectures.evolution.options import InequalityOptions
from evograft_graph_invariant.conjectures.invariants.catalogue import BY_NAME, PROPERTY_BY_NAME
from evograft_hookspecs import FrozenDict, Problem

NAME = "graph_conjecture"
KIND = "inequality"
OBJECTIVE = "mean of sharpness, tightness and novelty on all graphs of the table, less parsimony"


def pose_problem(options: InequalityOptions) -> Problem:
    return Problem(
        name=NAME,
        statement=_write_statement(options),
        kind=KIND,
        objective=OBJECTIVE,
        analysis=FrozenDict(
            {
                "target": options.target,
                "senses": options.senses,
                "invariants": options.regressors,
                "properties": options.properties,
                "order": options.order,
                "trees": options.trees,
            }
        ),
    )


def _write_statement(options: InequalityOptions) -> str:
    target = BY_NAME[options.target]
    meanings = "\n".join(f"- {name}: {BY_NAME[name].meaning}" for name in options.regressors)
    senses = " or ".join(f"`{target.name} {sense} FORMULA`" for sense in options.senses)
    return f"""Find inequalities that bound the {target.name} of connected graphs: {target.meaning}.

A candidate is one line, {senses}, put into a code block. The formula is made of the invariants below, numbers of at
most {LARGEST_NUMBER}, `+`, `-`, `*`, `/`, `**` with exponents of at most {LARGEST_EXPONENT}, `sqrt`, `log`, `floor` and
`ceil`. Coefficients are small rational numbers.{_write_properties(options)}

A candidate that any graph violates is refuted, and the smallest such graph is named. The others are scored by the share
of graphs on which both sides are equal, by how small the mean difference is, and by the share of graphs on which they
are sharper than every known theorem; they should be short. An identity is refused.

Invariants:
{meanings}"""


def _write_properties(options: InequalityOptions) -> str:
    if not options.properties:
        return ""
    listed = ", ".join(f"`{name}` ({PROPERTY_BY_NAME[name].adjective})" for name in options.properties)
    return f"""
Properties of the graph may be supposed: `{options.target} <= FORMULA for PROPERTY, PROPERTY`. There are {listed}."""
