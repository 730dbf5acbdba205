"""The refusal, by name, of what a program may not call; what it computes by hand is left to `leaks`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.graphs.networkx_api import (
    explain_refusal,
    list_offered_functions,
    offers_linear_algebra,
)
from evograft_graph_invariant.graphs.targets import get_allowed_columns
from evograft_graph_invariant.graphs.vocabulary import COLUMN_NAMES, Level
from evograft_hookspecs import CandidateRejected

_NETWORKX = frozenset({"nx", "networkx"})
_NUMPY = frozenset({"np", "numpy"})


def refuse_forbidden_names(program: CandidateProgram, target: str, level: Level) -> None:
    """Check every column and every library function that a program names.

    Raises:
        CandidateRejected: naming the first one that is not offered.
    """
    offered = list_offered_functions(target, level)
    for name in _networkx_names(program.tree):
        if name not in offered:
            why = explain_refusal(name, target)
            raise CandidateRejected(f"nx.{name} is not offered for {target} at level {level}: {why}")
    if not offers_linear_algebra(level) and _uses_linear_algebra(program.tree):
        raise CandidateRejected(f"numpy.linalg yields columns of level spectrum, which level {level} does not include")
    columns = get_allowed_columns(target, level)
    for name in _called_names(program.tree):
        if name in COLUMN_NAMES and name not in columns:
            raise CandidateRejected(f"{name}(G) may not be used for {target} at level {level}")


def _networkx_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=attr) if module in _NETWORKX:
                yield attr
            case ast.ImportFrom(module=str(module), names=names) if module.partition(".")[0] == "networkx":
                yield from module.split(".")[1:]
                yield from (alias.name for alias in names)
            case ast.Import(names=names):
                yield from (
                    part for alias in names if alias.name.startswith("networkx.") for part in alias.name.split(".")[1:]
                )


def _uses_linear_algebra(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr="linalg") if module in _NUMPY:
                return True
            case ast.ImportFrom(module=str(module), names=names) if module.partition(".")[0] == "numpy":
                if "linalg" in module or any(alias.name == "linalg" for alias in names):
                    return True
            case ast.Import(names=names) if any(alias.name.startswith("numpy.linalg") for alias in names):
                return True
    return False


def _called_names(tree: ast.Module) -> Iterator[str]:
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in defined:
            yield node.func.id
