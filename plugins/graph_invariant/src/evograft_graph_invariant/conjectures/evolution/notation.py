"""Candidates as texts: `target <= formula for property, property`, in a small grammar that is checked."""

from __future__ import annotations

import ast
import re

from evograft_graph_invariant.conjectures.bounds.inequality import Inequality
from evograft_graph_invariant.conjectures.bounds.terms import list_invariants, parse_term
from evograft_graph_invariant.conjectures.evolution.options import InequalityOptions
from evograft_hookspecs import CandidateRejected

LONGEST = 400
"""Characters of a candidate."""
LARGEST_NUMBER = 1000
LARGEST_EXPONENT = 4
MOST_DIGITS = 6
"""Of the numerator and the denominator of a coefficient."""

_PARTS = re.compile(r"(?P<left>\w+)\s*(?P<sense><=|>=)\s*(?P<right>.+?)(?:\s+for\s+(?P<properties>[\w\s,]+))?")


def write_candidate(inequality: Inequality) -> str:
    """Return the text of a candidate, which `read_candidate` reads."""
    return f"{inequality.statement}{format_hypothesis(inequality)}\n"


def format_hypothesis(inequality: Inequality) -> str:
    """Return what a candidate supposes, with a space before it; empty for all connected graphs."""
    return f" for {', '.join(inequality.hypothesis)}" if inequality.hypothesis else ""


def read_candidate(text: str, options: InequalityOptions) -> Inequality:
    """Return the inequality that a candidate is.

    Raises:
        CandidateRejected: it is not in the grammar, is too long, or names what the run does not allow.
    """
    match = _PARTS.fullmatch(" ".join(text.replace("≤", "<=").replace("≥", ">=").split()))
    if match is None or len(text) > LONGEST:
        raise CandidateRejected(
            f"write one inequality of at most {LONGEST} characters, as `{options.target} <= FORMULA` or "
            f"`{options.target} >= FORMULA for PROPERTY, PROPERTY`"
        )
    if match["left"] != options.target or match["sense"] not in options.senses:
        allowed = " or ".join(f"`{options.target} {sense}`" for sense in options.senses)
        raise CandidateRejected(f"begin with {allowed}, not with `{match['left']} {match['sense']}`")
    properties = [name.strip() for name in (match["properties"] or "").split(",") if name.strip()]
    _require_known(properties, options.properties, "a property that may be supposed")
    try:
        _require_moderate(parse_term(match["right"]))
        found = Inequality.parse(f"{match['left']} {match['sense']} {match['right']}", tuple(set(properties)))
    except ValueError as err:
        raise CandidateRejected(str(err)) from err
    _require_allowed(found, options)
    return found


def _require_moderate(tree: ast.expr) -> None:
    """Raise a `ValueError` for numbers that no bound needs and that take long to compute with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and not _is_number(node, LARGEST_NUMBER):
            raise ValueError(f"{ast.unparse(node)} is not a number of at most {LARGEST_NUMBER}")
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Pow)
            and not _is_number(node.right, LARGEST_EXPONENT)
        ):
            raise ValueError(f"an exponent is a number of at most {LARGEST_EXPONENT}, not {ast.unparse(node.right)}")


def _is_number(node: ast.expr, largest: int) -> bool:
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= largest


def _require_allowed(inequality: Inequality, options: InequalityOptions) -> None:
    used = frozenset[str]().union(*(list_invariants(term) for term, _ in inequality.terms))
    if options.target in used:
        raise CandidateRejected(f"{options.target} stands on the right too: bring it to the left")
    _require_known(sorted(used), options.regressors, "an invariant that may be used")
    for _, number in inequality.terms:
        if max(len(str(abs(number.numerator))), len(str(number.denominator))) > MOST_DIGITS:
            raise CandidateRejected(f"a coefficient has more than {MOST_DIGITS} digits as a fraction")
    if inequality.complexity > options.max_complexity:
        raise CandidateRejected(
            f"the complexity is {inequality.complexity}, at most {options.max_complexity} is allowed: fewer symbols, "
            "digits or properties"
        )


def _require_known(names: list[str], known: tuple[str, ...], what: str) -> None:
    for name in names:
        if name not in known:
            raise CandidateRejected(f"{name!r} is not {what}: {', '.join(known) or 'there are none'}")
