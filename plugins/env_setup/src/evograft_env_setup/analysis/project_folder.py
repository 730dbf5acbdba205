"""A folder of a repository that is set up: facts about it, and the names that commands use for its parts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from evograft_env_setup.manifests.formats import REQUIREMENTS, find_format
from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest
from evograft_env_setup.manifests.readers.pyproject import FOR_WORK
from evograft_env_setup.manifests.readers.requirements import purpose_of

PLAIN = re.compile(r"(?:[\w@+.][\w@+.-]*/)*[\w@+.][\w@+.-]*|", re.ASCII)
"""Paths that a command can name as they are: nothing in them means anything to a shell, and none is like an option."""
MAIN_LISTS = ("requirements.txt", "requirements/base.txt", "requirements/main.txt", "requirements/requirements.txt")
"""The one that is installed if there are several."""
WORK_LISTS = re.compile(r"(?:^|[-_./])(?:dev|develop|development|test|tests|testing)(?=[-_./])")
PACKAGE_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
"""What pip builds a package from."""
VERSION_FILES = (".python-version", ".nvmrc", ".node-version", ".tool-versions")
CONDA_FILES = ("condaenv.yaml", "condaenv.yml", "environment.yml", "environment.yaml")


@dataclass(frozen=True)
class ProjectFolder:
    """The contents of the files of one folder."""

    manifests: Mapping[str, ProjectManifest]
    """By the path from the folder."""

    @cached_property
    def facts(self) -> frozenset[str]:
        """Return names of files, traits of what they say, and placeholders that can be filled in."""
        traits = {trait for manifest in self.manifests.values() for trait in manifest.traits}
        if not {"setup.py", "pyproject.toml"} & set(self.manifests):
            traits.discard("package")  # pip builds nothing from setup.cfg alone
        filled_in = {name.replace("_", " ") for name, value in self.placeholders.items() if value}
        return frozenset(self.manifests) | traits | (filled_in - {"package"})

    @cached_property
    def placeholders(self) -> dict[str, str]:
        return {
            "requirements": _options("-r", self._main_lists()),
            "work_requirements": _options("-r", [name for name in self._lists if WORK_LISTS.search(name)]),
            "package": self._package(),
            "groups": _options("--group", self._named("group")),
            "test_tools": " ".join(shlex.quote(_write_requirement(each)) for each in self._tools()),
            "conda_file": next((name for name in CONDA_FILES if name in self.manifests), ""),
        }

    def dependencies(self, files: Collection[str] | None = None) -> list[Dependency]:
        """Return what the files ask for.

        Args:
            files: names of files, or of lists: `requirements`, `package`, `conda file`; `None` for all files.
        """
        manifests = self.manifests if files is None else dict.fromkeys(self._files_of(files))
        return [each for path in manifests for each in self.manifests[path].dependencies]

    def versions_asked(self, tool: str) -> Iterator[str]:
        """Yield the versions of a tool that the files ask for, those of files that say nothing else first."""
        for path in sorted(self.manifests, key=lambda path: path not in VERSION_FILES):
            if asked := self.manifests[path].versions.get(tool):
                yield asked

    def _files_of(self, names: Collection[str]) -> Iterator[str]:
        lists = {
            "requirements": self._main_lists(),
            "package": list(PACKAGE_FILES) if "package" in self.facts else [],
            "conda file": [self.placeholders["conda_file"]],
        }
        for name in names:
            yield from (path for path in lists.get(name, [name]) if path in self.manifests)

    @cached_property
    def _lists(self) -> list[str]:
        return [name for name in self.manifests if find_format(name) is REQUIREMENTS and PLAIN.fullmatch(name)]

    def _main_lists(self) -> list[str]:
        main = next((name for name in MAIN_LISTS if name in self._lists), None)
        return [main] if main else [name for name in self._lists if purpose_of(name) == "run"]

    def _package(self) -> str:
        extras = ",".join(self._named("extra"))
        return f"'.[{extras}]'" if extras else "."

    def _named(self, trait: str) -> list[str]:
        """Return extras or groups for those who work on the project."""
        traits = {each for manifest in self.manifests.values() for each in manifest.traits}
        return [name for name in FOR_WORK if f"{trait} {name}" in traits]

    def _tools(self) -> list[Dependency]:
        """Return the tools that nothing else installs."""
        others = {each.name for each in self.dependencies() if each.purpose in {"run", "test"}}
        tools = {each.name: each for each in self.dependencies() if each.purpose == "tool"}
        return [each for each in tools.values() if each.name not in others and not each.conditional]


def _options(option: str, values: list[str]) -> str:
    return " ".join(f"{option} {value}" for value in values)


def _write_requirement(tool: Dependency) -> str:
    return f"{tool.name} @ {tool.asked}" if "://" in tool.asked else f"{tool.name}{tool.asked}"
