"""Plugins for tests: one climbs and follows the advice that it is given, the other ends the process when it is told to."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from evograft_hookspecs import (
    CONTRACT,
    Candidate,
    CandidateRejected,
    Evaluation,
    FinalEvaluated,
    Manifest,
    NoOptions,
    Operator,
    Problem,
    Proposal,
    RunEnded,
    Selection,
    TrialCommitted,
    hookimpl,
)


class TrailOptions(NoOptions):
    language: str = ""
    """Of the programs: with one, the plugin `operators` asks a model for them."""
    held_at: int | None = None
    """The evaluation of this trial waits until there is a file `held_until`."""
    held_until: str = ""
    washed_out: bool = False
    """Every program is rejected; there is none to start from, since a run whose seed is rejected ends."""


class Trail:
    """Advice that holds the word `boots` makes steps longer, `sandals` shorter; all other words are useless."""

    manifest = Manifest(name="trail", contract=CONTRACT, operators=(Operator(name="walk"),), thread_safe=True)
    Options = TrailOptions

    def __init__(self, options: TrailOptions) -> None:
        self.options = options
        self.best: list[tuple[float, int]] = []

    @hookimpl
    def analyze(self) -> Problem:
        seed = "HEIGHT = 0.0\n" if self.options.language else "0.0"
        return Problem(
            name="trail",
            statement="Climb the trail as high as you can.",
            kind="trail",
            language=self.options.language,
            objective="height in metres",
            seeds=() if self.options.washed_out else ({"main": seed},),
        )

    @hookimpl
    def select(self, ctx, committed) -> Selection:
        self.best += [(trial.score, -trial.number) for trial in committed if trial.score is not None]
        self.best = sorted(self.best)[-5:]
        return Selection() if not self.best else Selection(parents=(-ctx.rng.choice(self.best)[1],))

    @hookimpl
    def propose(self) -> tuple[Proposal, ...]:
        return () if self.options.language else (Proposal(id="walk", operator="trail.walk"),)

    @hookimpl
    def mutate(self, ctx, proposal, parents) -> Candidate:
        step = ctx.rng.gauss(0, 1)
        for advice in proposal.advice:
            step += 2 * ("boots" in advice.text) - 2 * ("sandals" in advice.text)
        if ctx.trial % 9 == 8:
            raise CandidateRejected("the path is washed out")
        height = step + (float(parents[0].candidate.source) if parents else 0.0)
        return Candidate(
            kind="trail",
            files={"main": str(height)},
            operator=proposal.operator,
            trial=ctx.trial,
            parents=tuple(parent.number for parent in parents),
            used_advice=tuple(advice.id for advice in proposal.advice),
        )

    @hookimpl
    def evaluate(self, ctx, candidate) -> Evaluation:
        if ctx.trial == self.options.held_at:
            while not Path(self.options.held_until).exists():
                time.sleep(0.02)
        if self.options.washed_out:
            raise CandidateRejected("there is no path")
        if self.options.language:
            return Evaluation(status="ok", score=float(len(candidate.source)))
        return Evaluation(status="ok", score=float(candidate.source))


class KillerOptions(NoOptions):
    at: str
    """`judged`, `ended`, or the number of a trial that was committed."""
    flag: str
    """A file that is made before the process is killed: it is killed once."""


class Killer:
    manifest = Manifest(name="killer", contract=CONTRACT, thread_safe=True)
    Options = KillerOptions

    def __init__(self, options: KillerOptions) -> None:
        self.options = options

    @hookimpl
    def observe(self, event) -> None:
        if self._is_due(event) and not Path(self.options.flag).exists():
            Path(self.options.flag).touch()
            os.kill(os.getpid(), signal.SIGKILL)

    def _is_due(self, event) -> bool:
        if isinstance(event, TrialCommitted):
            return self.options.at == str(event.trial.number)
        return isinstance(event, {"judged": FinalEvaluated, "ended": RunEnded}.get(self.options.at, ()))
