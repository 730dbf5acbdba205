"""`evo evolve --check`: what the evaluator is worth, before a run is made."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from evograft.api import LazySandbox, Pipeline, UserError, load_settings
from evograft.cli_kit.console import Display
from evograft_hookspecs import SandboxService
from evograft_program.evaluation.evaluator import ProgramEvaluator
from evograft_program.evaluation.requirements import check_requirements
from evograft_program.options import ProgramOptions
from evograft_program.requests.plan import EvolutionPlan, program_options
from evograft_program.trust.check_report import report_check
from evograft_program.trust.checking import EvaluatorCheck, check_evaluator


def check_plan(plan: EvolutionPlan, *, as_json: bool) -> int:
    """Check the evaluator of a plan, print what was found, and leave nothing behind; return the exit code.

    Raises:
        UserError: the task or its evaluator is at fault.
        SandboxUnavailable: there is no sandbox here.
    """
    with TemporaryDirectory(prefix="evograft-check-") as folder:
        task = Path(folder, "task")  # a temporary folder itself is nobody else's to read, the sandbox's neither
        task.mkdir()
        pipeline = plan.attach(task)
        with closing(LazySandbox(pipeline.sandbox, run=f"check-{os.getpid()}")) as sandbox:
            display = Display("quiet" if as_json else load_settings().progress)
            check = _check(pipeline, program_options(pipeline), sandbox, display)
    return report_check(check, as_json=as_json)


def _check(pipeline: Pipeline, options: ProgramOptions, sandbox: SandboxService, display: Display) -> EvaluatorCheck:
    with closing(ProgramEvaluator(options, sandbox)) as evaluator:
        report = check_requirements(options, evaluator)
    if report.status == "failed":
        raise UserError("; ".join(report.errors))
    workers = pipeline.executor.options.get("workers", 0)
    jobs = workers if isinstance(workers, int) else 0
    return check_evaluator(options, sandbox, trials=pipeline.budget.trials, jobs=jobs, say=display.say)
