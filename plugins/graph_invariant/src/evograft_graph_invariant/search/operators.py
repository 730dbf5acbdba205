"""The plugin's own operators, which work on the search's columns instead of on text alone."""

from __future__ import annotations

import random
from dataclasses import dataclass

from evograft_graph_invariant.formulas.parser import Step
from evograft_graph_invariant.formulas.program import Program
from evograft_graph_invariant.options import ExploreOptions
from evograft_graph_invariant.problem import program
from evograft_graph_invariant.search.budget import Budget
from evograft_graph_invariant.search.constants import fit_constants
from evograft_graph_invariant.search.explorer import Explorer
from evograft_graph_invariant.search.trees import tidy, walk, without_line, write
from evograft_hookspecs import Candidate, CandidateRejected, Context, Proposal, Trial

PLUGIN = "graph_invariant"
EXPLORE, FIT = f"{PLUGIN}.explore", f"{PLUGIN}.fit"
PARENTS = 2
"""How many parents are used at most."""


def offer(options: ExploreOptions, parents: tuple[Trial, ...], *, with_model: bool) -> tuple[Proposal, ...]:
    """Exploring always, fitting where there is something to fit."""
    explore = options.weight_with_model if with_model else options.weight
    fit = options.fit_weight_with_model if with_model else options.fit_weight
    weights = {EXPLORE: explore, FIT: fit if fit and _have_constants(parents) else 0.0}
    return tuple(Proposal(id=name, operator=name, weight=weight) for name, weight in weights.items() if weight)


def make_candidate(ctx: Context, proposal: Proposal, parents: tuple[Trial, ...], explorer: Explorer) -> Candidate:
    """Carries out `explore` or `fit`.

    Raises:
        CandidateRejected: nothing new was found.
    """
    used = _formulas(parents)
    known = {
        trial.candidate.source for trial in (*ctx.history.latest(explorer.options.history), *parents) if trial.candidate
    }
    search = Search(explorer, frozenset(known))
    steps = tuple(step for _, step in used)
    if proposal.operator == FIT:
        steps = steps[:1]
        found = search.fit(steps[0]) if steps else None
    else:
        found = search.explore(ctx.rng, steps)
    if found is None:
        raise CandidateRejected("found no other formula that has a value on all graphs")
    return Candidate.of(
        program(write(found)),
        kind="python",
        operator=proposal.operator,
        trial=ctx.trial or 0,
        parents=tuple(parent.number for parent, _ in used[: max(1, len(steps))]) if steps else (),
    )


@dataclass(frozen=True)
class Search:
    """One trial's work."""

    explorer: Explorer
    known: frozenset[str]

    def explore(self, rng: random.Random, parents: tuple[Step, ...]) -> Step | None:
        return self.explorer.explore(rng, parents, self._is_known, Budget(self.explorer.options.slice))

    def fit(self, step: Step) -> Step | None:
        neat = _neat(step)
        aim, budget = self.explorer.aim, Budget(self.explorer.options.fit_evaluations)
        score = aim.score(neat) if budget.take() else None
        if score is None:
            return None
        fitted, _ = fit_constants(neat, score, aim, budget, most=max(neat.nodes, self.explorer.most))
        return None if self._is_known(fitted) else fitted

    def _is_known(self, step: Step) -> bool:
        return program(write(step)) in self.known


def _formulas(parents: tuple[Trial, ...]) -> list[tuple[Trial, Step]]:
    return [(parent, step) for parent in parents[:PARENTS] if (step := _read(parent)) is not None]


def _have_constants(parents: tuple[Trial, ...]) -> bool:
    """Whether the formula that would be fitted has numbers that change a rank."""
    return any(part.operation == "constant" for _, step in _formulas(parents)[:1] for _, part in walk(_neat(step)))


def _neat(step: Step) -> Step:
    return without_line(tidy(step))


def _read(parent: Trial) -> Step | None:
    if parent.score is None or parent.candidate is None or len(parent.candidate.files) != 1:
        return None
    return Program.parse(parent.candidate.source).formula
