"""The modules that an evaluator imports, and the packages that have to be installed for them."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from evograft.api import UserError
from evograft_program.styles.source import read_module, top_level

PACKAGES = {
    "Bio": "biopython",
    "PIL": "pillow",
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python-headless",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "faiss": "faiss-cpu",
    "serial": "pyserial",
    "shinka": "shinka-evolve",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "umap": "umap-learn",
    "yaml": "pyyaml",
}
"""Distributions by module, where the names differ."""
SHIMS = frozenset(
    {"openevolve", "openevolve.evaluation_result", "gepa", "gepa.optimize_anything", "shinka", "shinka.core"}
    | {f"shinka.core.{name}" for name in ("record", "results", "runs", "wrap_eval")}
    | {"shinka.utils"}
    | {f"shinka.utils.{name}" for name in ("distributions", "eval_stop", "wolfram")}
)
"""Modules of other engines that are provided where they are missing."""
FIND = (
    "import importlib.util, json, sys\nprint(json.dumps([n for n in sys.argv[1:] if not importlib.util.find_spec(n)]))"
)


@dataclass(frozen=True)
class MissingModule:
    """A module that is neither next to the evaluator nor installed."""

    module: str
    package: str
    """What `pip install` calls it."""


def find_imports(source: str) -> tuple[str, ...]:
    """Return the modules that are imported when a module is, in order, each once; relative imports are left out.

    Raises:
        SyntaxError: the source is not Python.
    """
    return tuple(dict.fromkeys(module for module, _ in _list_imports(ast.parse(source).body)))


def find_preloads(source: str) -> tuple[str, ...]:
    """Return what has to be imported so that importing the module finds all of it done.

    An entry is a module, or `module:name` for `from module import name`, where the name may be a module as well:
    `from scipy import signal` takes most of its time for the second.

    Raises:
        SyntaxError: the source is not Python.
    """
    pairs = dict.fromkeys(_list_imports(ast.parse(source).body))
    return tuple(f"{module}:{name}" if name else module for module, name in pairs)


def missing_modules(evaluator: Path, *, python: str = "", folders: Iterable[Path] = ()) -> tuple[MissingModule, ...]:
    """Return what an evaluator imports and nobody has.

    Args:
        evaluator: a Python file. Modules next to it are there, and what they import counts as well.
        python: the Python that evaluates; empty: this one.
        folders: where modules may be, too.
    """
    required = _required(evaluator, [*_folders_of(evaluator), *folders], set())
    names = [name for name in dict.fromkeys(required) if name not in SHIMS]
    tops = dict.fromkeys(name.partition(".")[0] for name in names)
    wanted = [name for name in tops if name not in sys.stdlib_module_names]
    return tuple(MissingModule(name, PACKAGES.get(name, name)) for name in _not_installed(wanted, python))


def install_command(missing: Iterable[MissingModule], *, python: str = "") -> str:
    """Return the command that installs what is missing."""
    packages = " ".join(sorted({each.package for each in missing}))
    return f"{python or 'python'} -m pip install {packages}"


def _list_imports(body: list[ast.stmt]) -> list[tuple[str, str]]:
    """Return pairs of a module and a name from it, which is empty where the module itself is imported."""
    found: list[tuple[str, str]] = []
    for node in top_level(body):
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [(node.module, alias.name.strip("*")) for alias in node.names]
    return [pair for pair in found if pair[0] != "__future__"]


def _folders_of(evaluator: Path) -> list[Path]:
    """Return where an evaluator's own modules are, its folder first."""
    folders = [evaluator.parent]
    if "sys.path" in ast.unparse(read_module(evaluator).tree):
        # It may look in a folder above, as tasks that share a library do.
        folders += evaluator.absolute().parent.parents[:3]
    return folders


def _required(path: Path, folders: list[Path], seen: set[Path]) -> list[str]:
    """Return the modules that a file, and its own modules in the folders, cannot do without."""
    seen.add(path)
    tree = read_module(path).tree
    found: list[str] = []
    for name, _ in _list_imports([node for node in tree.body if not _is_optional(node)]):
        local = _find_local(name.partition(".")[0], folders)
        if local is None:
            found.append(name)
        elif local.is_file() and local not in seen:
            found += _required(local, folders, seen)
    return found


def _is_optional(node: ast.stmt) -> bool:
    """Return whether a statement catches the want of a module."""
    caught = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
    return isinstance(node, ast.Try) and any(
        handler.type is None or any(name in ast.unparse(handler.type) for name in caught) for handler in node.handlers
    )


def _find_local(name: str, folders: Iterable[Path]) -> Path | None:
    for folder in folders:
        if (folder / f"{name}.py").is_file():
            return folder / f"{name}.py"
        if (folder / name).is_dir() and any((folder / name).glob("*.py")):
            return folder / name
    return None


def _not_installed(names: list[str], python: str) -> list[str]:
    if not names:
        return []
    if not python:
        return [name for name in names if importlib.util.find_spec(name) is None]
    command = [python, "-c", FIND, *names]
    try:
        done = subprocess.run(command, capture_output=True, check=True, timeout=60)  # noqa: S603 - the user's Python
        missing: list[str] = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as err:
        raise UserError(f"{python} does not answer as a Python does: {err}; give another --python") from err
    return missing
