"""A plugin whose evaluations start from what those of the parents kept."""

from __future__ import annotations

from pydantic import Field

from evograft_hookspecs import (
    CONTRACT,
    Candidate,
    EvalContext,
    Evaluation,
    Manifest,
    NoOptions,
    Operator,
    Problem,
    Proposal,
    Selection,
    hookimpl,
)


class KeeperOptions(NoOptions):
    size: int = Field(default=1, description="Bytes that each evaluation adds to what it was handed.")


class Keeper:
    manifest = Manifest(name="keeper", contract=CONTRACT, operators=(Operator(name="step"),), thread_safe=True)
    Options = KeeperOptions

    def __init__(self, options: KeeperOptions) -> None:
        self.options = options
        self.best: list[tuple[float, int]] = []

    @hookimpl
    def analyze(self) -> Problem:
        return Problem(name="keeper", statement="s", kind="k", objective="bytes", seeds=({"main": "0"},))

    @hookimpl
    def select(self, ctx, committed) -> Selection:
        self.best += [(trial.score, -trial.number) for trial in committed if trial.score is not None]
        ranked = sorted(self.best, reverse=True)[:3]
        return Selection(parents=tuple(-number for _, number in ctx.rng.sample(ranked, min(2, len(ranked)))))

    @hookimpl
    def propose(self) -> tuple[Proposal, ...]:
        return (Proposal(id="p", operator="keeper.step"),)

    @hookimpl
    def mutate(self, ctx, proposal, parents) -> Candidate:
        numbers = tuple(parent.number for parent in parents)
        assert not any(parent.evaluation.kept for parent in parents), "what was kept is for evaluations"
        return Candidate.of(str(ctx.trial), kind="k", operator=proposal.operator, trial=ctx.trial, parents=numbers)

    @hookimpl
    def evaluate(self, ctx: EvalContext, candidate: Candidate, parents_kept: tuple[bytes, ...]) -> Evaluation:
        assert len(parents_kept) == len(candidate.parents)
        kept = max(parents_kept, default=b"", key=len) + bytes([ctx.trial % 256]) * self.options.size
        return Evaluation(status="ok", score=float(len(kept)), kept=kept, kept_digest="forged")
