"""setup.cfg, tox.ini and pytest.ini."""

from __future__ import annotations

import re
from collections.abc import Iterator
from configparser import Error, RawConfigParser

from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest, Purpose, UnreadableManifest
from evograft_env_setup.manifests.readers.pyproject import FOR_WORK
from evograft_env_setup.manifests.readers.pytest_section import test_tools
from evograft_env_setup.manifests.readers.python_requirement import dependencies

FACTOR = re.compile(r"^[\w!.{},-]+:\s+")
"""What makes a line of tox hold in some environments only, such as `py311:`."""
TELLING = ("metadata", "pytest", "tool:pytest")
"""Sections, in addition to those of options, that say what is installed or that there are tests."""


def read(text: str, path: str) -> ProjectManifest:
    del path
    sections = _sections(text)
    found: list[Dependency] = []
    wrong: list[str] = []
    for lines, purpose in _asked(sections):
        more, faults = dependencies(lines, purpose)
        found, wrong = found + more, wrong + faults
    for name in ("pytest", "tool:pytest"):
        found += test_tools(sections[name]) if name in sections else []
    asked = sections.get("options", {}).get("python_requires", "")
    return ProjectManifest(
        dependencies=tuple(found),
        versions={"python": asked} if asked else {},
        traits=frozenset(_traits(sections)),
        findings=tuple(wrong),
    )


def _traits(sections: dict[str, dict[str, str]]) -> Iterator[str]:
    if "metadata" in sections:
        yield "package"
    if sections and not any(name in TELLING or name.startswith("options") for name in sections):
        yield "tool settings"
    yield from (f"extra {name}" for name in FOR_WORK if name in sections.get("options.extras_require", {}))


def _sections(text: str) -> dict[str, dict[str, str]]:
    # Raw, and without a section of defaults: nothing is to multiply what is written.
    parser = RawConfigParser(strict=False, default_section="")
    parser.optionxform = str  # type: ignore[assignment, method-assign] # names keep their case
    try:
        # Blanks are squeezed, because the parser's own patterns need quadratic time for many.
        parser.read_string(re.sub(r"[^\S\n]+", " ", text))
    except Error as err:
        raise UnreadableManifest(f"is no INI file: {str(err).splitlines()[0]}") from err
    return {name: dict(parser[name]) for name in parser.sections()}


def _asked(sections: dict[str, dict[str, str]]) -> list[tuple[list[str], Purpose]]:
    options = sections.get("options", {})
    asked: list[tuple[list[str], Purpose]] = [
        (_lines(options.get("install_requires", "")), "run"),
        (_lines(options.get("tests_require", "")), "tool"),
        (_of_tox(sections.get("testenv", {}).get("deps", "")), "tool"),
    ]
    extras = sections.get("options.extras_require", {})
    return [*asked, *((_lines(value), "optional") for value in extras.values())]


def _lines(value: str) -> list[str]:
    lines = (line.partition(" #")[0].strip() for line in value.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _of_tox(value: str) -> list[str]:
    """Return tox's requirements without options, and without what is filled in elsewhere."""
    lines = [FACTOR.sub("", line[:1000]) for line in _lines(value)]
    return [line for line in lines if not line.startswith(("-", ".")) and "{" not in line]
