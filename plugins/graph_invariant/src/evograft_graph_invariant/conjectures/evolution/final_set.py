"""The result of a run: not its best bound alone, but the bounds that complement one another and survive attacks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from evograft_graph_invariant.conjectures.engine import ConjectureOptions
from evograft_graph_invariant.conjectures.evolution.run_context import ConjectureContext
from evograft_graph_invariant.conjectures.output.files import write_study
from evograft_graph_invariant.conjectures.study import ConjectureStudy, ConjectureStudyResult
from evograft_hookspecs import Trial

FOLDER = "conjectures"
"""In the folder of the run."""


def write_final_set(context: ConjectureContext, trials: Iterable[Trial], run: Path) -> None:
    """Write what is left of the bounds of a run, with the same files as a study has."""
    for _ in write_study(find_final_set(context, list(trials)), run / FOLDER):
        pass


def find_final_set(context: ConjectureContext, trials: list[Trial]) -> ConjectureStudyResult:
    """Return the Dalmatian set of the accepted bounds, after each was searched for counterexamples.

    A bound that is refuted leaves its place to another one, or is supposed of a property with which it holds.
    """
    options = context.options
    study = ConjectureStudy(
        context.add_counterexamples(trials),
        ConjectureOptions(targets=(options.target,), invariants=options.invariants, properties=options.properties),
        budget=options.final_search,
        seed=options.seed,
    )
    return study.judge(context.read(trial for trial in trials if trial.score is not None))
