"""Preloading of a worker, before the first candidate comes: data, importable modules, names."""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import random
import sys
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

LAZY_PARTS = {
    "numpy": ("linalg", "fft", "polynomial", "random", "ma", "rec", "char", "strings", "exceptions", "dtypes"),
    "scipy": ("linalg", "sparse", "sparse.linalg", "sparse.csgraph", "special", "optimize", "spatial", "stats"),
}
"""Parts that libraries import on first use, which no candidate could do once files are out of reach.

Those of SciPy are loaded where candidates are offered it, because they cost each worker a second and 60 MB. What other
libraries need of it is for the loader to import.
"""


@dataclass(frozen=True)
class Preload:
    """What a loader returns, inside the worker process, once.

    Data that a candidate must not see, such as the target values, does not belong here: what is in the worker can be
    read by a candidate that gets past the static check.
    """

    datasets: Mapping[str, Sequence[Any]]
    """Items by data set; the candidate's function is called once per item."""
    modules: Mapping[str, Any] = field(default_factory=dict)
    """What candidates can import, nothing else: `{"math": math, "networkx": proxy}`. Dotted names are found through
    attributes, so `numpy` offers `numpy.linalg` as well."""
    names: Mapping[str, Any] = field(default_factory=dict)
    """Further globals of the candidate: `np`, `math`, helper functions."""
    before_item: Callable[[Any], Any] | None = None
    """Turns an item into the argument handed to the function, in the candidate's process and on its time."""


def load_preload(loader: str, arguments: Mapping[str, Any]) -> Preload:
    """Call the loader and get this process ready to fork.

    The loader is `package.module:function` or `path/to/file.py:function`.

    Raises:
        TypeError: it returned something else than a `Preload`.
    """
    function = _resolve(loader)
    preload = function(**arguments)
    if not isinstance(preload, Preload):
        raise TypeError(
            f"the loader {loader!r} returned {type(preload).__name__}, not evograft_sandbox.functions.Preload"
        )
    _load_lazy_parts({name.partition(".")[0] for name in preload.modules})
    # A warning would be formatted with source lines that the child cannot read, for nobody to see.
    warnings.simplefilter("ignore")
    gc.collect()
    gc.freeze()
    return preload


def _resolve(loader: str) -> Callable[..., Any]:
    place, _, name = loader.rpartition(":")
    module = _load_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    function: Callable[..., Any] = getattr(module, name)
    return function


def _load_file(path: Path) -> ModuleType:
    name = f"evograft_loader_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _load_lazy_parts(offered: Collection[str]) -> None:
    for package, parts in LAZY_PARTS.items():
        if package not in sys.modules or package not in {"numpy", *offered}:
            continue
        for part in parts:
            with contextlib.suppress(ImportError):
                importlib.import_module(f"{package}.{part}")
    importlib.import_module("unicodedata")  # Python's compiler asks it about names that are not ASCII
    if "numpy" in sys.modules:
        _warm_blas()
        _replace_entropy()


def _warm_blas() -> None:
    """Let OpenBLAS map its work space here: it does not count against the candidate's memory."""
    import numpy as np

    np.linalg.eigvalsh(np.eye(64) @ np.eye(64))


def _replace_entropy() -> None:
    """Seed `numpy.random.default_rng()`, which sparse solvers call, from the global generator.

    The system's entropy is out of a candidate's reach, and would make its values differ from run to run.
    """
    with contextlib.suppress(ImportError):
        vars(importlib.import_module("numpy.random.bit_generator"))["randbits"] = random.getrandbits
