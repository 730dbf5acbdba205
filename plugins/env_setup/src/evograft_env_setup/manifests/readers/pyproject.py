"""pyproject.toml: the project's own table, poetry's, dependency groups, and what its sections say about tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest, Purpose
from evograft_env_setup.manifests.readers.bounded import load_toml, table, text, texts
from evograft_env_setup.manifests.readers.pytest_section import test_tools
from evograft_env_setup.manifests.readers.python_requirement import dependencies

FOR_WORK = ("test", "tests", "testing", "dev", "develop", "development")
"""Extras and groups that the people who work on a project install."""
INSTALLING_TOOLS = {"poetry", "pdm", "hatch", "flit", "uv", "setuptools", "pytest"}
"""Whose sections say more than how the code is to look: what is installed, or that there are tests."""


def read(content: str, path: str) -> ProjectManifest:
    del path
    data = load_toml(content)
    project, tools = table(data.get("project")), table(data.get("tool"))
    poetry = table(tools.get("poetry"))
    found, wrong = _of_project(project)
    for name, group in table(data.get("dependency-groups")).items():
        more, faults = dependencies(texts(group), purpose_of(name))
        found, wrong = found + more, wrong + faults
    pytest = table(table(tools.get("pytest")).get("ini_options"))
    found += _of_poetry(poetry)
    found += test_tools(pytest) if "pytest" in tools else []
    asked = text(project.get("requires-python")) or text(table(poetry.get("dependencies")).get("python"))
    return ProjectManifest(
        dependencies=tuple(found),
        versions={"python": asked} if asked else {},
        traits=frozenset(_traits(data, project, tools)),
        findings=tuple(wrong),
    )


def purpose_of(group: str) -> Purpose:
    return "test" if group.lower() in FOR_WORK else "optional"


def _of_project(project: dict[str, Any]) -> tuple[list[Dependency], list[str]]:
    found, wrong = dependencies(texts(project.get("dependencies")))
    for lines in table(project.get("optional-dependencies")).values():
        more, faults = dependencies(texts(lines), "optional")
        found, wrong = found + more, wrong + faults
    return found, wrong


def _of_poetry(poetry: dict[str, Any]) -> list[Dependency]:
    tables: list[tuple[Any, Purpose]] = [(poetry.get("dependencies"), "run"), (poetry.get("dev-dependencies"), "test")]
    for name, group in table(poetry.get("group")).items():
        tables.append((table(group).get("dependencies"), purpose_of(name)))
    return [each for asked, purpose in tables for each in _of_poetry_table(table(asked), purpose)]


def _of_poetry_table(asked: dict[str, Any], purpose: Purpose) -> Iterator[Dependency]:
    for name, value in asked.items():
        if name and name != "python":
            details = table(value)
            yield Dependency(
                name=name[:200],
                ecosystem="python",
                asked=text(value) or text(details.get("version")),
                purpose="optional" if details.get("optional") is True else purpose,
                conditional=bool(details.get("markers") or details.get("python") or details.get("platform")),
            )


def _traits(data: dict[str, Any], project: dict[str, Any], tools: dict[str, Any]) -> Iterator[str]:
    if "name" in project:
        yield "package"
    if "poetry" in tools:
        yield "poetry"
    if data and not (data.keys() - {"tool"} or tools.keys() & INSTALLING_TOOLS):
        yield "tool settings"
    extras = table(project.get("optional-dependencies"))
    yield from (f"extra {name}" for name in FOR_WORK if name in extras)
    yield from (f"group {name}" for name in FOR_WORK if name in table(data.get("dependency-groups")))
