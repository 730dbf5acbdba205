"""An evaluator that reports what its process computes with; imported by name in processes that tests start."""

import uuid
from pathlib import Path

from evograft.cpu_dispatch import dispatch
from evograft_hookspecs import EvalTask, Evaluation, Evaluator


def report_dispatch(task: EvalTask) -> Evaluation:
    return Evaluation(status="ok", score=0.0, reason=dispatch())


def build() -> Evaluator:
    return report_dispatch


def build_and_note(folder: str) -> Evaluator:
    """Leave a file in a folder each time that the plugins are built."""
    (Path(folder) / uuid.uuid4().hex).touch()
    return report_dispatch
