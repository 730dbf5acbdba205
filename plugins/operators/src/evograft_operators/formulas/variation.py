"""Makes a candidate from formulas: reads the parents, edits them, and sees to it that the child is a new formula."""

from __future__ import annotations

import random
from collections.abc import Iterable

from evograft_hookspecs import Candidate, CandidateRejected, Context, Proposal, Trial
from evograft_operators.formulas.edits import OPERATIONS, FormulaOperation, Parents
from evograft_operators.formulas.expression import FormulaExpression
from evograft_operators.formulas.grammar import Grammar, get_grammar
from evograft_operators.formulas.simplification import simplify

TRIES = 10
"""How often an edit that came out too large or without effect is drawn again."""


def make_formula(ctx: Context, proposal: Proposal, parents: tuple[Trial, ...]) -> Candidate:
    """Carry out one of `OPERATIONS`.

    Raises:
        CandidateRejected: the parents do not fit, or the grammar allows nothing else that is small enough.
    """
    if ctx.problem is None or ctx.problem.grammar is None:
        raise CandidateRejected("the problem has no grammar, which expression operators work from")
    grammar = get_grammar(ctx.problem.grammar)
    operation = OPERATIONS[proposal.operator.partition(".")[2]]
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


def count_readable(parents: Iterable[Trial], grammar: Grammar) -> int:
    """Count the parents, from the first on, that are formulas of the grammar; a model may have written others."""
    count = 0
    for parent in parents:
        try:
            _read(parent, grammar)
        except CandidateRejected:
            break
        count += 1
    return count


def vary(rng: random.Random, operation: FormulaOperation, parents: Parents, grammar: Grammar) -> FormulaExpression:
    """Repeat an edit until its child fits the grammar's size, differs from the parents and is not a mere number.

    After a bounded number of tries it settles for the nearest thing: the largest part of the first parent that fits,
    or else a leaf.

    Raises:
        CandidateRejected: the grammar allows nothing else that is small enough.
    """
    tidied = tuple(simplify(parent, grammar) for parent in parents)
    known = (*parents, *tidied)
    for _ in range(TRIES):
        child = simplify(operation.edit(rng, tidied, grammar), grammar)
        if _is_fit(child, known, grammar) and _varies(child):
            return child
    pieces = [part for part in tidied[0].walk() if _varies(part)] if tidied else []
    pieces.sort(key=lambda part: -part.nodes)
    for child in (*pieces, *(grammar.draw_leaf(rng, constants=0.5) for _ in range(TRIES))):
        if _is_fit(child, known, grammar):
            return child
    raise CandidateRejected(f"found no other formula of at most {grammar.spec.max_nodes} nodes")


def _is_fit(child: FormulaExpression, known: Parents, grammar: Grammar) -> bool:
    return child.nodes <= grammar.spec.max_nodes and child not in known


def _varies(child: FormulaExpression) -> bool:
    return any(part.kind == "terminal" for part in child.walk())


def _read(parent: Trial, grammar: Grammar) -> FormulaExpression:
    if parent.candidate is None or len(parent.candidate.files) != 1:
        raise CandidateRejected(f"the candidate of trial {parent.number} is not a program of one file")
    return grammar.parse(parent.candidate.source)
