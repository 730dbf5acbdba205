"""The edits themselves: small pure functions from parents to a child, which may be too large or unchanged."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evograft_operators.formulas.expression import FormulaExpression, binary, constant, power
from evograft_operators.formulas.grammar import EXPONENTS, Grammar, round_constant

Parents = Sequence[FormulaExpression]
Edit = Callable[[random.Random, Parents, Grammar], FormulaExpression]

INNER = 0.7
"""How often an edit strikes an operation rather than a leaf: half of all parts are leaves, the least interesting."""

FRESH_DEPTH = 4

LARGEST_CONSTANT = 1e9
"""Where tuning stops, and its reciprocal: beyond them arithmetic loses its sense."""


def tune(rng: random.Random, parents: Parents, grammar: Grammar) -> FormulaExpression:
    """Change a constant a little or a lot, or put a new one in."""
    places = [place for place, part in enumerate(parents[0].walk()) if part.kind == "constant"]
    if not places or rng.random() < 0.2:  # noqa: PLR2004
        return _insert_constant(rng, parents[0], grammar)
    place = rng.choice(places)
    return parents[0].replace(place, constant(_perturb(rng, parents[0].at(place).value)))


def swap(rng: random.Random, parents: Parents, grammar: Grammar) -> FormulaExpression:
    """Exchange one primitive for another of its kind, or the two operands of an operation."""
    place = _choose_place(rng, parents[0])
    return parents[0].replace(place, _exchange(rng, parents[0].at(place), grammar))


def grow(rng: random.Random, parents: Parents, grammar: Grammar) -> FormulaExpression:
    """Wrap a part into one more operation, with a leaf or a small expression at its side."""
    place = rng.randrange(parents[0].size)
    side = grammar.draw(rng, depth=rng.randint(0, 1))
    return parents[0].replace(place, grammar.wrap(rng, parents[0].at(place), side))


def regrow(rng: random.Random, parents: Parents, grammar: Grammar) -> FormulaExpression:
    """Replace a part by a random expression."""
    return parents[0].replace(_choose_place(rng, parents[0]), grammar.draw(rng, depth=rng.randint(1, 3)))


def shrink(rng: random.Random, parents: Parents, grammar: Grammar) -> FormulaExpression:
    """Replace an operation by a part of it, or by a leaf."""
    place = _choose_place(rng, parents[0], inner=1.0)
    part = parents[0].at(place)
    if part.size == 1 or rng.random() < 0.25:  # noqa: PLR2004
        return parents[0].replace(place, grammar.draw_leaf(rng))
    return parents[0].replace(place, part.at(rng.randrange(1, part.size)))


def crossover_formula(rng: random.Random, parents: Parents, _: Grammar) -> FormulaExpression:
    """Put a part of the second parent into the first."""
    graft = parents[1].at(_choose_place(rng, parents[1]))
    return parents[0].replace(_choose_place(rng, parents[0]), graft)


def generate(rng: random.Random, _: Parents, grammar: Grammar) -> FormulaExpression:
    """Draw an expression from the grammar."""
    return grammar.draw(rng, depth=rng.randint(2, FRESH_DEPTH))


@dataclass(frozen=True)
class FormulaOperation:
    """An edit, as it is offered."""

    edit: Edit
    description: str
    parents: int = 1
    """How many parents it uses."""
    boldness: float = 0.5
    """0: a small step, 1: a leap. A high temperature favours the bold ones, a low one the timid."""


OPERATIONS = {
    "constant": FormulaOperation(tune, "changes a constant, or puts a new one in", boldness=0.1),
    "swap": FormulaOperation(swap, "exchanges a terminal, a function, an operator or two operands", boldness=0.3),
    "shrink": FormulaOperation(shrink, "replaces a subexpression by one of its parts or a leaf", boldness=0.4),
    "grow": FormulaOperation(grow, "wraps a subexpression into one more operation", boldness=0.5),
    "splice": FormulaOperation(
        crossover_formula, "puts a subexpression of parent two into parent one", parents=2, boldness=0.6
    ),
    "regrow": FormulaOperation(regrow, "replaces a subexpression by a random one", boldness=0.8),
    "sprout": FormulaOperation(generate, "draws a new expression from the grammar", parents=0, boldness=1.0),
}


def _choose_place(rng: random.Random, expression: FormulaExpression, *, inner: float = INNER) -> int:
    if expression.parts and rng.random() < inner:
        return rng.choice([place for place, part in enumerate(expression.walk()) if part.parts])
    return rng.randrange(expression.size)


def _perturb(rng: random.Random, value: float) -> float:
    """Step from a hundredth of the value to all of it: nobody knows beforehand how far off a constant is."""
    scale = 10 ** rng.uniform(-2, 0)
    match rng.randrange(4):
        case 0:
            value += rng.gauss(0, scale)
        case 1:
            value = -value
        case _:
            value *= math.exp(rng.gauss(0, scale))
    value = round_constant(value, digits=rng.randint(1, 4))
    return 0.0 if abs(value) < 1 / LARGEST_CONSTANT else min(max(value, -LARGEST_CONSTANT), LARGEST_CONSTANT)


def _insert_constant(rng: random.Random, expression: FormulaExpression, grammar: Grammar) -> FormulaExpression:
    place = rng.randrange(expression.size)
    new = grammar.draw_constant(rng)
    if grammar.binaries:
        new = binary(rng.choice(grammar.binaries), *rng.sample((expression.at(place), new), 2))
    return expression.replace(place, new)


def _exchange(rng: random.Random, part: FormulaExpression, grammar: Grammar) -> FormulaExpression:
    match part.kind:
        case "terminal" | "constant":
            return grammar.draw_leaf(rng)
        case "power" if rng.random() < 0.5:  # noqa: PLR2004
            return power(part.parts[0], rng.choice(EXPONENTS))
        case "call" | "power":
            return grammar.draw_unary(rng, part.parts[0])
    left, right = part.parts
    if part.head in "-/" and rng.random() < 0.25:  # noqa: PLR2004
        return binary(part.head, right, left)
    return binary(rng.choice(grammar.binaries), left, right)
