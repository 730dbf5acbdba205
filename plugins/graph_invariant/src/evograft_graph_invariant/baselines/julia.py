"""Symbolic regression by PySR, which runs Julia: https://ai.damtp.cam.ac.uk/pysr."""

from __future__ import annotations

import importlib.util
import math
import os
import re
import shutil
import subprocess
import warnings
from typing import Any

import numpy as np

from evograft_graph_invariant.baselines.linear_models import build_matrix
from evograft_graph_invariant.baselines.parsed_formulas import (
    ChosenFormulas,
    ParsedFormula,
    choose_formulas,
    parse_formula,
)
from evograft_graph_invariant.baselines.protocol import SymbolicBudget
from evograft_graph_invariant.graphs.features import Matrix, Vector
from evograft_graph_invariant.scoring.feature_table import FeatureTable

OLDEST = (1, 10)
HOW_TO_GET_IT = (
    "pip install 'evograft-graph-invariant[pysr]', and Julia 1.10 or newer on the PATH "
    "(https://julialang.org/downloads); "
    "its first run installs Julia packages, which takes minutes"
)
VARIABLES_PER_NODE = 2
"""PySR counts a column as one node; as a call of a function it is five, an operator two."""

BEYOND_THE_BUDGET = 10**6


def find_obstacle() -> str | None:
    """Return what is missing for PySR; `None` if nothing is."""
    if importlib.util.find_spec("pysr") is None:
        return f"PySR is not installed: {HOW_TO_GET_IT}"
    version = get_julia_version()
    if version is None:
        return f"Julia is not installed: {HOW_TO_GET_IT}"
    if version < OLDEST:
        return f"Julia is {'.'.join(map(str, version))}: {HOW_TO_GET_IT}"
    return None


def get_julia_version() -> tuple[int, int] | None:
    """Of the Julia that PySR would start."""
    executable = os.environ.get("PYTHON_JULIAPKG_EXE") or shutil.which("julia")
    if executable is None:
        return None
    try:
        command = [executable, "--version"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)  # noqa: S603 - Julia
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"(\d+)\.(\d+)", done.stdout)
    return (int(found[1]), int(found[2])) if found else None


def fit_pysr(seen: FeatureTable, seed: int, budget: SymbolicBudget) -> ChosenFormulas:
    """One thread, so that equal seeds give equal formulas; of its front, the best by |ρ| are taken."""
    from pysr import PySRRegressor

    names = tuple(seen.columns)
    rows = build_matrix(seen.columns, names)
    regressor = PySRRegressor(
        binary_operators=["+", "-", "*", "/", "^"],
        unary_operators=["sqrt", "log", "exp", "abs"],
        constraints={"^": (-1, 1)},
        niterations=BEYOND_THE_BUDGET,
        max_evals=budget.evaluations,
        timeout_in_seconds=None if math.isinf(budget.cpu_seconds) else budget.cpu_seconds,
        maxsize=max(7, budget.max_nodes // VARIABLES_PER_NODE),
        deterministic=True,
        parallelism="serial",
        random_state=seed,
        progress=False,
        verbosity=0,
        temp_equation_file=True,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Names such as `n` or `m` are SymPy's own for other things.
        regressor.fit(rows, seen.target, variable_names=[f"x_{place}" for place in range(len(names))])
    formulas = [_formula(regressor, index, names) for index in range(len(regressor.equations_))]
    return choose_formulas(formulas, rows, seen.target, budget)


def _formula(regressor: Any, index: int, names: tuple[str, ...]) -> ParsedFormula:
    text = to_python(str(regressor.equations_.iloc[index]["equation"]), names)

    def values(rows: Matrix) -> Vector:
        with np.errstate(all="ignore"):
            predicted: Vector = np.asarray(regressor.predict(rows, index=index), dtype=np.float64)
        return predicted

    return parse_formula(text, values)


def to_python(equation: str, names: tuple[str, ...]) -> str:
    """Return an equation over `x_0`, `x_1` … as a formula over columns."""
    text = equation.replace("^", "**")
    text = re.sub(r"\b(sqrt|log|exp)\(", r"math.\1(", text)
    return re.sub(r"\bx_(\d+)\b", lambda found: f"{names[int(found[1])]}(G)", text)
