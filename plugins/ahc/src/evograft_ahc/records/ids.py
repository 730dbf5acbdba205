"""What candidates are called: `gen03_ind07`, by the number of their trial alone."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CandidateName:
    """Where a candidate stands in its session."""

    generation: int
    """0: the seed programs."""
    index: int
    """Within its generation, from 0."""

    @property
    def individual(self) -> str:
        """As in records."""
        return f"gen{self.generation:02}_ind{self.index:02}"

    @property
    def file(self) -> str:
        """As in names of files."""
        return f"gen{self.generation:02}_id{self.index:02}"


@dataclass(frozen=True)
class CandidateNaming:
    """Of one run.

    Args:
        seeds: the number of its seed programs.
        generation_size: trials of each further generation.
    """

    seeds: int
    generation_size: int

    def place(self, trial: int) -> CandidateName:
        """Return the name of a trial, whatever the order in which trials were finished: it never changes."""
        if trial < self.seeds:
            return CandidateName(0, trial)
        generation, index = divmod(trial - self.seeds, self.generation_size)
        return CandidateName(generation + 1, index)
