"""One requirement as Python's tools write it."""

from __future__ import annotations

from packaging.requirements import InvalidRequirement, Requirement

from evograft_env_setup.manifests.manifest import Dependency, Purpose, UnreadableManifest

LONGEST = 4000
"""Characters of a requirement."""
DEEPEST = 50
"""Parentheses of one, in which its markers can be nested."""


def dependency(line: str, purpose: Purpose = "run") -> Dependency:
    """Return what a requirement such as `requests>=2; python_version < "3.12"` asks for."""
    if len(line) > LONGEST or line.count("(") > DEEPEST:
        raise UnreadableManifest(f"{line[:80]!r}… is longer or more nested than requirements are")
    try:
        asked = Requirement(line)
    except InvalidRequirement as err:
        raise UnreadableManifest(f"{line[:80]!r} is no requirement") from err
    return Dependency(
        name=asked.name,
        ecosystem="python",
        asked=asked.url or str(asked.specifier),
        purpose=purpose,
        conditional=asked.marker is not None,
    )


def dependencies(lines: list[str], purpose: Purpose = "run") -> tuple[list[Dependency], list[str]]:
    """Return what many requirements ask for, and what is wrong with the others."""
    found, wrong = [], []
    for line in lines:
        try:
            found.append(dependency(line, purpose))
        except UnreadableManifest as err:
            wrong.append(str(err))
    return found, wrong
