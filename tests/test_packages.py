"""What the distributions say of themselves is so: they bring what they use, and each can be built and installed alone."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FOLDERS = (ROOT / "hookspecs", ROOT / "core", *sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml")))
BROUGHT_BY = {"pydantic_core": "pydantic"}
"""Packages that another one pins and re-exports, and that are imported where it does not."""
IF_INSTALLED = {
    ("sandbox", "numpy"),
    ("core", "IPython"),
    ("core", "matplotlib"),
    ("core", "pandas"),
    ("core", "tree_sitter"),
}
"""The sandbox loads numpy for candidates before it is closed, where there is one; runs are shown in notebooks by what is
installed there, and the core bounds parsers that plugins hand to it."""

each_package = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def project_of(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text())["project"]


def normal(requirement: str) -> str:
    """The name of a requirement, as registries compare it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement, maxsplit=1)[0]).lower()


OWN = {project_of(folder)["name"]: folder for folder in FOLDERS}
PLUGINS = {
    name: package
    for package, folder in OWN.items()
    for name in project_of(folder).get("entry-points", {}).get("evograft.plugins", {})
}


@each_package
def test_the_plugins_that_a_preset_names_are_required(folder):
    required = {normal(each) for each in project_of(folder)["dependencies"]} | {project_of(folder)["name"]}
    for preset in folder.glob("src/*/presets/*.yaml"):
        listed = yaml.safe_load(preset.read_text())["plugins"]
        named = {each if isinstance(each, str) else each["name"] for each in listed}
        assert {PLUGINS[name] for name in named} <= required, preset


@each_package
def test_every_package_that_is_imported_is_required(folder):
    project = project_of(folder)
    extras = [each for extra in project.get("optional-dependencies", {}).values() for each in extra]
    required = {normal(each) for each in (*project["dependencies"], *extras)} | {project["name"]}
    makers = packages_distributions()
    for path in sorted(folder.glob("src/**/*.py")):
        for name in imported(path) - sys.stdlib_module_names - {part.name for part in folder.glob("src/*")}:
            brought = {normal(maker) for maker in makers.get(name, [name])} | {BROUGHT_BY.get(name, "")}
            assert brought & required or (folder.name, name) in IF_INSTALLED, f"{path}: {name}"


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return {name.partition(".")[0] for name in names}


@each_package
def test_a_package_requires_those_of_this_project_in_the_versions_that_are_compatible(folder):
    for requirement in project_of(folder)["dependencies"]:
        if normal(requirement) in OWN:
            version = project_of(OWN[normal(requirement)])["version"]
            assert requirement == f"{normal(requirement)}~={version}"


@each_package
def test_a_package_says_who_wrote_it_under_which_licence_and_for_whom(folder):
    project = project_of(folder)
    assert project["authors"]
    assert project["license"] == "MIT"
    assert (folder / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    assert (folder / project["readme"]).is_file()
    assert (
        f"Programming Language :: Python :: {project['requires-python'].removeprefix('>=')}" in project["classifiers"]
    )


def test_the_contests_alone_bring_all_that_their_preset_needs(environment, tmp_path):
    environment.install("evograft-ahc")
    listed = json.loads(environment.run("evo plugins --json", cwd=tmp_path))
    assert {row["name"] for row in listed} == {"ahc", "islands", "operators"}
    assert "practice001" in environment.run("evo show --plugin ahc", cwd=tmp_path)


@pytest.mark.long
def test_the_core_alone_says_which_package_brings_what_is_missing(environment, tmp_path):
    environment.install("evograft", "evograft-islands")
    (tmp_path / "run.yaml").write_text("plugins: [islands]\nllm: {driver: openai, model: m}\n")
    said = environment.run("evo batch runs.yaml; evo run run.yaml; test $? = 2", cwd=tmp_path)
    assert "Error: `evo batch` is not installed: pip install evograft-batch\n" in said
    assert "llm.driver: 'openai' is not installed: pip install evograft-models\n" in said
