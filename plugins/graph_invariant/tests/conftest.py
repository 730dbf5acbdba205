"""Data that many tests share, built once."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest

from evograft_graph_invariant.graphs.datasets import load_distances, load_set, make_random_set
from evograft_graph_invariant.plugin import GraphInvariantPlugin
from evograft_hookspecs import Candidate, CandidateRejected, EvalContext, Evaluation, Limits, Problem, RunEnded

MASTER_SEED = 7


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    """No test reads or writes the user's cache."""
    patch = pytest.MonkeyPatch()
    patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()


@pytest.fixture(scope="session")
def train():
    return load_set(make_random_set("train", 50, (30, 100)), MASTER_SEED, folder=None)


@pytest.fixture(scope="session")
def train_distances(train):
    return load_distances(make_random_set("train", 50, (30, 100)), MASTER_SEED, train, folder=None)


def make_context(rng: random.Random | None = None, role: str = "kernel") -> SimpleNamespace:
    return SimpleNamespace(rng=rng or random.Random(0), role=role)


class Bench:
    """A plugin with its problem, asked as the kernel asks it."""

    def __init__(self, **options: object) -> None:
        self.plugin = GraphInvariantPlugin(GraphInvariantPlugin.Options(master_seed=MASTER_SEED, **options))
        self.problem: Problem = self.plugin.analyze(make_context())

    def evaluate(self, source: str, purpose: str = "search") -> Evaluation:
        source = source if "def " in source else f"def new_invariant(G):\n    return {source}\n"
        ctx = EvalContext(
            purpose=purpose, trial=0, seed=0, problem=self.problem, limits=Limits(wall_seconds=60.0), scratch="/tmp"
        )
        return self.plugin.evaluate(ctx, Candidate.of(source, kind="python", operator="test.test", trial=0))

    def rejection(self, source: str) -> str:
        with pytest.raises(CandidateRejected) as caught:
            self.evaluate(source)
        return caught.value.reason

    def close(self) -> None:
        self.plugin.observe(RunEnded(outcome="complete", reason="", commits=0))


@pytest.fixture(scope="session")
def bench():
    found = Bench()
    yield found
    found.close()


@pytest.fixture(scope="session")
def make_bench():
    """Benches by their options: each has a fork server that imports for a second."""
    made: dict[str, Bench] = {}

    def make(**options: object) -> Bench:
        key = repr(sorted(options.items()))
        if key not in made:
            made[key] = Bench(**options)
        return made[key]

    yield make
    for found in made.values():
        found.close()
