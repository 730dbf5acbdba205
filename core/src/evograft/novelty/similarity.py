"""How much of two programs is the same, where they are not the same."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from itertools import islice


def shingles(tokens: Sequence[str], size: int = 5) -> frozenset[int]:
    """The runs of `size` tokens, each as a hash that is the same in every process.

    Args:
        tokens: from `normalised_tokens`.
        size: how long a run is; fewer tokens than that are one run.
    """
    digests = [blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest() for token in tokens]
    if len(digests) <= size:
        return frozenset([_number(digests)] if digests else [])
    return frozenset(map(_number, zip(*(islice(digests, start, None) for start in range(size)), strict=False)))


def similarity(a: frozenset[int], b: frozenset[int]) -> float:
    """Jaccard's index of two programs' shingles: the share of runs that both have, from 0 to 1.

    Sets rather than multisets: a loop unrolled four times says nothing new, and sets are intersected at C speed.
    """
    if not a and not b:
        return 1.0
    common = len(a & b)
    return common / (len(a) + len(b) - common)


def _number(run: Sequence[bytes]) -> int:
    return int.from_bytes(blake2b(b"".join(run), digest_size=7).digest())
