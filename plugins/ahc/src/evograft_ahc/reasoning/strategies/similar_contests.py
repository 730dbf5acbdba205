"""Past contests that are like a problem, by the tags that they share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from evograft_ahc.contests.past import Contest
from evograft_ahc.contests.tag_vocabulary import get_canonical_tag

MOST = 12


@dataclass(frozen=True)
class SimilarContest:
    """A contest, and how much it is like the problem."""

    contest: Contest
    likeness: float


def find_similar_contests(tags: Collection[str], contests: Iterable[Contest]) -> tuple[SimilarContest, ...]:
    """Return the contests that share tags, the most similar first; a rare tag counts more than a common one.

    Args:
        tags: of the problem.
        contests: those that are known; one without a known approach is passed over.
    """
    solved = [contest for contest in contests if contest.solution_approaches]
    common = Counter(tag for contest in solved for tag in _kinds(contest.tags))
    wanted = _kinds(tags)
    found = [SimilarContest(contest, _likeness(contest, wanted, common, len(solved))) for contest in solved]
    ranked = sorted((each for each in found if each.likeness), key=lambda each: -each.likeness)
    return tuple(ranked[:MOST])


def _likeness(contest: Contest, wanted: set[str], common: Counter[str], known: int) -> float:
    return sum(math.log(1 + known / common[tag]) for tag in sorted(_kinds(contest.tags) & wanted))


def _kinds(tags: Iterable[str]) -> set[str]:
    return {get_canonical_tag(tag) for tag in tags}
