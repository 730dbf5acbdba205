"""CPU of a proposal and each operator, 38 to 60 nodes: `python plugins/operators/benchmarks/bench_mutate.py`."""

from __future__ import annotations

import random
import statistics
import time
from pathlib import Path

from evograft_hookspecs import Candidate, Context, Evaluation, ExpressionGrammar, Problem, Selection, Trial
from evograft_operators.formulas.grammar import get_grammar
from evograft_operators.options import OperatorsOptions
from evograft_operators.plugin import OperatorsPlugin

SPEC = ExpressionGrammar(
    function="invariant",
    argument="G",
    terminals=tuple(f"column_{number}(G)" for number in range(12)),
    functions=("math.sqrt", "math.log", "abs"),
    operators=("+", "-", "*", "/", "**"),
)
PROBLEM = Problem(name="bench", statement="none", kind="formula", objective="none", grammar=SPEC)
LEAST_NODES = 38
ROUNDS = 500


class NoModel:
    available = False


def make_context(seed: int) -> Context:
    return Context(seed, seed, Path(), 20, NoModel(), None, None, problem=PROBLEM)  # type: ignore[arg-type]


def make_parents(rng: random.Random, count: int) -> list[Trial]:
    grammar = get_grammar(SPEC)
    parents: list[Trial] = []
    while len(parents) < count:
        drawn = grammar.draw(rng, depth=5)
        if drawn.nodes >= LEAST_NODES:
            number = len(parents)
            candidate = Candidate.of(grammar.program(drawn), kind="formula", operator="bench.none", trial=number)
            evaluation = Evaluation(status="ok", score=0.0)
            parents.append(Trial(number=number, view=0, candidate=candidate, evaluation=evaluation))
    return parents


def main() -> None:
    plugin, rng = OperatorsPlugin(OperatorsOptions()), random.Random(0)
    pool = make_parents(rng, 300)
    proposals = plugin.propose(
        make_context(0),
        Selection(parents=(0, 1), strategy="any"),
    )
    for proposal in proposals or ():
        times = []
        for seed in range(ROUNDS):
            ctx = make_context(seed)
            parents = tuple(rng.sample(pool, 2))
            start = time.process_time()
            plugin.mutate(ctx, proposal, parents)
            times.append((time.process_time() - start) * 1e6)
        times.sort()
        print(
            f"{proposal.operator}: mean {statistics.mean(times):.0f} us, 99 % under {times[int(ROUNDS * 0.99)]:.0f} us"
        )


if __name__ == "__main__":
    main()
