"""setup.py: what it gives to `setup()` as literals; nothing of it is run."""

from __future__ import annotations

import ast
import warnings
from typing import Any

from evograft_env_setup.manifests.manifest import ProjectManifest, UnreadableManifest
from evograft_env_setup.manifests.readers.bounded import table, text, texts
from evograft_env_setup.manifests.readers.pyproject import FOR_WORK
from evograft_env_setup.manifests.readers.python_requirement import dependencies

READ = ("install_requires", "tests_require", "extras_require", "python_requires")


def read(content: str, path: str) -> ProjectManifest:
    del path
    tree = _parsed(content)
    names = _constants(tree)
    given, computed = _given(tree, names)
    found, wrong = dependencies(texts(given.get("install_requires")))
    tools, faults = dependencies(texts(given.get("tests_require")), "tool")
    found, wrong = found + tools, wrong + faults
    for lines in table(given.get("extras_require")).values():
        more, faults = dependencies(texts(lines), "optional")
        found, wrong = found + more, wrong + faults
    asked = text(given.get("python_requires"))
    named = {f"extra {name}" for name in FOR_WORK if name in table(given.get("extras_require"))}
    return ProjectManifest(
        dependencies=tuple(found),
        versions={"python": asked} if asked else {},
        traits=frozenset({"package", *named}),
        findings=(*wrong, *(f"{name} is computed: only running it would tell" for name in computed)),
    )


def _parsed(content: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python thinks of its strings is not our concern
            return ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as err:
        raise UnreadableManifest(f"is no Python: {str(err)[:200]}") from err


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    """Return what is assigned to names on the first level."""
    assigned = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            assigned[statement.targets[0].id] = statement.value
    return assigned


def _given(tree: ast.Module, names: dict[str, ast.expr]) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments that are literals or names of literals, and those that are computed."""
    given, computed = {}, []
    for keyword in _keywords(tree):
        value = keyword.value
        if isinstance(value, ast.Name):
            value = names.get(value.id, value)
        try:
            given[str(keyword.arg)] = ast.literal_eval(value)
        except (ValueError, TypeError, RecursionError, MemoryError):
            computed.append(str(keyword.arg))
    return given, computed


def _keywords(tree: ast.Module) -> list[ast.keyword]:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and _name(node.func) == "setup")
    return [keyword for call in calls for keyword in call.keywords if keyword.arg in READ]


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
