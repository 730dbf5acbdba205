"""The analyzer: reads a repository and says what it needs. It runs nothing, and reads nothing outside of it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import ValidationError

from evograft_env_setup.analysis.analysis import AnalysisFinding, RepositoryAnalysis, VersionAsked
from evograft_env_setup.analysis.defaults import DefaultCommands, build_default_commands
from evograft_env_setup.analysis.detection import FileDetector
from evograft_env_setup.analysis.environment_choice import choose_environment, find_other_signs, find_signs
from evograft_env_setup.analysis.guides import find_guides
from evograft_env_setup.analysis.project_folder import PLAIN
from evograft_env_setup.environments import Environment, Environments
from evograft_env_setup.manifests.content import is_cut
from evograft_env_setup.manifests.formats import REQUIREMENTS, find_format
from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest, UnreadableManifest
from evograft_env_setup.text.printable import escape_unprintable
from evograft_hookspecs import FrozenDict

FINDINGS = 10
"""How many there are of one file."""
UNREAD = dict.fromkeys(("pyproject.toml", "setup.py"), frozenset({"package"}))
"""Traits of files that cannot be read: installing them is tried, so that a set-up fails where nothing can be
installed."""


class EnvironmentAnalyzer:
    """An analyzer of one repository."""

    def __init__(self, root: Path, *, depth: int = 1, task: str = "", environments: Environments | None = None) -> None:
        """Nothing happens yet.

        Args:
            root: the repository's folder.
            depth: how many levels of folders below it are looked at; more than one for a monorepo.
            task: what is to be done in the repository, in words; it decides between languages.
            environments: those that may be chosen; all that come with the plugin if none are given.
        """
        self._root = root
        self._depth = depth
        self._task = task
        self._environments = environments or Environments.shipped()

    def analyze(self) -> RepositoryAnalysis:
        """Return what the repository needs: `detected_files` and all that follows from them."""
        detection = FileDetector(self._root, depth=self._depth).look()
        analysis = self.analyze_environment_files(detection.files)
        findings = (*detection.findings, *analysis.findings)
        return analysis.model_copy(update={"findings": findings, "guides": FrozenDict(find_guides(self._root))})

    def detect_environment_files(self) -> dict[str, str]:
        """Return the files that tell what the repository needs, by path from its root."""
        return FileDetector(self._root, depth=self._depth).look().files

    def analyze_environment_files(self, files: Mapping[str, str]) -> RepositoryAnalysis:
        """Return what these files say together; one that is broken is a finding."""
        findings: list[AnalysisFinding] = []
        read = {path: _read(path, text, findings) for path, text in files.items()}
        manifests = _with_included(_with_catalogues(read))
        choice = choose_environment(manifests, self._environments, self._task)
        commands = build_default_commands(choice.environment, manifests)
        findings += _left_out(choice.environment, manifests, self._environments)
        if commands.missing_version:
            findings.append(_no_image(choice.environment.name, commands))
        return RepositoryAnalysis(
            detected_files=files,
            environment_type=choice.environment.name,
            reason=choice.reason,
            manifests=manifests,
            dependencies=_dependencies(manifests),
            image=commands.image,
            unusual_image=choice.environment.unusual(commands.image),
            setup_commands=commands.setup,
            verification=commands.verification,
            versions=_versions(manifests),
            findings=tuple(findings),
        )


def _left_out(
    chosen: Environment, manifests: Mapping[str, ProjectManifest], environments: Environments
) -> Iterator[AnalysisFinding]:
    """Yield what is not set up, because a set-up is of one environment."""
    signs = find_signs(manifests, {chosen.name: chosen}) or {chosen.name: ()}
    for name, paths in find_other_signs(signs, manifests, environments).items():
        what = (
            f"asks for packages of {name}, which are left out: say by --task what matters, or set its folder up as well"
        )
        yield AnalysisFinding(file=paths[0], what=what)


def _no_image(name: str, commands: DefaultCommands) -> AnalysisFinding:
    asked = escape_unprintable(commands.missing_version[:80])
    return AnalysisFinding(
        file=name, what=f"{asked}, which the project asks for, has no image here: {commands.image} is taken"
    )


def _read(path: str, text: str, findings: list[AnalysisFinding]) -> ProjectManifest:
    manifest = ProjectManifest(traits=UNREAD.get(path.rpartition("/")[2], frozenset()))
    try:
        manifest = manifest if is_cut(text) else (find_format(path) or REQUIREMENTS).read(text, path)
        found = list(manifest.findings)
    except UnreadableManifest as err:
        found = [str(err)]
    except ValidationError:  # what no value can hold: a name without an end, half a character
        found = ["names a package or version that can't be one"]
    if not PLAIN.fullmatch(path):
        found.append("has a path with characters that are given to no command")
    if len(found) > FINDINGS:
        found = [*found[:FINDINGS], f"and {len(found) - FINDINGS} more of the kind"]
    findings += [AnalysisFinding(file=path, what=escape_unprintable(what)) for what in found]
    return manifest


def _with_catalogues(manifests: Mapping[str, ProjectManifest]) -> dict[str, ProjectManifest]:
    """Replace names of a catalogue by its packages in what each file says."""
    known = {name: found for manifest in manifests.values() for name, found in manifest.catalogue.items()}
    return {
        path: manifest.model_copy(update={"dependencies": _looked_up(manifest, known)})
        for path, manifest in manifests.items()
    }


def _looked_up(manifest: ProjectManifest, known: Mapping[str, tuple[Dependency, ...]]) -> tuple[Dependency, ...]:
    found = ((each, known.get(each.name) or (each,)) for each in manifest.dependencies)
    return tuple(
        package.model_copy(update={"purpose": each.purpose}) for each, packages in found for package in packages
    )


def _with_included(manifests: Mapping[str, ProjectManifest]) -> dict[str, ProjectManifest]:
    """Join what each file says with the files that it includes.

    Each included file counts for the first one that includes it.
    """
    together: dict[str, ProjectManifest] = {}
    reached: set[str] = set()
    for path, manifest in manifests.items():
        included = [manifests[other] for other in _included(path, manifests, reached)]
        more = tuple(each for other in included for each in other.dependencies)
        together[path] = manifest.model_copy(update={"dependencies": manifest.dependencies + more})
    return together


def _included(path: str, manifests: Mapping[str, ProjectManifest], reached: set[str]) -> list[str]:
    """Return what a file includes, and what that includes, without what was reached before."""
    found = []
    todo = [path]
    while todo:
        current = todo.pop()
        for written in manifests[current].includes:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(current), written))
            if target in manifests and target != path and target not in reached:
                reached.add(target)
                found.append(target)
                todo.append(target)
    return found


def _dependencies(manifests: Mapping[str, ProjectManifest]) -> tuple[Dependency, ...]:
    """Return each dependency once; as one that is needed to run, if any file says so."""
    found: dict[tuple[str, str], Dependency] = {}
    for each in (each for manifest in manifests.values() for each in manifest.dependencies):
        key = (each.ecosystem, each.name)
        if key not in found or (each.purpose == "run" and found[key].purpose != "run"):
            found[key] = each
    return tuple(found.values())


def _versions(manifests: Mapping[str, ProjectManifest]) -> tuple[VersionAsked, ...]:
    return tuple(
        VersionAsked(file=path, tool=tool, asked=asked)
        for path, manifest in manifests.items()
        for tool, asked in manifest.versions.items()
    )
