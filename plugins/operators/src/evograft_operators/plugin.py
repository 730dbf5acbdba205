"""`propose` and `mutate` for problems whose candidates are formulas."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import ClassVar

from evograft_hookspecs import (
    CONTRACT,
    Candidate,
    CandidateRejected,
    Context,
    Manifest,
    NoOptions,
    Operator,
    Proposal,
    Selection,
    Trial,
    hookimpl,
)
from evograft_operators.edits import OPERATIONS, Operation, Parents
from evograft_operators.expression import Expression
from evograft_operators.grammar import Grammar, get_grammar
from evograft_operators.tidy import tidy

NAME = "operators"
TRIES = 10
"""How often an edit that came out too large or without effect is drawn again."""

COOLEST, HOTTEST = 0.1, 10.0
"""Temperatures beyond these count as these."""

PROFILES = {
    "refine": {"constant": 4, "swap": 3, "shrink": 2, "grow": 3, "regrow": 1, "crossover": 1},
    "combine": {"crossover": 8, "constant": 1, "swap": 1, "shrink": 1, "grow": 1},
    "novel": {"fresh": 2, "regrow": 4, "grow": 2, "crossover": 2, "swap": 1, "shrink": 1},
}
"""Weights by strategy, before the temperature; under any other strategy all weigh the same."""


class OperatorsPlugin:
    """Edits formulas without a model; problems without a grammar are passed over."""

    manifest: ClassVar = Manifest(
        name=NAME,
        description="Edits of formulas without a model: constants, subexpressions, crossover, fresh ones.",
        contract=CONTRACT,
        operators=tuple(Operator(name=name, description=item.description) for name, item in OPERATIONS.items()),
        thread_safe=True,
    )
    Options: ClassVar = NoOptions

    def __init__(self, options: NoOptions) -> None:
        self.options = options

    @hookimpl
    def propose(self, ctx: Context, selection: Selection) -> tuple[Proposal, ...] | None:
        if ctx.problem is None or ctx.problem.grammar is None:
            return None
        return _offer(selection.strategy, selection.temperature, len(selection.parents))

    @hookimpl
    def mutate(self, ctx: Context, proposal: Proposal, parents: tuple[Trial, ...]) -> Candidate:
        if ctx.problem is None or ctx.problem.grammar is None:
            raise CandidateRejected("the problem has no grammar, which expression operators work from")
        grammar = get_grammar(ctx.problem.grammar)
        operation = OPERATIONS[proposal.operator.removeprefix(f"{NAME}.")]
        used = parents[: operation.parents]
        if len(used) < operation.parents:
            raise CandidateRejected(f"{proposal.operator} needs {operation.parents} parents, not {len(used)}")
        child = vary(ctx.rng, operation, tuple(_read(parent, grammar) for parent in used), grammar)
        return Candidate.of(
            grammar.program(child),
            kind=ctx.problem.kind,
            operator=proposal.operator,
            trial=ctx.trial or 0,
            parents=tuple(parent.number for parent in used),
        )


def vary(rng: random.Random, operation: Operation, parents: Parents, grammar: Grammar) -> Expression:
    """Carries an edit out until its child fits the grammar's size, differs from the parents and is no mere number.

    After a bounded number of tries it settles for the nearest thing: the largest part of the first parent that fits,
    or else a leaf.

    Raises:
        CandidateRejected: the grammar allows nothing else that is small enough.
    """
    tidied = tuple(tidy(parent, grammar) for parent in parents)
    known = (*parents, *tidied)
    for _ in range(TRIES):
        child = tidy(operation.edit(rng, tidied, grammar), grammar)
        if _is_fit(child, known, grammar) and _varies(child):
            return child
    pieces = [part for part in tidied[0].walk() if _varies(part)] if tidied else []
    pieces.sort(key=lambda part: -part.nodes)
    for child in (*pieces, *(grammar.draw_leaf(rng, constants=0.5) for _ in range(TRIES))):
        if _is_fit(child, known, grammar):
            return child
    raise CandidateRejected(f"found no other formula of at most {grammar.spec.max_nodes} nodes")


def _is_fit(child: Expression, known: Parents, grammar: Grammar) -> bool:
    return child.nodes <= grammar.spec.max_nodes and child not in known


def _varies(child: Expression) -> bool:
    return any(part.kind == "terminal" for part in child.walk())


def _read(parent: Trial, grammar: Grammar) -> Expression:
    if parent.candidate is None or len(parent.candidate.files) != 1:
        raise CandidateRejected(f"the candidate of trial {parent.number} is not a program of one file")
    return grammar.parse(parent.candidate.source)


@lru_cache(maxsize=256)
def _offer(strategy: str, temperature: float, parents: int) -> tuple[Proposal, ...]:
    if parents == 0:
        return (Proposal(id=f"{NAME}.fresh", operator=f"{NAME}.fresh"),)
    heat = min(max(temperature, COOLEST), HOTTEST)
    profile = PROFILES.get(strategy, dict.fromkeys(OPERATIONS, 1))
    return tuple(
        Proposal(id=f"{NAME}.{name}", operator=f"{NAME}.{name}", weight=weight * heat ** (2 * operation.boldness - 1))
        for name, operation in OPERATIONS.items()
        if (weight := profile.get(name, 0)) and operation.parents <= parents
    )
