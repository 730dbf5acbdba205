"""Comparers of programs (entry point group `evograft.novelty`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class ProgramComparer(Protocol):
    """A way to tell which programs are one although their texts differ (entry point group `evograft.novelty`).

    Called from several threads at a time. Programs are files by path, of hostile origin and possibly broken; a suffix
    that tells the language counts for more than `language`.
    """

    def sketch(self, files: Mapping[str, str], kind: str, language: str) -> str:
        """Return hexadecimal digits that all programs of one fingerprint share, at a fraction of its cost.

        Empty: none.
        """

    def fingerprint(self, files: Mapping[str, str], kind: str, language: str) -> str:
        """Return 32 hexadecimal digits that are equal for programs that are one, and for no others."""

    def shingles(self, files: Mapping[str, str], language: str) -> frozenset[int]:
        """Return the parts of a program by which it is compared with others."""

    def similarity(self, a: frozenset[int], b: frozenset[int]) -> float:
        """Return how much two programs' shingles have in common, from 0 to 1."""
