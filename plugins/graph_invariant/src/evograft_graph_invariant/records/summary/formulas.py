"""Formulas as people read them, and both novelties of every candidate: computed when an experiment ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from evograft_graph_invariant.evaluation.search_evaluator import SearchEvaluator
from evograft_graph_invariant.formulas.interpreter import interpret
from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.graphs.targets import get_reference_invariants
from evograft_graph_invariant.records.summary.model import IslandRecord, MapPoint
from evograft_graph_invariant.scoring.correlation import rank_profile
from evograft_graph_invariant.scoring.feature_table import get_quantities
from evograft_graph_invariant.scoring.novelty import NoveltyScorer
from evograft_graph_invariant.scoring.simplicity import format_formula


def write_formula(source: str) -> str:
    """Write the whole function as one expression, as far as it is one."""
    program = CandidateProgram.parse(source)
    return program.inlined.text if program.formula is None else format_formula(program.formula)


def add_formulas(island: IslandRecord) -> IslandRecord:
    elites = tuple(elite.model_copy(update={"formula": write_formula(elite.code)}) for elite in island.elites)
    return island.model_copy(update={"elites": elites})


def measure_novelties(points: Iterable[tuple[MapPoint, str]], search: SearchEvaluator) -> Iterator[MapPoint]:
    """Measure both on the validation graphs; programs that are not formulas keep what the search measured.

    Args:
        points: each with its candidate's source.
        search: whose data they were scored on.
    """
    table = search.table
    references = get_quantities(table.validation, get_reference_invariants(search.options.target))
    plain, given = NoveltyScorer(references), NoveltyScorer(references, given=table.validation.target)
    for point, source in points:
        with np.errstate(all="ignore"):
            answers = interpret(CandidateProgram.parse(source), table.all.columns, table.all.count)
        if answers is None:
            yield point
            continue
        profile = rank_profile(answers.values[table.train.count :])
        yield point.model_copy(update={"novelty": plain.bonus(profile), "novelty_given_target": given.bonus(profile)})
