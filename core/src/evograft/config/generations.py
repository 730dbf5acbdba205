"""Generations of a run: the seeds are generation 0, and each further one is a fixed number of trials."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Generations:
    """How a run's trials are counted in generations."""

    seeds: int
    """The number of seed programs."""
    size: int
    """The number of trials of each further generation."""

    def of(self, place: int) -> int:
        """Return the generation of the trial that `place` others come before, by their commits or by their numbers."""
        return 0 if place < self.seeds else 1 + (place - self.seeds) // self.size

    def start_of(self, generation: int) -> int:
        """Return how many trials come before a generation."""
        return 0 if generation == 0 else self.seeds + (generation - 1) * self.size

    def complete(self, trials: int) -> int:
        """Return how many generations a given number of trials completes; the seeds are none."""
        return max(0, trials - self.seeds) // self.size

    def is_end(self, trials: int) -> bool:
        """Return whether the newest of a given number of trials completes a generation, or the seeds."""
        after_seeds = trials - self.seeds
        return after_seeds >= 0 and after_seeds % self.size == 0
