"""The plugin's own operators, which work on the search's columns instead of on text alone."""

from __future__ import annotations

import random
from dataclasses import dataclass

from evograft_graph_invariant.formulas.parser import Expr
from evograft_graph_invariant.formulas.program import CandidateProgram, write_program
from evograft_graph_invariant.options import ExploreOptions
from evograft_graph_invariant.search.budget import EvaluationBudget
from evograft_graph_invariant.search.constants import fit_constants
from evograft_graph_invariant.search.explorer import Explorer
from evograft_graph_invariant.search.trees import strip_affine_constants, tidy, to_source, walk
from evograft_hookspecs import Candidate, CandidateRejected, Context, Proposal, Trial

PLUGIN = "graph_invariant"
EXPLORE, FIT = f"{PLUGIN}.explore", f"{PLUGIN}.fit"
PARENTS = 2
"""The most parents that are used."""


def offer_proposals(options: ExploreOptions, parents: tuple[Trial, ...], *, with_model: bool) -> tuple[Proposal, ...]:
    """Offer exploring always, fitting if there is something to fit."""
    explore = options.weight_with_model if with_model else options.weight
    fit = options.fit_weight_with_model if with_model else options.fit_weight
    weights = {EXPLORE: explore, FIT: fit if fit and _have_constants(parents) else 0.0}
    return tuple(Proposal(id=name, operator=name, weight=weight) for name, weight in weights.items() if weight)


def make_candidate(ctx: Context, proposal: Proposal, parents: tuple[Trial, ...], explorer: Explorer) -> Candidate:
    """Carry out `explore` or `fit`.

    Raises:
        CandidateRejected: nothing new was found.
    """
    used = _formulas(parents)
    known = {
        trial.candidate.source for trial in (*ctx.history.latest(explorer.options.history), *parents) if trial.candidate
    }
    search = OperatorSearch(explorer, frozenset(known))
    exprs = tuple(expr for _, expr in used)
    if proposal.operator == FIT:
        exprs = exprs[:1]
        found = search.fit(exprs[0]) if exprs else None
    else:
        found = search.explore(ctx.rng, exprs)
    if found is None:
        raise CandidateRejected("found no other formula that has a value on all graphs")
    return Candidate.of(
        write_program(to_source(found)),
        kind="python",
        operator=proposal.operator,
        trial=ctx.trial or 0,
        parents=tuple(parent.number for parent, _ in used[: max(1, len(exprs))]) if exprs else (),
    )


@dataclass(frozen=True)
class OperatorSearch:
    """One trial's work."""

    explorer: Explorer
    known: frozenset[str]

    def explore(self, rng: random.Random, parents: tuple[Expr, ...]) -> Expr | None:
        return self.explorer.explore(rng, parents, self._is_known, EvaluationBudget(self.explorer.options.slice))

    def fit(self, expr: Expr) -> Expr | None:
        neat = _neat(expr)
        objective, budget = self.explorer.objective, EvaluationBudget(self.explorer.options.fit_evaluations)
        score = objective.score(neat) if budget.take() else None
        if score is None:
            return None
        fitted, _ = fit_constants(neat, score, objective, budget, most=max(neat.nodes, self.explorer.most))
        return None if self._is_known(fitted) else fitted

    def _is_known(self, expr: Expr) -> bool:
        return write_program(to_source(expr)) in self.known


def _formulas(parents: tuple[Trial, ...]) -> list[tuple[Trial, Expr]]:
    return [(parent, expr) for parent in parents[:PARENTS] if (expr := _read(parent)) is not None]


def _have_constants(parents: tuple[Trial, ...]) -> bool:
    """Whether the formula that would be fitted has numbers that change a rank."""
    return any(part.operation == "constant" for _, expr in _formulas(parents)[:1] for _, part in walk(_neat(expr)))


def _neat(expr: Expr) -> Expr:
    return strip_affine_constants(tidy(expr))


def _read(parent: Trial) -> Expr | None:
    if parent.score is None or parent.candidate is None or len(parent.candidate.files) != 1:
        return None
    return CandidateProgram.parse(parent.candidate.source).formula
