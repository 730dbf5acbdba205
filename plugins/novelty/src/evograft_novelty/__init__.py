"""Similarity of programs: by their tokens, by their shingles, and by lines that come back."""

from evograft_novelty.fingerprints import fingerprint, normalise_tokens, split_tokens
from evograft_novelty.lineage import are_ancestor_and_descendant, find_ancestors
from evograft_novelty.lines import LineCycling, find_lost_lines, measure_cycling
from evograft_novelty.similarity import shingles, similarity

__all__ = [
    "LineCycling",
    "are_ancestor_and_descendant",
    "find_ancestors",
    "find_lost_lines",
    "fingerprint",
    "measure_cycling",
    "normalise_tokens",
    "shingles",
    "similarity",
    "split_tokens",
]
