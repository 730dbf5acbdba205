"""The choice of an environment: a table of signs, three rules if several match, and the reason in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from evograft_env_setup.environments import DEFAULT, Environment, Environments
from evograft_env_setup.manifests.manifest import ProjectManifest, Purpose

TOKEN = re.compile(r"[A-Za-z0-9_+#./-]+")
SENTENCE_END = (".", "!", "?", ":", "。", "！", "？")
LONGEST_TASK = 20_000
"""Characters of a task that are looked at."""

Signs = Mapping[str, tuple[str, ...]]
"""Environments by name, and the files that speak for each."""


@dataclass(frozen=True)
class EnvironmentChoice:
    """An environment, and why."""

    environment: Environment
    reason: str


def choose_environment(
    manifests: Mapping[str, ProjectManifest], environments: Environments, task: str = ""
) -> EnvironmentChoice:
    """Choose the environment for a repository with these files.

    Args:
        manifests: what each file says, by path from the root.
        environments: those that there are.
        task: what is to be done in the repository, in words.
    """
    signs = _drop_replaced(find_signs(manifests, environments), environments)
    below = find_other_signs(signs, manifests, environments)
    if name := _only_below(task, signs, below, environments):
        return EnvironmentChoice(
            environments[name], f"the task is mainly about {name}, and there is {_list_paths(below[name])}"
        )
    if not signs:
        return EnvironmentChoice(
            environments[DEFAULT], f"no file says which environment is needed; {DEFAULT} is the default"
        )
    if len(signs) == 1:
        name, paths = next(iter(signs.items()))
        return EnvironmentChoice(environments[name], f"there is {_list_paths(paths)}")
    name, reason = _decide(signs, manifests, environments, task)
    return EnvironmentChoice(environments[name], f"{' and '.join(signs)} match; {reason}")


def find_signs(manifests: Mapping[str, ProjectManifest], environments: Mapping[str, Environment]) -> Signs:
    """Find the files that speak for each environment.

    They are those of the root, and of the folders below if the root has none.

    A package.json that has nothing to run does not keep the folders below from being asked. Files that hold nothing but
    settings of linters and the like speak for no environment.
    """
    signs: dict[str, list[str]] = {}
    for _, level in sorted(_by_depth(manifests).items()):
        needing = [path for path in level if "tool settings" not in manifests[path].traits]
        found = [(name, path) for path in needing for name in environments if _speaks_for(path, environments[name])]
        for name, path in found:
            signs.setdefault(name, []).append(path)
        if any("helper" not in manifests[path].traits for _, path in found):
            break
    return {name: tuple(signs[name]) for name in environments if name in signs}


def find_other_signs(
    signs: Signs, manifests: Mapping[str, ProjectManifest], environments: Mapping[str, Environment]
) -> Signs:
    """Return the files of folders below that ask for packages of environments that none of the signs speaks for."""
    found: dict[str, list[str]] = {}
    replaced = {other for name in signs for other in environments[name].instead_of}
    for path, manifest in manifests.items():
        for name in environments.keys() - signs.keys() - replaced:
            if _speaks_for(path, environments[name]) and _is_needed(manifest, environments[name]):
                found.setdefault(name, []).append(path)
    return {name: tuple(found[name]) for name in environments if name in found}


def _is_needed(manifest: ProjectManifest, environment: Environment) -> bool:
    return any(each.purpose == "run" and each.ecosystem in environment.ecosystems for each in manifest.dependencies)


def _only_below(task: str, signs: Signs, below: Signs, environments: Mapping[str, Environment]) -> str | None:
    """Return the environment of folders below that the task is about, more than about any of the root."""
    mentions = {name: _mentions(task[:LONGEST_TASK], environments[name]) for name in (*signs, *below)}
    best = _most(mentions) if mentions else []
    return best[0] if len(best) == 1 and mentions[best[0]] and best[0] in below else None


def folder_of(path: str) -> str:
    """Return the folder of a project that a file belongs to, with a slash at its end; the root is an empty text."""
    folder, _, name = path.rpartition("/")
    if name.endswith(".txt") and folder.rpartition("/")[2] == "requirements":
        folder = folder.rpartition("/")[0]
    return f"{folder}/" if folder else ""


def _by_depth(paths: Iterable[str]) -> dict[int, list[str]]:
    levels: dict[int, list[str]] = {}
    for path in sorted(paths):
        levels.setdefault(folder_of(path).count("/"), []).append(path)
    return levels


def _speaks_for(path: str, environment: Environment) -> bool:
    return environment.is_sign(path.removeprefix(folder_of(path)))


def _drop_replaced(signs: Signs, environments: Mapping[str, Environment]) -> Signs:
    """Return the signs without those that another one is instead of."""
    replaced = {other for name in signs for other in environments[name].instead_of}
    return {name: paths for name, paths in signs.items() if name not in replaced}


def _decide(
    signs: Signs, manifests: Mapping[str, ProjectManifest], environments: Environments, task: str
) -> tuple[str, str]:
    """Return what the first rule prefers; a rule that prefers none passes on those that it likes best."""
    every: tuple[Purpose, ...] = ("run", "test", "tool")
    mentions = Counter({name: _mentions(task[:LONGEST_TASK], environments[name]) for name in signs})
    best = _most(mentions)
    if len(best) == 1 and mentions[best[0]]:
        return best[0], f"the task is mainly about {best[0]}"
    needed = {name: _count(environments[name], paths, manifests, ("run",)) for name, paths in signs.items()}
    best = _most(needed)
    if len(best) == 1:
        return best[0], f"{best[0]} has the most dependencies, {needed[best[0]]}"
    needed = {name: _count(environments[name], signs[name], manifests, every) for name in best}
    best = _most(needed)
    if len(best) == 1:
        return best[0], f"{best[0]} has the most dependencies with those of its tests, {needed[best[0]]}"
    built = [name for name in best if environments[name].is_built_by([path.rpartition("/")[2] for path in signs[name]])]
    if len(built) == 1:
        return built[0], f"with as many dependencies {built[0]} has a build file"
    first = (built or best)[0]
    return first, f"with as many dependencies {first} comes first"


def _most(counted: Mapping[str, int]) -> list[str]:
    most = max(counted.values())
    return [name for name, count in counted.items() if count == most]


def _count(
    environment: Environment,
    paths: Iterable[str],
    manifests: Mapping[str, ProjectManifest],
    purposes: tuple[Purpose, ...],
) -> int:
    """Return the packages that the files ask for, each once."""
    asked = {
        (each.ecosystem, each.name)
        for path in _list_beside(paths, manifests)
        for each in manifests[path].dependencies
        if each.ecosystem in environment.ecosystems and each.purpose in purposes
    }
    return len(asked)


def _list_beside(paths: Iterable[str], manifests: Mapping[str, ProjectManifest]) -> list[str]:
    """Return all files of the folders: where conda's file is, a list for pip counts too."""
    folders = {folder_of(path) for path in paths}
    return [path for path in manifests if folder_of(path) in folders]


def _mentions(task: str, environment: Environment) -> int:
    return sum(_is_about(token, environment, starts=starts) for token, starts in _tokens(task))


def _tokens(task: str) -> Iterator[tuple[str, bool]]:
    """Words, and whether one starts a sentence of words, where a capital says nothing."""
    for match in TOKEN.finditer(task):
        before = task[max(0, match.start() - 10) : match.start()]
        starts = not before.strip() or before.rstrip().endswith(SENTENCE_END) or "\n" in before
        yield match[0].rstrip("./"), starts and task[match.end() : match.end() + 1] in ("", " ", "\n")


def _is_about(token: str, environment: Environment, *, starts: bool) -> bool:
    if token.lower() in environment.words or (token in environment.words and not starts):
        return True
    if environment.is_sign(token.rpartition("/")[2]):
        return True
    return any(token.endswith(ending) and token != ending for ending in environment.endings)


def _list_paths(paths: tuple[str, ...]) -> str:
    shown = ", ".join(paths[:5])
    return f"{shown} and {len(paths) - 5} more" if len(paths) > 5 else shown  # noqa: PLR2004 - enough to see why
