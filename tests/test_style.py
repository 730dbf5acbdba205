"""The limits of docs/style.md, measured in the sources. What goes beyond one is named here, with its reason."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LARGEST_FILE = 500
MOST_METHODS = 20
MOST_FIELDS = 15
MOST_IMPORTS = 14
LEAST_DOCSTRINGS = 0.85
MOST_ANY = 12
"""Mentions of `Any` per 1,000 lines."""

SETTINGS = "the keys of a settings file, which users know"
FORM = "a form that is written for other programs, a field for each of its keys"
MORE_METHODS: dict[str, str] = {}
MORE_FIELDS = {
    "evograft.config.pipeline.Pipeline": SETTINGS,
    "evograft.python.options.EvolveOptions": "a keyword of a call for each option of its command",
    "evograft.runs.status.RunStatus": FORM,
    "evograft_ahc.contests.past.Contest": FORM,
    "evograft_ahc.options.AhcOptions": SETTINGS,
    "evograft_ahc.records.candidate.CandidateRecord": FORM,
    "evograft_operators.options.OperatorsOptions": SETTINGS,
    "evograft_report.figures.run_figures.RunFigures": FORM,
}
OPENS = "puts together what the rooms below it offer"
MORE_IMPORTS = {
    "evograft.api": "names what is public of every room",
    "evograft.cli.interactive.conversation": OPENS,
    "evograft.session.resources": OPENS,
    "evograft.session.start": OPENS,
    "evograft_ahc.commands.judge_setup": OPENS,
    "evograft_ahc.evaluator": OPENS,
    "evograft_ahc.problem": OPENS,
    "evograft_ahc.workspace.from_site": OPENS,
}


@cache
def sources() -> dict[str, ast.Module]:
    paths = sorted(path for path in ROOT.glob("**/src/**/*.py") if ".venv" not in path.parts)
    return {name_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def name_of(path: Path) -> str:
    return str(path).rpartition("/src/")[2].removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def classes() -> Iterator[tuple[str, ast.ClassDef]]:
    for module, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                yield f"{module}.{node.name}", node


def test_no_file_is_long():
    paths = [path for path in ROOT.glob("**/src/**/*.py") if ".venv" not in path.parts]
    long = {name_of(path): lines for path in paths if (lines := len(path.read_text().splitlines())) > LARGEST_FILE}
    assert paths
    assert long == {}


def test_a_public_class_has_a_name_of_its_own():
    places = defaultdict(list)
    for name, node in classes():
        if not node.name.startswith("_"):
            places[node.name].append(name)
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_no_class_has_many_methods():
    many = {
        name for name, node in classes() if sum(isinstance(each, ast.FunctionDef) for each in node.body) > MOST_METHODS
    }
    assert many == set(MORE_METHODS)


def test_no_class_has_many_fields():
    assert {name for name, node in classes() if len(fields_of(node)) > MOST_FIELDS} == set(MORE_FIELDS)


def fields_of(node: ast.ClassDef) -> set[str]:
    declared = {
        each.target.id for each in node.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    }
    targets = [
        target
        for each in ast.walk(node)
        if isinstance(each, (ast.Assign, ast.AnnAssign))
        for target in (each.targets if isinstance(each, ast.Assign) else [each.target])
    ]
    flat = [part for target in targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return declared | {
        each.attr
        for each in flat
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "self"
    }


def test_no_module_imports_many_of_our_own():
    assert {name for name, tree in sources().items() if len(own_imports(tree)) > MOST_IMPORTS} == set(MORE_IMPORTS)


def own_imports(tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("evograft"):
            modules = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {module if module in sources() else node.module for module in modules}
    return found


def test_most_public_things_have_a_docstring():
    documented = [ast.get_docstring(node) is not None for tree in sources().values() for node in public_in(tree)]
    assert sum(documented) / len(documented) >= LEAST_DOCSTRINGS


def public_in(tree: ast.Module) -> Iterator[ast.Module | ast.ClassDef | ast.FunctionDef]:
    yield tree
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
            yield node
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from (
                each for each in node.body if isinstance(each, ast.FunctionDef) and not each.name.startswith("_")
            )


def test_any_is_rare():
    lines = sum(len(path.read_text().splitlines()) for path in ROOT.glob("**/src/**/*.py") if ".venv" not in path.parts)
    mentions = sum(
        isinstance(node, ast.Name) and node.id == "Any" for tree in sources().values() for node in ast.walk(tree)
    )
    assert 1000 * mentions / lines <= MOST_ANY


@pytest.mark.parametrize("reasons", [MORE_METHODS, MORE_FIELDS, MORE_IMPORTS])
def test_what_goes_beyond_a_limit_says_why(reasons):
    assert all(reasons.values())
