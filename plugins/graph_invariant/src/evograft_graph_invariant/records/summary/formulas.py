"""What is worked out when an experiment ends: formulas as people read them, and both novelties of every candidate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from evograft_graph_invariant.evaluation.search_evaluator import SearchJudge
from evograft_graph_invariant.formulas.interpreter import interpret
from evograft_graph_invariant.formulas.program import Program
from evograft_graph_invariant.graphs.targets import reference_invariants
from evograft_graph_invariant.records.summary.parts import IslandRecord, MapPoint
from evograft_graph_invariant.scoring.correlation import rank_profile
from evograft_graph_invariant.scoring.feature_table import known_values
from evograft_graph_invariant.scoring.novelty import Novelty
from evograft_graph_invariant.scoring.simplicity import readable


def formula_of(source: str) -> str:
    """The whole function as one expression, as far as it is one."""
    program = Program.parse(source)
    return program.inlined.text if program.formula is None else readable(program.formula)


def with_formulas(island: IslandRecord) -> IslandRecord:
    elites = tuple(elite.model_copy(update={"formula": formula_of(elite.code)}) for elite in island.elites)
    return island.model_copy(update={"elites": elites})


def with_both_novelties(points: Iterable[tuple[MapPoint, str]], search: SearchJudge) -> Iterator[MapPoint]:
    """Measured on the validation graphs; programs that are no formulas keep what the search measured.

    Args:
        points: each with its candidate's source.
        search: whose data they were scored on.
    """
    sheet = search.sheet
    references = known_values(sheet.validation, reference_invariants(search.options.target))
    plain, given = Novelty(references), Novelty(references, given=sheet.validation.target)
    for point, source in points:
        with np.errstate(all="ignore"):
            answers = interpret(Program.parse(source), sheet.all.columns, sheet.all.count)
        if answers is None:
            yield point
            continue
        profile = rank_profile(answers.values[sheet.train.count :])
        yield point.model_copy(update={"novelty": plain.bonus(profile), "novelty_given_target": given.bonus(profile)})
