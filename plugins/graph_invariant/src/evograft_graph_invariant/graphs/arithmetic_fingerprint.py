"""A fingerprint of what the numerical libraries of this process compute: a key for cached results."""

from __future__ import annotations

import functools
import hashlib
import math

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

SIZES = (8, 30, 100, 250)
"""Orders of the matrices: those of the data sets' graphs, and where kernels change their blocks."""

COUNT = 4096
"""The number of arguments. Variants of a function differ in one value of some dozens."""


@functools.cache
def compute_arithmetic_fingerprint() -> str:
    """Return a hash of values that differ where exp, log or the kernels of linear algebra are others.

    A name such as that of the CPU would tell apart what is equal, and take for equal what a variable has changed.
    """
    arguments = np.random.default_rng(0).random(COUNT) + 0.01
    numbers = arguments.tolist()
    values = [np.exp(-arguments), np.log(arguments), np.array([[math.exp(-x), math.log(x)] for x in numbers])]
    with threadpool_limits(1, "blas"):
        for size in SIZES:
            matrix = np.resize(arguments, (size, size))
            values += [np.linalg.eigvalsh(matrix + matrix.T), matrix @ matrix]
    return hashlib.sha256(b"".join(each.tobytes() for each in values)).hexdigest()
