"""Stagnation of islands: a fold over committed trials, row by row, that says what is to be done about each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from evograft.api import Generations
from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_graph_invariant.constrained.proposal_facts import ProposalFacts
from evograft_hookspecs import Trial


@dataclass(frozen=True)
class IslandChange:
    """A beginning or an end of constrained generation on an island."""

    generation: int
    """The generation of the trial that caused it; seeds are generation 0."""
    island: int
    kind: Literal["constrained_on", "constrained_off"]
    reason: str


@dataclass
class IslandState:
    """The state of one island."""

    strategy: str
    is_constrained: bool = False
    use: int = 0
    """Which use of the fallback model is under way, from 1 on over the whole run; 0: none."""
    last_use: int = 0
    """The newest that was due here; 0: none was."""
    stagnant: int = 0
    """Generations in a row without a valid candidate, counted from the last measure against them."""
    has_tried: bool = False
    """Whether there was a candidate that counts, in the generation under way."""
    has_valid: bool = False
    """In the generation under way."""


@dataclass
class StagnationTracker:
    """The states of all islands of a run."""

    options: FallbackOptions
    generation_size: int
    commits: int = 0
    """Trials added after the seeds."""
    uses: int = 0
    """How often the fallback model was due so far; a use that is refused is due again under the same number."""
    has_model: bool = False
    """Whether any trial has called a model other than the fallback model."""
    _granted: dict[int, bool] = field(default_factory=dict)
    """Whether the model was asked, by use, as far as trials say."""
    _islands: dict[int, IslandState] = field(default_factory=dict)

    @property
    def generation(self) -> int:
        """Return the generation of the newest trial."""
        return self._generations.of(self.commits - 1)

    @property
    def _generations(self) -> Generations:
        """Without seeds, which `commits` does not count."""
        return Generations(0, self.generation_size)

    def get_island(self, island: int, strategy: str) -> IslandState:
        """Return the state of an island."""
        return self._islands.setdefault(island, IslandState(strategy))

    def add(self, trial: Trial) -> tuple[IslandChange, ...]:
        """Add one trial, and return what it changes. Seeds belong to no island."""
        if trial.selection is None:
            return ()
        self.commits += 1
        island = trial.selection.island
        state = self.get_island(island, trial.selection.strategy)
        self._record_model(trial)
        is_counted = self._is_counted(trial)
        state.has_tried |= is_counted
        self._record_use(trial)
        changes: list[IslandChange] = []
        if is_counted and self._is_valid(trial):
            state.has_valid = True
            if state.is_constrained:
                changes.append(self._release(island, state))
        if self._generations.is_end(self.commits):
            changes.extend(self._end_generation())
        return tuple(changes)

    def _record_model(self, trial: Trial) -> None:
        if self.has_model or trial.model in ("", self.options.model):
            return
        self.has_model = True
        # What this generation has had so far came without the model that the run turns out to have.
        for state in self._islands.values():
            state.has_tried = state.has_valid = False

    def _is_counted(self, trial: Trial) -> bool:
        """Whether a candidate says something about the island's model: one was called, or the run has none.

        Where the pipeline names no model, as with the driver `manual`, none is drawn: whether there is one, trials
        show.
        """
        is_drawn = trial.proposal is not None and bool(trial.proposal.model)
        return bool(trial.model) or not (is_drawn or self.has_model)

    def _is_valid(self, trial: Trial) -> bool:
        rho = trial.evaluation.metrics.get("train_rho")
        return trial.score is not None and rho is not None and abs(rho) > self.options.valid_rho

    def _record_use(self, trial: Trial) -> None:
        facts = ProposalFacts.read(trial.proposal)
        if facts is not None and facts.use and trial.proposal is not None:
            granted = trial.model == self.options.model
            self._granted[facts.use] = granted or self._granted.get(facts.use, False)

    def _release(self, island: int, state: IslandState) -> IslandChange:
        state.is_constrained, state.use = False, 0
        return IslandChange(self.generation, island, "constrained_off", "there is a valid candidate")

    def _end_generation(self) -> Iterator[IslandChange]:
        for island in sorted(self._islands):
            state = self._islands[island]
            if state.has_tried:
                self._count_generation(state)
            state.has_tried = state.has_valid = False
            if not state.is_constrained and state.stagnant >= self.options.constrained_after:
                state.is_constrained, state.stagnant = True, 0
                reason = f"no valid candidate in {self.options.constrained_after} generations"
                yield IslandChange(self.generation, island, "constrained_on", reason)
            elif self._needs_model(state) and (use := self._next_use(state)):
                state.use, state.last_use, state.stagnant = use, use, 0

    def _count_generation(self, state: IslandState) -> None:
        """Count a generation without a valid candidate. One with the fallback model starts the count again."""
        state.stagnant = 0 if state.has_valid or state.use else state.stagnant + 1
        state.use = 0

    def _needs_model(self, state: IslandState) -> bool:
        options = self.options
        return (
            state.is_constrained
            and bool(options.model)
            and state.strategy == options.strategy
            and state.stagnant >= options.model_after
        )

    def _next_use(self, state: IslandState) -> int:
        """Return the number of the use that is due; 0: there are no more."""
        if self._granted.get(state.last_use) is False:
            return state.last_use
        if self.uses == self.options.model_uses:
            return 0
        self.uses += 1
        return self.uses
