"""A plugin for tests, next to the one of programs: it halves the numbers of programs, one after the other."""

from __future__ import annotations

import re

from evograft_hookspecs import (
    CONTRACT,
    Candidate,
    CandidateRejected,
    Manifest,
    NoOptions,
    Operator,
    Proposal,
    hookimpl,
)

NUMBER = re.compile(r"\d+\.\d+")


class Halving:
    manifest = Manifest(name="halving", contract=CONTRACT, operators=(Operator(name="halve"),), thread_safe=True)
    Options = NoOptions

    def __init__(self, options: NoOptions) -> None:
        self.options = options

    @hookimpl
    def propose(self, ctx, selection) -> tuple[Proposal, ...]:
        return (Proposal(id="halve", operator="halving.halve", weight=1e6),)

    @hookimpl
    def mutate(self, ctx, proposal, parents) -> Candidate:
        if not parents:
            raise CandidateRejected("nothing to halve")
        files = {
            path: NUMBER.sub(lambda match: f"{float(match[0]) / 2}", text, count=1)
            for path, text in parents[0].candidate.files.items()
        }
        numbers = tuple(parent.number for parent in parents)
        return Candidate(kind="program", files=files, operator=proposal.operator, trial=ctx.trial, parents=numbers)
