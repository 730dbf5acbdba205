"""The search as checkpoints and summary describe it: a fold over committed trials."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from evograft.api import Generations, IslandBests
from evograft_graph_invariant.records.summary.model import EliteRecord, IslandRecord, MapPoint
from evograft_hookspecs import Trial


@dataclass
class IslandHistory:
    """An island as far as the run has come."""

    number: int
    name: str
    strategy: str
    temperature: float
    elites: list[EliteRecord] = field(default_factory=list)
    """The best that were made here, and the best seeds; an immigrant is listed where it was made."""
    best_by_generation: list[float | None] = field(default_factory=list)

    @property
    def best(self) -> float | None:
        return self.elites[0].score if self.elites else None

    def offer(self, elite: EliteRecord, *, most: int) -> None:
        """Take a candidate in if it is good enough and different from those that are there."""
        if any(elite.code == other.code for other in self.elites):
            return
        self.elites.append(elite)
        self.elites.sort(key=lambda each: -(each.score or 0.0))
        del self.elites[most:]

    def to_record(self) -> IslandRecord:
        return IslandRecord(
            number=self.number,
            name=self.name,
            strategy=self.strategy,
            temperature=self.temperature,
            elites=tuple(self.elites),
            best_by_generation=tuple(self.best_by_generation),
        )


class GenerationHistory:
    """The generations so far, with the islands' best and a point for every candidate.

    Args:
        seeds: the number of seed programs, which are generation 0.
        generation_size: trials of each further generation.
        elites: how many candidates an island keeps here.
    """

    def __init__(self, *, seeds: int, generation_size: int, elites: int) -> None:
        self.generation_size = generation_size
        self._generations = Generations(seeds, generation_size)
        self._most = elites
        self._seed_elites: list[EliteRecord] = []
        self._bests = IslandBests()
        self._improved_at = 0
        self.islands: dict[int, IslandHistory] = {}
        self.points: list[MapPoint] = []
        self.generation_of: dict[int, int] = {}
        """The generation of each trial."""
        self.trials: list[Trial] = []

    @property
    def commits(self) -> int:
        return len(self.trials)

    @property
    def generations(self) -> int:
        """How many are complete; seeds are none."""
        return self._generations.complete(self.commits)

    @property
    def idle_generations(self) -> int:
        """For how many whole generations no island has improved, as the early stop counts."""
        return (self.commits - self._improved_at) // self.generation_size

    @property
    def is_at_an_end(self) -> bool:
        """Whether the newest trial has completed a generation, or the seeds."""
        return self._generations.is_end(self.commits)

    def add(self, trial: Trial) -> None:
        """Add the next committed trial."""
        generation = self._generations.of(self.commits)
        self.trials.append(trial)
        if self._bests.see(trial):
            self._improved_at = self.commits
        self.generation_of[trial.number] = generation
        self._place(trial, generation)
        if self.is_at_an_end:
            self._end_generation()

    def islands_in_order(self) -> Iterable[IslandHistory]:
        return (self.islands[number] for number in sorted(self.islands))

    def _place(self, trial: Trial, generation: int) -> None:
        point = _point(trial)
        if point is not None:
            self.points.append(point)
        elite = _elite(trial, generation)
        if trial.selection is None:
            self._seed_elites += [elite] if elite else []
            return
        island = self._find_island(trial, generation)
        if elite is not None:
            island.offer(elite, most=self._most)

    def _find_island(self, trial: Trial, generation: int) -> IslandHistory:
        assert trial.selection is not None, "seeds belong to no island"
        place = trial.selection
        if place.island not in self.islands:
            island = IslandHistory(place.island, place.island_name, place.strategy, place.temperature)
            for elite in self._seed_elites:
                island.offer(elite, most=self._most)
            island.best_by_generation = [island.best] * generation
            self.islands[place.island] = island
        return self.islands[place.island]

    def _end_generation(self) -> None:
        for island in self.islands.values():
            island.best_by_generation.append(island.best)


def _elite(trial: Trial, generation: int) -> EliteRecord | None:
    if trial.score is None or trial.candidate is None:
        return None
    metrics = trial.evaluation.metrics
    nodes = metrics.get("ast_nodes")
    return EliteRecord(
        trial=trial.number,
        generation=generation,
        score=trial.score,
        train_rho=metrics.get("train_rho"),
        validation_rho=metrics.get("validation_rho"),
        ast_nodes=None if nodes is None else round(nodes),
        code=trial.candidate.source,
    )


def _point(trial: Trial) -> MapPoint | None:
    """`None` of a candidate that is invalid or was screened out: it has no place."""
    place = trial.evaluation.descriptors
    if trial.score is None or "simplicity" not in place:
        return None
    return MapPoint(
        trial=trial.number,
        island=trial.selection.island if trial.selection else None,
        simplicity=place["simplicity"],
        novelty=trial.evaluation.metrics.get("novelty"),
        score=trial.score,
    )
