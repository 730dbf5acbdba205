"""Evaluations that take their time and no CPU, and write down when they began."""

import os
import time
from pathlib import Path

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


class NapOptions(NoOptions):
    seconds: float = 0.0
    notes: str = ""
    """A folder for a file for each process, with a line for each evaluation: when it began."""


class Nap:
    manifest = Manifest(name="nap", contract=CONTRACT, operators=(Operator(name="step"),), thread_safe=True)
    Options = NapOptions

    def __init__(self, options: NapOptions) -> None:
        self.options = options

    @hookimpl
    def analyze(self):
        return Problem(name="nap", statement="", kind="text", objective="none", seeds=({"main": "seed"},))

    @hookimpl
    def select(self):
        return Selection(parents=(0,))

    @hookimpl
    def propose(self):
        return (Proposal(id="p", operator="nap.step"),)

    @hookimpl
    def mutate(self, ctx, proposal):
        return Candidate.of(f"{ctx.trial:080}", kind="text", operator=proposal.operator, trial=ctx.trial, parents=(0,))

    @hookimpl
    def evaluate(self, ctx):
        if self.options.notes:
            with (Path(self.options.notes) / str(os.getpid())).open("a") as file:
                file.write(f"{time.time()}\n")
        time.sleep(self.options.seconds)
        return Evaluation(status="ok", score=ctx.seed % 1000 / 1000)
