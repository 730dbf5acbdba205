"""Islands that run dry: a fold over committed trials, row by row, that says what is to be done about each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from evograft_graph_invariant.constrained.marks import Mark
from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_hookspecs import Trial


@dataclass(frozen=True)
class Change:
    """A change of an island's ways."""

    generation: int
    """That of the trial that brought it about; seeds are generation 0."""
    island: int
    kind: Literal["constrained_on", "constrained_off"]
    reason: str


@dataclass
class Drought:
    """One island."""

    strategy: str
    is_constrained: bool = False
    use: int = 0
    """Which use of the fallback model is under way, from 1 on over the whole run; 0: none."""
    last_use: int = 0
    """The newest that was due here; 0: none was."""
    dry: int = 0
    """Generations in a row without a valid candidate, since the last thing that was done about them."""
    has_tried: bool = False
    """Whether there was a candidate that counts, in the generation under way."""
    has_valid: bool = False
    """In the generation under way."""


@dataclass
class Droughts:
    """All islands of a run."""

    options: FallbackOptions
    generation_size: int
    commits: int = 0
    """Trials told after the seeds."""
    uses: int = 0
    """How often the fallback model was due so far; a use that is refused is due again under the same number."""
    has_model: bool = False
    """Whether any trial has called a model other than the fallback model."""
    _granted: dict[int, bool] = field(default_factory=dict)
    """Of each use whether the model was asked, as far as trials tell."""
    _islands: dict[int, Drought] = field(default_factory=dict)

    @property
    def generation(self) -> int:
        """That of the newest trial."""
        return -(-self.commits // self.generation_size)

    def of(self, island: int, strategy: str) -> Drought:
        """How an island stands."""
        return self._islands.setdefault(island, Drought(strategy))

    def tell(self, trial: Trial) -> tuple[Change, ...]:
        """Folds one row in; what it changes. Seeds belong to no island."""
        if trial.selection is None:
            return ()
        self.commits += 1
        island = trial.selection.island
        drought = self.of(island, trial.selection.strategy)
        self._note_model(trial)
        is_counted = self._is_counted(trial)
        drought.has_tried |= is_counted
        self._note_use(trial)
        changes: list[Change] = []
        if is_counted and self._is_valid(trial):
            drought.has_valid = True
            if drought.is_constrained:
                changes.append(self._free(island, drought))
        if self.commits % self.generation_size == 0:
            changes.extend(self._end_generation())
        return tuple(changes)

    def _note_model(self, trial: Trial) -> None:
        if self.has_model or trial.model in ("", self.options.model):
            return
        self.has_model = True
        # What this generation has had so far came without the model that the run turns out to have.
        for drought in self._islands.values():
            drought.has_tried = drought.has_valid = False

    def _is_counted(self, trial: Trial) -> bool:
        """Whether a candidate says something about the island's model: one was called, or the run has none.

        Where the pipeline names no model, as with the driver `manual`, none is drawn: whether there is one, trials show.
        """
        is_drawn = trial.proposal is not None and bool(trial.proposal.model)
        return bool(trial.model) or not (is_drawn or self.has_model)

    def _is_valid(self, trial: Trial) -> bool:
        rho = trial.evaluation.metrics.get("train_rho")
        return trial.score is not None and rho is not None and abs(rho) > self.options.valid_rho

    def _note_use(self, trial: Trial) -> None:
        mark = Mark.read(trial.proposal)
        if mark is not None and mark.use and trial.proposal is not None:
            granted = trial.model == self.options.model
            self._granted[mark.use] = granted or self._granted.get(mark.use, False)

    def _free(self, island: int, drought: Drought) -> Change:
        drought.is_constrained, drought.use = False, 0
        return Change(self.generation, island, "constrained_off", "there is a valid candidate")

    def _end_generation(self) -> Iterator[Change]:
        for island in sorted(self._islands):
            drought = self._islands[island]
            if drought.has_tried:
                self._count(drought)
            drought.has_tried = drought.has_valid = False
            if not drought.is_constrained and drought.dry >= self.options.constrained_after:
                drought.is_constrained, drought.dry = True, 0
                reason = f"no valid candidate in {self.options.constrained_after} generations"
                yield Change(self.generation, island, "constrained_on", reason)
            elif self._needs_model(drought) and (use := self._next_use(drought)):
                drought.use, drought.last_use, drought.dry = use, use, 0

    def _count(self, drought: Drought) -> None:
        """A generation with the fallback model ends it, and is not one of those without."""
        drought.dry = 0 if drought.has_valid or drought.use else drought.dry + 1
        drought.use = 0

    def _needs_model(self, drought: Drought) -> bool:
        options = self.options
        return (
            drought.is_constrained
            and bool(options.model)
            and drought.strategy == options.strategy
            and drought.dry >= options.model_after
        )

    def _next_use(self, drought: Drought) -> int:
        """The number of the use that is due; 0: there are no more."""
        if self._granted.get(drought.last_use) is False:
            return drought.last_use
        if self.uses == self.options.model_uses:
            return 0
        self.uses += 1
        return self.uses
