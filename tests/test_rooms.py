"""Where modules stand: few at the root of a package, and plugins know of the core what is public."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from evograft import api

ROOT = Path(__file__).parents[1]
TOOLKITS = ("agent", "batch", "cluster", "models", "novelty", "postgres", "report", "sandbox")
PLUGINS = sorted(
    {path.parent for path in ROOT.glob("plugins/*/pyproject.toml")} - {ROOT / "plugins" / name for name in TOOLKITS}
)
PUBLIC = {"api", "cli_kit", "text"}
IN_ROOMS = {
    "evograft": ROOT / "core/src/evograft",
    "evograft_agent": ROOT / "plugins/agent/src/evograft_agent",
    "evograft_batch": ROOT / "plugins/batch/src/evograft_batch",
    "evograft_cluster": ROOT / "plugins/cluster/src/evograft_cluster",
    "evograft_code_explainer": ROOT / "plugins/code_explainer/src/evograft_code_explainer",
    "evograft_ahc": ROOT / "plugins/ahc/src/evograft_ahc",
    "evograft_env_setup": ROOT / "plugins/env_setup/src/evograft_env_setup",
    "evograft_islands": ROOT / "plugins/islands/src/evograft_islands",
    "evograft_graph_invariant": ROOT / "plugins/graph_invariant/src/evograft_graph_invariant",
    "evograft_models": ROOT / "plugins/models/src/evograft_models",
    "evograft_novelty": ROOT / "plugins/novelty/src/evograft_novelty",
    "evograft_operators": ROOT / "plugins/operators/src/evograft_operators",
    "evograft_playbook": ROOT / "plugins/playbook/src/evograft_playbook",
    "evograft_postgres": ROOT / "plugins/postgres/src/evograft_postgres",
    "evograft_program": ROOT / "plugins/program/src/evograft_program",
    "evograft_report": ROOT / "plugins/report/src/evograft_report",
    "evograft_sandbox": ROOT / "plugins/sandbox/src/evograft_sandbox",
}
MOST = 8


@pytest.mark.parametrize("package", IN_ROOMS)
def test_few_modules_lie_at_the_root_of_a_package(package):
    modules = {path.name for path in IN_ROOMS[package].glob("*.py")} - {"__init__.py"}
    assert len(modules) <= MOST, sorted(modules)


@pytest.mark.parametrize("package", IN_ROOMS)
def test_tests_stand_in_rooms_of_the_same_names(package):
    source = IN_ROOMS[package]
    tests = source.parents[1] / "tests"
    rooms = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")}
    missing = [room for room in rooms if not (source / room).is_dir()]
    assert missing == []


@pytest.mark.parametrize("folder", PLUGINS, ids=lambda folder: folder.name)
def test_a_plugin_imports_of_the_core_only_what_is_public(folder):
    for path in sorted(folder.glob("src/**/*.py")):
        rooms = {name.split(".")[1] for name in imported(path) if name.startswith("evograft.")}
        assert rooms <= PUBLIC, f"{path.relative_to(ROOT)}: {sorted(rooms - PUBLIC)}"


def imported(path: Path) -> set[str]:
    """The modules that a file imports, as `package.module`."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_every_public_name_is_what_type_checkers_take_it_for():
    block = next(node for node in ast.parse(Path(api.__file__).read_text()).body if isinstance(node, ast.If))
    typed = {alias.name: node.module for node in block.body for alias in node.names}
    assert typed == {name: home for home, names in api.HOMES.items() for name in names}
    assert set(api.__all__) == set(typed)
    for name in api.__all__:
        assert getattr(api, name) is not None


def test_a_name_that_is_not_public_is_none_of_the_api():
    with pytest.raises(AttributeError, match="has no attribute 'Kernel'"):
        api.Kernel  # noqa: B018
