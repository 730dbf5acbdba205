"""What strategies are made of: the library's blocks, and past contests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evograft_ahc.contests.past import Contest, SolutionApproach
from evograft_ahc.library.blocks import LibraryBlock
from evograft_ahc.text.messages import Language

MOST_CODE = 12_000
"""Characters of library code that go into a prompt."""


@dataclass(frozen=True)
class KnowledgeSources:
    """Both, with those of the user among them."""

    blocks: Mapping[str, LibraryBlock]
    contests: Mapping[str, Contest]
    """By id."""

    @property
    def names(self) -> frozenset[str]:
        """What may be cited."""
        return frozenset((*self.blocks, *self.contests))

    def entries(self, language: Language) -> dict[str, str]:
        """Return a line on each: what a question about the run may be answered from."""
        told = {stem: f"library block {stem}: {block.described(language)}" for stem, block in self.blocks.items()}
        return told | {name: f"contest {describe_contest(contest)}" for name, contest in self.contests.items()}

    def code_of(self, stems: tuple[str, ...]) -> dict[str, str]:
        """Return the code of the blocks among these names, as many from the first on as fit into a prompt."""
        return dict(self._fitting([self.blocks[stem] for stem in stems if stem in self.blocks]))

    def _fitting(self, blocks: list[LibraryBlock]) -> Iterator[tuple[str, str]]:
        room = MOST_CODE
        for block in blocks:
            room -= len(block.code)
            if room >= 0:
                yield block.stem, block.code


def describe_contest(contest: Contest) -> str:
    """Describe a contest in a line: its tags, and what worked."""
    name = " ".join(filter(None, (contest.contest_id, contest.problem_title)))
    worked = "; ".join(filter(None, map(_approach, contest.solution_approaches)))
    return f"{name} [{', '.join(contest.tags)}]: {worked or 'nothing is known of its solutions'}"


def _approach(approach: SolutionApproach) -> str:
    ideas = ", ".join(approach.key_ideas)
    return " – ".join(filter(None, (", ".join(approach.algorithms_used), ideas)))
