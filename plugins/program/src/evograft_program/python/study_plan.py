"""The plan of a study: a task with a start program and no evaluator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evograft_program.options import EvaluatorStyle
from evograft_program.requests.models import build_llm_section
from evograft_program.requests.plan import PLUGIN, EvolutionPlan, with_operators
from evograft_program.requests.request import EvolveRequest, merge
from evograft_program.styles.recognition import Recognition
from evograft_program.task.layout import TaskFiles, require_path

TRIALS = 1_000_000
"""Where nothing is said: a study ends when its caller asks no more, and a pipeline has a stop."""


def plan_study(request: EvolveRequest, *, window: int) -> EvolutionPlan:
    """Return the plan of a study.

    Raises:
        UserError: the program is not there, or the models do not go together.
    """
    assert request.program is not None, "a study has a start program"
    program = require_path(request.program, "program")
    data = merge(
        {
            "name": "study",
            "window": window,
            # What a trial sees must not depend on the order in which the caller tells scores.
            "order": "trial",
            "executor": {"driver": "caller"},
            "budget": {"trials": TRIALS},
            "plugins": {PLUGIN: _describe_task(request, program), "islands": {}},
        },
        request.lay_out_settings(),
        {"plugins": {name: {} for name in request.plugins}},
    )
    if request.llm:
        data["llm"] = build_llm_section(request.llm, api_base=request.arguments.api_base or "")
    files = TaskFiles(program.parent, None, program)
    return EvolutionPlan(
        Recognition(EvaluatorStyle.STUDY),
        {program.name: program},
        frozenset(),
        with_operators(data, files),
        request.overrides,
    )


def _describe_task(request: EvolveRequest, program: Path) -> dict[str, Any]:
    return {
        "task": {
            "name": program.stem,
            "origins": {program.name: str(program)},
            **({"statement": request.statement} if request.statement else {}),
        },
        "candidate": {"program": program.name, "change": [], "suffix": program.suffix},
        "evaluator": {"path": "", "style": EvaluatorStyle.STUDY.value},
    }
