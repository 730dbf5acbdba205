"""Evaluators of texts, in GEPA's style: what they are given."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from evograft_program.worker.request import CHANGES, EvaluationRequest

BATCH = "batch_evaluator"
STATE = "opt_state"
EXAMPLES = ("valset", "dataset")
"""Lists that a module may hold; the first that is there decides."""


def read_candidate(request: EvaluationRequest) -> str | dict[str, str]:
    """Return the candidate's text; of several files a dict from their names, without endings, to their texts."""
    if not request.folder:
        return Path(request.program).read_text(encoding="utf-8")
    changes = Path(request.program).with_name(CHANGES)
    return {
        path.relative_to(changes).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(changes.rglob("*"))
        if path.is_file()
    }


def takes_example(function: Callable[..., Any]) -> bool:
    """Return whether an evaluator is given an example, alone or with others."""
    names = [name for name in inspect.signature(function).parameters if name != STATE]
    return function.__name__ == BATCH or len(names) > 1


def find_examples(module: ModuleType) -> list[Any] | None:
    """Return the examples that a module holds itself; `None`: it holds none."""
    found = next((getattr(module, name) for name in EXAMPLES if getattr(module, name, None) is not None), None)
    return None if found is None else list(found)


def call_evaluator(function: Callable[..., Any], candidate: str | dict[str, str], examples: list[Any] | None) -> Any:
    """Return what an evaluator says of a candidate: with examples a list, one answer for each."""
    if function.__name__ == BATCH:
        answers = list(function([(candidate, example) for example in ([None] if examples is None else examples)]))
        return answers[0] if examples is None else answers
    # An evaluation knows of no others: each has to give the same whenever it is carried out.
    state = {STATE: SimpleNamespace(best_example_evals=[])} if STATE in inspect.signature(function).parameters else {}
    if examples is None:
        return function(candidate, **state)
    return [function(candidate, example, **state) for example in examples]
