"""Functions of the user's that give a number for a graph: from a Python file, or an installed distribution."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import math
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from evograft.api import UserError, did_you_mean
from evograft_graph_invariant.graphs.function_names import GROUP
from evograft_graph_invariant.graphs.generators import Edges, Graph, to_networkx

OwnFunction = Callable[[Graph], float]


@lru_cache(maxsize=32)
def load_function(reference: str) -> OwnFunction:
    """Load `FILE.py:FUNCTION`, or the function of an entry point by its name.

    Raises:
        UserError: it is not there, or its file cannot be run.
    """
    file, colon, name = reference.rpartition(":")
    if not colon:
        (entry,) = entry_points(group=GROUP, name=reference)
        found: OwnFunction = entry.load()
        return found
    module = _run_file(Path(file))
    function = getattr(module, name, None)
    if not callable(function):
        known = [key for key, value in vars(module).items() if inspect.isfunction(value)]
        raise UserError(f"{file} has no function {name!r}; {did_you_mean(name, known)}")
    made: OwnFunction = function
    return made


def _run_file(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"evograft_own_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise UserError(f"{path}: there is no such Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UserError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    return module


def digest_function(reference: str) -> str:
    """Return a digest of the source that a function is in: with another source, values are computed anew."""
    source = inspect.getsourcefile(load_function(reference))
    content = b"" if source is None else Path(source).read_bytes()
    return f"{reference} {hashlib.sha256(content).hexdigest()}"


def compute_own(reference: str, n: int, edges: Edges, name: str) -> float:
    """Return the function's value of one graph.

    Raises:
        UserError: it raises, or gives no finite number.
    """
    try:
        value = float(load_function(reference)(to_networkx(range(n), edges)))
    except Exception as error:
        raise UserError(f"{reference} failed on the graph {name}: {type(error).__name__}: {error}") from error
    if not math.isfinite(value):
        raise UserError(f"{reference} gives {value} for the graph {name}: every graph needs a finite value")
    return value
