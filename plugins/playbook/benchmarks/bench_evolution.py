"""Cost of a playbook to a run: `propose` and `observe` for each trial, and the start, with the labelled bullets.

python plugins/playbook/benchmarks/bench_evolution.py [--trials 2000]
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from evograft.config.loading import pipeline_from
from evograft.session.start import start_run
from evograft_hookspecs import (
    Candidate,
    Context,
    Evaluation,
    Problem,
    ProblemAnalyzed,
    Proposal,
    RunEnded,
    RunStarted,
    Selection,
    Trial,
    TrialCommitted,
)
from evograft_playbook.options import PlaybookOptions
from evograft_playbook.plugin import PlaybookPlugin
from evograft_playbook.store import PlaybookStore

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "search"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "trail"))

from labelled_set import labelled_playbook

PROBLEM = Problem(
    name="graphs", statement="Find a formula for the algebraic connectivity of a graph.", kind="python", objective="rho"
)
PROGRAM = (
    "def invariant(G):\n    degrees = sorted(d for _, d in G.degree())\n    return degrees[0] * {} / len(degrees)\n"
)


class Services:
    """No model, and a history that is a list."""

    available = False

    def __init__(self) -> None:
        self.trials: list[Trial] = []

    def trial(self, number: int) -> Trial:
        return self.trials[number]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--words", action="store_true", help="embed nothing")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder  # the index of runs is the user's
        measure(Path(folder), given.trials, words=given.words)


def measure(folder: Path, trials: int, *, words: bool) -> None:
    """Prints milliseconds."""
    path = folder / "playbook.sqlite"
    bullets = labelled_playbook().bullets
    with PlaybookStore(path) as store, store.changing("bench") as draft:
        for bullet in bullets:
            draft.put(bullet)
    search = {"dense_weight": 0.0} if words else {}
    plugin = PlaybookPlugin(PlaybookOptions.model_validate({"path": str(path), "search": search}))
    services, rng = Services(), random.Random(0)
    pipeline = pipeline_from({"name": "bench", "plugins": ["trail"]}, source="benchmark")
    run = start_run(pipeline, runs=folder).path

    def context(number: int | None) -> Context:
        found: dict[str, Any] = {"llm": services, "tools": services, "history": services, "problem": PROBLEM}
        return Context(number, number or 0, folder / "scratch", 20, **found)

    (folder / "scratch").mkdir()
    begun = time.perf_counter()
    started = RunStarted(run=run.name, folder=str(run), pipeline={"llm": {"driver": "none"}})
    plugin.observe(context(None), started)
    plugin.observe(context(None), ProblemAnalyzed(seq=0, problem=PROBLEM))
    services.trials.append(commit(0, None, None))
    plugin.observe(context(0), TrialCommitted(seq=1, trial=services.trials[0]))
    plugin.propose(context(1), Selection(parents=(0,)))
    print(f"{len(bullets)} bullets, {'words alone' if words else 'words and meaning'}")
    print(f"start and first trial  {1000 * (time.perf_counter() - begun):10.1f} ms")

    proposing, observing = [], []
    for number in range(1, trials):
        selection = Selection(parents=(rng.randrange(max(0, number - 20), number),))
        begun = time.perf_counter()
        advice = plugin.propose(context(number), selection) or ()
        proposed = time.perf_counter()
        proposal = Proposal(id="p", operator="bench.change", advice=advice)
        services.trials.append(commit(number, selection, proposal))
        told = time.perf_counter()
        plugin.observe(context(number), TrialCommitted(seq=number + 1, trial=services.trials[-1]))
        observing.append(1000 * (time.perf_counter() - told))
        proposing.append(1000 * (proposed - begun))
    for name, times in (("propose", proposing), ("observe", observing)):
        ninth = statistics.quantiles(times, n=10)[-1]
        print(f"{name:22} {statistics.mean(times):10.3f} ms a trial, 9 of 10 below {ninth:.3f}")
    begun = time.perf_counter()
    plugin.observe(context(None), RunEnded(outcome="complete", reason="done", commits=trials))
    print(f"end                    {1000 * (time.perf_counter() - begun):10.1f} ms")


def commit(number: int, selection: Selection | None, proposal: Proposal | None) -> Trial:
    used = tuple(each.id for each in proposal.advice) if proposal else ()
    candidate = Candidate(
        kind="python", files={"main": PROGRAM.format(number)}, operator="bench.change", trial=number, used_advice=used
    )
    evaluation = Evaluation(status="ok", score=float(number % 97), feedback=f"rho is {number % 97} on sparse graphs")
    return Trial(
        number=number, view=number, selection=selection, proposal=proposal, candidate=candidate, evaluation=evaluation
    )


if __name__ == "__main__":
    main()
