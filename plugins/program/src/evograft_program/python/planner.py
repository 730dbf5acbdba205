"""What `evograft.evolve` and `evograft.study` ask this plugin for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from evograft.api import (
    EvaluatorSource,
    EvolveOptions,
    Pipeline,
    PreparedRun,
    ProgramSource,
    StudyOptions,
    UserError,
)
from evograft_hookspecs import Evaluation
from evograft_program.answers.decoding import decode
from evograft_program.answers.fitness import SCORE
from evograft_program.answers.reading import read_answer
from evograft_program.answers.results import COMBINED, StageFailure, to_result
from evograft_program.options import EvaluatorStyle
from evograft_program.python.keywords import read_request
from evograft_program.python.option_names import in_python, speaking_python
from evograft_program.python.source_files import place_evaluator, place_program
from evograft_program.python.study_plan import plan_study
from evograft_program.requests.plan import plan_evolution, program_options
from evograft_program.requests.variation import attach_plan
from evograft_program.worker.encoding import encode


class ProgramPlanner:
    """Plans runs from what Python hands over."""

    @contextmanager
    def plan_evolution(
        self, program: ProgramSource | None, evaluate: EvaluatorSource, options: EvolveOptions
    ) -> Iterator[PreparedRun]:
        """Return a run that evaluates by itself; its files are there within the context."""
        with TemporaryDirectory(prefix="evograft-") as written:
            evaluator = place_evaluator(evaluate, Path(written))
            start = None if program is None else place_program(program, Path(written), options.get("suffix", ".py"))
            with speaking_python():
                plan = plan_evolution(read_request(start, evaluator, options))
                pipeline = plan.compose(Path("task"))
            notes = (f"evaluator: {plan.recognition}", *plan.warnings)
            yield PreparedRun(pipeline, partial(attach_plan, plan), tuple(map(in_python, notes)))

    @contextmanager
    def plan_study(self, program: ProgramSource, options: StudyOptions) -> Iterator[PreparedRun]:
        """Return a run whose candidates the caller evaluates; its files are there within the context."""
        with TemporaryDirectory(prefix="evograft-") as written:
            start = place_program(program, Path(written), options.get("suffix", ".py"))
            with speaking_python():
                plan = plan_study(read_request(start, "", options), window=options.get("window", 1))
                pipeline = plan.compose(Path("task"))
            yield PreparedRun(pipeline, partial(attach_plan, plan))

    def read_answer(self, pipeline: Pipeline, answer: object) -> Evaluation:
        """Return what the caller's answer says about a candidate of a study.

        Raises:
            UserError: it is neither a number nor a mapping with the metric that counts.
        """
        # As evaluators' answers are: numbers of NumPy are numbers.
        value = decode(encode(answer))
        result = to_result(value)
        if isinstance(result, StageFailure):
            raise UserError(f"study.tell: {result.reason.replace('the evaluator returned', 'this is')}")
        rules = program_options(pipeline).rules
        if result.metrics.keys().isdisjoint({COMBINED, SCORE, rules.metric}):
            raise UserError(f"study.tell: these metrics have no {rules.metric or COMBINED!r}, which is the score")
        return read_answer(EvaluatorStyle.FUNCTION, value, rules)
