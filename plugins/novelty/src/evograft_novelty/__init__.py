"""How like two programs are: by their tokens, by their shingles, and by lines that come back."""

from evograft_novelty.fingerprints import fingerprint, normalised_tokens, tokens_of
from evograft_novelty.lineage import ancestors_of
from evograft_novelty.lines import Cycling, cycling, lost_lines
from evograft_novelty.similarity import shingles, similarity

__all__ = [
    "Cycling",
    "ancestors_of",
    "cycling",
    "fingerprint",
    "lost_lines",
    "normalised_tokens",
    "shingles",
    "similarity",
    "tokens_of",
]
