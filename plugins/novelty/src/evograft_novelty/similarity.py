"""Similarity of two programs that are not the same."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from evograft_novelty.tokens.names import is_numbered


def shingles(tokens: Sequence[str], size: int = 5) -> frozenset[int]:
    """Return the runs of `size` tokens, each as a hash that is the same in every process.

    Locals are numbered separately within each run: their numbers in the program all change with one more at its top.

    Args:
        tokens: from `normalise_tokens`.
        size: how long a run is; fewer tokens than that are one run.
    """
    is_local = [is_numbered(token) for token in tokens]
    width = min(size, len(tokens))
    hashes = set()
    for start in range(len(tokens) - width + 1 if tokens else 0):
        run = tokens[start : start + width]
        if True in is_local[start : start + width]:
            run = _renumber(run)
        hashes.add(crc32("\0".join(run).encode(errors="surrogatepass")))
    return frozenset(hashes)


def similarity(a: frozenset[int], b: frozenset[int]) -> float:
    """Return Jaccard's index of two programs' shingles: the share of runs that both have, from 0 to 1.

    Sets rather than multisets: a loop that was unrolled four times says nothing new, and sets are compared in C.
    Programs of similarity 1 need not have one fingerprint.
    """
    if not a and not b:
        return 1.0
    few, many = sorted((a, b), key=len)
    # Up to twice as fast as `few & many`: of like programs, this leaves a small set to build.
    common = len(few) - len(few - many)
    return common / (len(a) + len(b) - common)


def _renumber(run: Sequence[str]) -> list[str]:
    numbers: dict[str, str] = {}
    return [numbers.setdefault(token, f"<{len(numbers)}>") if is_numbered(token) else token for token in run]
