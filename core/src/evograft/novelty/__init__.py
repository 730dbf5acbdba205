"""How like two programs are: by their tokens, by their shingles, by embeddings, and by lines that come back."""

from evograft.novelty.embedding import EmbeddingJudge
from evograft.novelty.lineage import ancestors_of
from evograft.novelty.lines import Cycling, cycling, lost_lines
from evograft.novelty.similarity import shingles, similarity
from evograft.novelty.tokens import fingerprint, normalised_tokens, tokens_of

__all__ = [
    "Cycling",
    "EmbeddingJudge",
    "ancestors_of",
    "cycling",
    "fingerprint",
    "lost_lines",
    "normalised_tokens",
    "shingles",
    "similarity",
    "tokens_of",
]
