"""The driver `tokens` of novelty: programs are one if they differ in formatting, comments and local names only."""

from __future__ import annotations

from collections.abc import Mapping

from evograft_hookspecs import NoOptions
from evograft_novelty.fingerprints import fingerprint, split_tokens
from evograft_novelty.similarity import shingles, similarity
from evograft_novelty.sketch import sketch


class TokenComparer:
    """Compares programs by their normalised tokens."""

    Options = NoOptions

    def __init__(self, options: NoOptions) -> None:
        self.options = options

    def sketch(self, files: Mapping[str, str], kind: str, language: str) -> str:
        return sketch(files, kind, language)

    def fingerprint(self, files: Mapping[str, str], kind: str, language: str) -> str:
        return fingerprint(files, kind, language)

    def shingles(self, files: Mapping[str, str], language: str) -> frozenset[int]:
        return shingles(split_tokens(files, language))

    def similarity(self, a: frozenset[int], b: frozenset[int]) -> float:
        return similarity(a, b)
