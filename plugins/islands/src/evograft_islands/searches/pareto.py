"""The search by several objectives, or by the cases of an evaluation: parents come from a front."""

from __future__ import annotations

from evograft_hookspecs import Context, Evaluation, Selection, Trial
from evograft_islands.elite import find_elite
from evograft_islands.options import IslandOptions, ParetoOptions
from evograft_islands.populations.pareto import CaseFrontier, MeasuredPopulation, Measures, RankedPopulation
from evograft_islands.searches.search import Search, build_selection

SCORE = "score"
"""The measure of an evaluation that has none of those that are asked for."""


class ParetoSearch(Search):
    """Draws parents from those that nothing beats in all objectives, or that are best in a case.

    Args:
        options: which measures count, and how many elites are kept.
        place: the name, temperature, strategy and number of parents of all its trials.
    """

    islands = 1

    def __init__(self, options: ParetoOptions, place: IslandOptions) -> None:
        self.population: MeasuredPopulation = (
            CaseFrontier(options.elites) if options.by == "cases" else RankedPopulation(options.elites)
        )
        self._options = options
        self._place = place

    def tell(self, ctx: Context, trial: Trial, *, home: int | None) -> None:  # noqa: ARG002 - wherever it was made
        elite = find_elite(trial)
        if elite is not None:
            self.population.offer(elite, self._find_measures(trial.evaluation) or {SCORE: elite.score})

    def select(self, ctx: Context, *, turn: int) -> Selection:  # noqa: ARG002 - parents are drawn
        parents = self.population.draw(ctx.rng, self._place.parent_count)
        cases = len(self.population.cases) if isinstance(self.population, CaseFrontier) else 0
        return build_selection(self._place, parents).model_copy(update={"cases": cases})

    def _find_measures(self, evaluation: Evaluation) -> Measures:
        if self._options.by == "cases":
            return evaluation.cases
        wanted = self._options.objectives
        return {name: value for name, value in evaluation.objectives.items() if not wanted or name in wanted}
