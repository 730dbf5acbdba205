"""The parts of Python's standard library that programs may import, next to `math`.

Each is a module with chosen names and no way to what the real one imports; what evaluates text is left out.
"""

from __future__ import annotations

import collections
import functools
import heapq
import itertools
import statistics
import types
import typing

_OFFERED: dict[types.ModuleType, tuple[str, ...]] = {
    collections: ("ChainMap", "Counter", "OrderedDict", "defaultdict", "deque"),
    functools: ("cache", "lru_cache", "partial", "reduce"),
    heapq: ("heapify", "heappop", "heappush", "heappushpop", "heapreplace", "merge", "nlargest", "nsmallest"),
    itertools: tuple(name for name in dir(itertools) if not name.startswith("_")),
    statistics: (
        "correlation",
        "covariance",
        "fmean",
        "geometric_mean",
        "harmonic_mean",
        "linear_regression",
        "mean",
        "median",
        "median_high",
        "median_low",
        "mode",
        "multimode",
        "pstdev",
        "pvariance",
        "quantiles",
        "stdev",
        "variance",
    ),
    typing: (
        "Any",
        "Callable",
        "Dict",
        "FrozenSet",
        "Iterable",
        "Iterator",
        "List",
        "Mapping",
        "Optional",
        "Sequence",
        "Set",
        "Tuple",
        "Union",
    ),
}


def build_standard_modules() -> dict[str, types.ModuleType]:
    """Return the modules by name."""
    return {module.__name__: _restrict(module, names) for module, names in _OFFERED.items()}


def _restrict(module: types.ModuleType, names: tuple[str, ...]) -> types.ModuleType:
    restricted = types.ModuleType(module.__name__)
    for name in names:
        setattr(restricted, name, getattr(module, name))
    return restricted
