"""The open problems of the benchmark: their start programs, and answers that two of them refuse."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

OPEN = Path(__file__).parent.parent / "benchmarks" / "open"
TASKS = sorted(path.parent.name for path in OPEN.glob("*/evaluate.py"))
Evaluate = Callable[[str], dict[str, float]]
BY_CHANCE = """
import random

def order_transactions(transactions):
    return random.sample(range(len(transactions)), len(transactions))
"""
WITH_MEMORY = """
calls = []

def order_transactions(transactions):
    calls.append(0)
    return sorted(range(len(transactions)), reverse=len(calls) > 1)
"""


def load_evaluator(task: str) -> Evaluate:
    spec = importlib.util.spec_from_file_location(f"evaluate_{task}", OPEN / task / "evaluate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    evaluate: Evaluate = module.evaluate
    return evaluate


@pytest.mark.parametrize("task", TASKS)
def test_the_start_program_of_an_open_problem_is_valid_and_below_the_best_known(task: str) -> None:
    pytest.importorskip("scipy")
    score = load_evaluator(task)(str(OPEN / task / "program.py"))["combined_score"]
    assert 0 < score < 1


def test_the_start_program_of_prism_has_the_score_that_the_original_evaluator_gives_it() -> None:
    adrs = load_evaluator("prism")(str(OPEN / "prism" / "program.py"))["adrs"]
    assert adrs == pytest.approx(21.891622105209393, abs=1e-12)


@pytest.mark.parametrize(
    ("task", "source", "reason"),
    [
        ("prism", "def place_models(processors, models):\n    return [processors + 90] * len(models)", "not one of"),
        ("prism", "def place_models(processors, models):\n    return [0] * len(models)", "80"),
        ("prism", "def place_models(processors, models):\n    return [0.0] * len(models)", "integers"),
        ("prism", "def place_models(processors, models):\n    return [0]", "shape"),
        ("transactions", "def order_transactions(transactions):\n    return [0] * len(transactions)", "once"),
        ("transactions", "def order_transactions(transactions):\n    return range(len(transactions) + 1)", "once"),
        ("transactions", BY_CHANCE, "chance"),
        ("transactions", WITH_MEMORY, "earlier calls"),
    ],
)
def test_an_open_problem_refuses_an_answer_that_breaks_its_rules(
    tmp_path: Path, task: str, source: str, reason: str
) -> None:
    path = tmp_path / "program.py"
    path.write_text(source)
    with pytest.raises(ValueError, match=reason):
        load_evaluator(task)(str(path))
