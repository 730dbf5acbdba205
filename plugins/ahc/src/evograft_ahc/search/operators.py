"""The operators that need no model: which are offered for some parents, and how each makes its candidate."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from evograft_ahc.library.blocks import LibraryBlock, load_library
from evograft_ahc.reasoning.problem_analysis import ProblemAnalysis
from evograft_ahc.search.pacing import TIMER, find_counted_loop, run_by_clock
from evograft_ahc.search.splicing.crossover import exchange_numbers, splice
from evograft_ahc.search.tuning.family import ProgramFamily, find_family
from evograft_ahc.search.tuning.fixed_values import read_fixed_values
from evograft_ahc.search.tuning.optimiser import Point, suggest_point
from evograft_ahc.search.tuning.options import TuningOptions
from evograft_ahc.search.tuning.tunable import Tunable, read_tunable
from evograft_ahc.search.tuning.variation import nudge, scatter
from evograft_hookspecs import Candidate, CandidateRejected, Context, Proposal, Selection, Trial

PLUGIN = "ahc"
KIND = "cpp"
TRIES = 20
"""How often numbers that were tried before are drawn again."""

WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "refine": {"tune": 8.0, "nudge": 2.0, "scatter": 0.2, "splice": 0.5, "pace": 0.5},
    "combine": {"tune": 4.0, "nudge": 1.0, "scatter": 0.2, "splice": 4.0, "pace": 0.5},
    "novel": {"tune": 2.0, "nudge": 1.0, "scatter": 4.0, "splice": 1.0, "pace": 0.5},
}
"""By the selection's strategy; any other one has those of `refine`."""
WITH_MODEL = 0.3
"""What a weight is worth next to the operators that ask a model."""
NEW, AT_ONCE = 4, 2.0
"""Of a program whose author marked numbers, fewer variants than these are known: then `tune` is worth this much."""


def offer_edits(ctx: Context, selection: Selection, options: TuningOptions) -> tuple[Proposal, ...]:
    """Return the operators that can do something with the parents, or with the first seed program.

    Call it in `propose`.
    """
    work = _begin(ctx, tuple(ctx.history.trial(number) for number in selection.parents), options)
    able = set(work.able()) if work else set()
    weights = WEIGHTS.get(selection.strategy, WEIGHTS["refine"])
    shares = dict.fromkeys(weights, WITH_MODEL if ctx.llm.available else 1.0)
    if ctx.llm.available and work and work.is_newly_marked():
        shares["tune"] = AT_ONCE
    return tuple(
        Proposal(id=f"{PLUGIN}.{name}", operator=f"{PLUGIN}.{name}", weight=weight * shares[name])
        for name, weight in weights.items()
        if name in able
    )


def make_candidate(ctx: Context, proposal: Proposal, parents: tuple[Trial, ...], options: TuningOptions) -> Candidate:
    """Carry out one of `OPERATORS`. Call it in `mutate`; it is a function of its arguments.

    Raises:
        CandidateRejected: nothing new can be made of the parents.
    """
    work = _begin(ctx, parents, options)
    if work is None:
        raise CandidateRejected(f"{proposal.operator} needs a parent, or a seed program")
    child = CHANGES[proposal.operator.partition(".")[2]](work)
    if child is None:
        raise CandidateRejected(f"{proposal.operator} can make nothing of this program that was not tried before")
    used = parents[:2] if proposal.operator == f"{PLUGIN}.splice" else parents[:1]
    return Candidate.of(
        child,
        kind=KIND,
        operator=proposal.operator,
        trial=ctx.trial or 0,
        parents=tuple(parent.number for parent in used),
    )


@dataclass(frozen=True)
class TrialEdit:
    """One call's."""

    ctx: Context
    options: TuningOptions
    sources: tuple[str, ...]
    """Of the parents."""
    trials: tuple[Trial, ...]
    """What is known."""

    @cached_property
    def tunable(self) -> Tunable:
        return self.read(self.sources[0])

    @cached_property
    def family(self) -> ProgramFamily:
        return find_family(self.tunable, self.trials, self.read)

    def read(self, source: str) -> Tunable:
        """Take a program apart as the options and the contest's statement say."""
        fixed = read_fixed_values(self.ctx.problem)
        return read_tunable(source, unmarked=self.options.unmarked, most=self.options.most, fixed=fixed)

    def able(self) -> Iterator[str]:
        """Return the operators that have something to work on."""
        if self.tunable.parameters:
            yield from ("tune", "nudge", "scatter")
        if len(self.sources) > 1 and self.sources[0] != self.sources[1]:
            yield "splice"
        if self.pace() is not None:
            yield "pace"

    def is_newly_marked(self) -> bool:
        """Return whether numbers are marked whose values hardly anybody has changed yet."""
        marked = any(parameter.is_marked for parameter in self.tunable.parameters)
        return marked and len(self.family.known) < NEW

    def is_known(self, source: str) -> bool:
        return source in self.family.known or any(
            trial.candidate is not None and source in trial.candidate.files.values() for trial in self.trials
        )

    def tune(self) -> str | None:
        """Return the optimiser's answer; if that was tried before, one near it."""
        if not self.tunable.parameters:
            return None
        family = self.family
        point = suggest_point(
            family.point(family.first), family.tells(f"{PLUGIN}.tune"), seed=self.ctx.seed, step=self.options.step
        )
        asked = family.write(point)
        return self._drawn(nudge, point) if asked in family.known else asked

    def nudge(self) -> str | None:
        return self._drawn(nudge, self.family.point(self.tunable)) if self.tunable.parameters else None

    def scatter(self) -> str | None:
        return self._drawn(scatter, self.family.point(self.tunable)) if self.tunable.parameters else None

    def splice(self) -> str | None:
        """Take functions of the second parent, or its numbers, whichever is drawn and exists."""
        rng, (mother, *others) = self.ctx.rng, self.sources
        if not others:
            return None
        father = others[0]
        ways = [
            lambda: splice(rng, mother, father, self.is_known),
            lambda: exchange_numbers(rng, self.tunable, self.read(father), self.is_known),
        ]
        rng.shuffle(ways)
        return ways[0]() or ways[1]()

    def pace(self) -> str | None:
        """Change the program with the best numbers so far: judging what runs by the clock takes long."""
        best, seconds = self.family.best, _seconds(self.ctx, self.options)
        source = best.source if best else self.sources[0]
        loop = find_counted_loop(source) if seconds else None
        if loop is None:
            return None
        child = run_by_clock(source, loop, _timer(), seconds=seconds)
        return None if self.is_known(child) else child

    def _drawn(self, draw: Callable[[random.Random, Point], Point], point: Point) -> str | None:
        """Draw anything else if all that is near was tried before."""
        for change in (draw,) * TRIES + (scatter,) * TRIES:
            source = self.family.write(change(self.ctx.rng, point))
            if source not in self.family.known:
                return source
        return None


CHANGES: Mapping[str, Callable[[TrialEdit], str | None]] = {
    "tune": TrialEdit.tune,
    "nudge": TrialEdit.nudge,
    "scatter": TrialEdit.scatter,
    "splice": TrialEdit.splice,
    "pace": TrialEdit.pace,
}


@cache
def _timer() -> LibraryBlock:
    return load_library()[TIMER]


def _begin(ctx: Context, parents: tuple[Trial, ...], options: TuningOptions) -> TrialEdit | None:
    """`None`: there is nothing to work on."""
    sources = _sources(parents) or _seeds(ctx)
    trials = {trial.number: trial for trial in (*parents, *ctx.history.latest(options.memory))}
    return TrialEdit(ctx, options, sources, tuple(trials.values())) if sources else None


def _sources(parents: Sequence[Trial]) -> tuple[str, ...]:
    candidates = [parent.candidate for parent in parents]
    return tuple(candidate.source for candidate in candidates if candidate and len(candidate.files) == 1)


def _seeds(ctx: Context) -> tuple[str, ...]:
    return tuple(next(iter(files.values())) for files in ctx.problem.seeds[:1]) if ctx.problem else ()


def _seconds(ctx: Context, options: TuningOptions) -> float:
    """Return for how long a loop may run; 0: nobody knows, or it is not wanted."""
    if ctx.problem is None or not options.pace:
        return 0.0
    return options.pace * ProblemAnalysis.within(ctx.problem.analysis).statement.time_limit_ms / 1000
