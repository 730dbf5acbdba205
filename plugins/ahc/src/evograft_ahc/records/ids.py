"""What candidates are called: `gen03_ind07`, by the number of their trial alone."""

from __future__ import annotations

from dataclasses import dataclass

from evograft.api import Generations


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
    """Of one run, whose trials are counted in generations by their numbers."""

    generations: Generations

    def place(self, trial: int) -> CandidateName:
        """Return the name of a trial, whatever the order in which trials are committed: it never changes."""
        generation = self.generations.of(trial)
        return CandidateName(generation, trial - self.generations.start_of(generation))
