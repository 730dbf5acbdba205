"""Evaluators of tests, in real sandboxes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from evograft.api import DriverSection, LazySandbox
from evograft_hookspecs import SandboxService
from evograft_program.evaluation.evaluator import ProgramEvaluator
from evograft_program.options import ProgramOptions


@pytest.fixture(scope="session")
def sandbox() -> Iterator[SandboxService]:
    with closing(LazySandbox(DriverSection(driver="auto"), run="trust")) as opened:
        yield opened


@pytest.fixture
def make_options(tmp_path: Path) -> Callable[..., ProgramOptions]:
    """Return a function that writes a task and returns its options."""

    def make(evaluator: str, program: str = "def answer():\n    return 3.0\n", **options: object) -> ProgramOptions:
        folder = tmp_path / "task"
        folder.mkdir(exist_ok=True)
        (folder / "evaluate.py").write_text(evaluator)
        (folder / "program.py").write_text(program)
        fixed = {"path": "evaluate.py", "style": "openevolve"}
        return ProgramOptions.model_validate(
            {"task": {"folder": str(folder)}, "candidate": {"program": "program.py"}, "evaluator": fixed, **options}
        )

    return make


@pytest.fixture
def open_evaluator(sandbox: SandboxService) -> Iterator[Callable[[ProgramOptions], ProgramEvaluator]]:
    """Return a function that opens an evaluator, which is closed at the end."""
    with ExitStack() as stack:

        def open_it(options: ProgramOptions) -> ProgramEvaluator:
            evaluator = ProgramEvaluator(options, sandbox)
            stack.callback(evaluator.close)
            return evaluator

        yield open_it
