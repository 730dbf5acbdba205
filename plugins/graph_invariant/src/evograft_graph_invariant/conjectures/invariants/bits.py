"""Sets of nodes as the bits of numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt


def pack_rows(rows: npt.NDArray[np.bool_]) -> list[int]:
    """Return each row as a set."""
    return [sum(1 << int(place) for place in np.flatnonzero(row)) for row in rows]


def list_bits(number: int) -> Iterator[int]:
    """Yield the members of a set in their order."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
