"""A problem for tests and benchmarks whose evaluation costs nothing: programs are worth what their hash says."""

from __future__ import annotations

import hashlib

from evograft_hookspecs import CONTRACT, Evaluation, Manifest, NoOptions, Problem, hookimpl


class TrivialOptions(NoOptions):
    language: str = "python"
    seeds: tuple[dict[str, str], ...] = ({"main": "def solve(values):\n    return sum(values)\n"},)


class Trivial:
    manifest = Manifest(name="trivial", contract=CONTRACT, thread_safe=True)
    Options = TrivialOptions

    def __init__(self, options: TrivialOptions) -> None:
        self.options = options

    @hookimpl
    def analyze(self) -> Problem:
        return Problem(
            name="trivial",
            statement="Write a function solve(values).",
            kind="program",
            language=self.options.language,
            objective="a number between 0 and 1",
            seeds=self.options.seeds,
        )

    @hookimpl
    def evaluate(self, candidate) -> Evaluation:
        digest = hashlib.sha256(repr(sorted(candidate.files.items())).encode()).digest()
        return Evaluation(status="ok", score=int.from_bytes(digest[:4]) / 2**32, feedback="no fault was found")
