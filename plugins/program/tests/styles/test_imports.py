"""What an evaluator imports, and which of that nobody has."""

import sys

import pytest

from evograft.api import UserError
from evograft_program.styles.imports import find_imports, find_preloads, install_command, missing_modules

EVERYTHING = """
from __future__ import annotations
import os, numpy as np
from scipy.optimize import minimize
from . import sibling
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import torch
else:
    import json
if sys.version_info > (3, 11):
    import tomllib
try:
    import cupy
except ImportError:
    import array
with suppress(OSError):
    import zlib
def later():
    import pandas
if __name__ == "__main__":
    import argparse
import os
"""


def test_imports_are_those_that_happen_when_a_module_is_imported_in_their_order():
    expected = ("os", "numpy", "scipy.optimize", "typing", "json", "tomllib", "cupy", "array", "zlib")
    assert find_imports(EVERYTHING) == expected


def test_preloads_have_the_names_that_may_be_modules():
    source = "import numpy.linalg as la\nfrom scipy import signal, stats\nfrom math import *\nimport json"
    assert find_preloads(source) == ("numpy.linalg", "scipy:signal", "scipy:stats", "math", "json")


def test_a_module_is_missing_that_is_neither_near_nor_installed(tmp_path):
    (tmp_path / "near.py").write_text("import deep_down")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "inner.py").touch()
    path = tmp_path / "evaluate.py"
    path.write_text("import json, near, package, pydantic, cv2_nobody.part\nfrom openevolve.evaluation_result import X")
    assert [each.module for each in missing_modules(path)] == ["deep_down", "cv2_nobody"]


def test_what_an_evaluator_can_do_without_is_not_missing(tmp_path):
    path = tmp_path / "evaluate.py"
    path.write_text("try:\n    import nobody_has_this\nexcept ImportError:\n    pass")
    assert missing_modules(path) == ()


def test_modules_in_a_folder_above_count_where_the_evaluator_looks_there(tmp_path):
    (tmp_path / "task").mkdir()
    (tmp_path / "shared.py").write_text("import reference")
    (tmp_path / "task" / "reference.py").touch()
    path = tmp_path / "task" / "evaluate.py"
    path.write_text("from shared import evaluate")
    assert [each.module for each in missing_modules(path)] == ["shared"]
    path.write_text("import sys\nsys.path.insert(0, '..')\nfrom shared import evaluate")
    assert missing_modules(path) == ()


def test_the_python_that_evaluates_is_asked(tmp_path):
    path = tmp_path / "evaluate.py"
    path.write_text("import json, nobody_has_this")
    assert [each.module for each in missing_modules(path, python=sys.executable)] == ["nobody_has_this"]
    with pytest.raises(UserError, match="give another --python"):
        missing_modules(path, python="/bin/false")


def test_the_command_names_packages_as_the_index_does(tmp_path):
    path = tmp_path / "evaluate.py"
    path.write_text("import nobody_has_this\nimport shinka.llm")
    missing = missing_modules(path)
    assert install_command(missing, python="/venv/bin/python") == (
        "/venv/bin/python -m pip install nobody_has_this shinka-evolve"
    )
