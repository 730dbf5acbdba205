"""Hooks that do nothing, so that what is measured is the kernel. Candidates are all different, 80 characters long."""

from evograft_hookspecs import (
    CONTRACT,
    Candidate,
    Evaluation,
    Manifest,
    NoOptions,
    Operator,
    Problem,
    Proposal,
    Selection,
    hookimpl,
)


class Instant:
    manifest = Manifest(name="instant", contract=CONTRACT, operators=(Operator(name="step"),), thread_safe=True)
    Options = NoOptions

    def __init__(self, options: NoOptions) -> None:
        self.best = (-1.0, 0)

    @hookimpl
    def analyze(self):
        return Problem(name="instant", statement="", kind="text", objective="none", seeds=({"main": "seed"},))

    @hookimpl
    def select(self, committed):
        for trial in committed:
            self.best = max(self.best, (trial.score, trial.number))
        return Selection(parents=(self.best[1],))

    @hookimpl
    def propose(self):
        return (Proposal(id="p", operator="instant.step"),)

    @hookimpl
    def mutate(self, ctx, proposal, parents):
        source = f"{ctx.trial:080}"
        return Candidate.of(
            source, kind="text", operator=proposal.operator, trial=ctx.trial, parents=(parents[0].number,)
        )

    @hookimpl
    def evaluate(self, ctx):
        return Evaluation(status="ok", score=ctx.seed % 1000 / 1000)
