"""Strategies without a model: what worked in contests that are like the problem."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

from evograft_ahc.contests.past import tag_of
from evograft_ahc.reasoning.strategies.knowledge_sources import KnowledgeSources
from evograft_ahc.reasoning.strategies.similar_contests import SimilarContest
from evograft_ahc.reasoning.strategies.strategy import ContestStrategy
from evograft_ahc.text.messages import Language
from evograft_hookspecs import Value

SEVERAL = 4
FROM_SIMILAR = 3
"""The rest is for a usual one, because likeness by tags is a guess."""
MOST_CONTESTS = 3
"""Cited for each."""
USUAL = ("Simulated Annealing", "Beam Search", "Greedy", "Large Neighbourhood Search")
"""What is tried where no past contest says anything."""
USUAL_INTERACTIVE = ("Monte Carlo", "Bayesian Inference", "Greedy", "Beam Search")


class KnownApproach(Value):
    """An approach that there is something to say about."""

    algorithm: str
    """As past contests name it."""
    ja: str
    blocks: tuple[str, ...]
    description: str
    description_ja: str

    def title_in(self, language: Language) -> str:
        return self.ja if language == "ja" else self.algorithm

    def described(self, language: Language) -> str:
        return self.description_ja if language == "ja" else self.description


def choose_by_rules(
    similar: Sequence[SimilarContest], knowledge: KnowledgeSources, *, interactive: bool, language: Language
) -> tuple[ContestStrategy, ...]:
    """Return the approaches of similar contests, the most used of the likest ones first.

    The usual ones fill up the rest.
    """
    weights: defaultdict[str, float] = defaultdict(float)
    for each in similar:
        for name in _used_in(each):
            weights[name] += each.likeness
    known = load_known_approaches()
    found = sorted((name for name in weights if name in known), key=lambda name: -weights[name])[:FROM_SIMILAR]
    usual = map(tag_of, USUAL_INTERACTIVE if interactive else USUAL)
    chosen = [known[name] for name in dict.fromkeys((*found, *usual))][:SEVERAL]
    return tuple(_strategy(each, similar, knowledge, language) for each in chosen)


@cache
def load_known_approaches() -> dict[str, KnownApproach]:
    """Return them by the tag of the algorithm's name."""
    text = (files(__package__) / "approaches.json").read_text(encoding="utf-8")
    found = TypeAdapter(tuple[KnownApproach, ...]).validate_python(json.loads(text))
    return {tag_of(known.algorithm): known for known in found}


def _strategy(
    known: KnownApproach, similar: Sequence[SimilarContest], knowledge: KnowledgeSources, language: Language
) -> ContestStrategy:
    used = [each.contest.contest_id for each in similar if tag_of(known.algorithm) in _used_in(each)]
    whole = ContestStrategy(
        title=known.title_in(language),
        description=known.described(language),
        sources=(*known.blocks, *used[:MOST_CONTESTS]),
    )
    return whole.citing(knowledge.names)


def _used_in(similar: SimilarContest) -> Iterable[str]:
    approaches = similar.contest.solution_approaches
    return dict.fromkeys(tag_of(name) for approach in approaches for name in approach.algorithms_used)
