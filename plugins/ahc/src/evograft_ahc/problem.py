"""What is to be solved, as the kernel keeps it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from evograft_ahc.contests.statement.for_models import shorten_statement
from evograft_ahc.contests.statement.sections import mark_headings
from evograft_ahc.evaluator import ContestEvaluator
from evograft_ahc.files.user_file import read_text
from evograft_ahc.judging.program import CompileFailed
from evograft_ahc.knowledge.reminders import find_known_lessons, load_earlier_programs
from evograft_ahc.options import AhcOptions
from evograft_ahc.reasoning.problem_analysis import ProblemAnalysis, analyze_problem, read_input_heads
from evograft_ahc.reasoning.prompts.proposals import ReasoningSetup
from evograft_ahc.reasoning.statement.outline import build_outline
from evograft_ahc.reasoning.structured_answer import StructuredQuery
from evograft_ahc.scoring.reference_frame import ReferenceFrame
from evograft_ahc.scoring.references import References, Scores
from evograft_ahc.search.start_programs import StartProgram, find_start_programs
from evograft_ahc.text.messages import ContestUserError
from evograft_hookspecs import Context, FrozenDict, Problem
from evograft_hookspecs.types import SINGLE_FILE

KEPT_ANSWERS = ".cache/answers"
"""Where a workspace keeps what models have said of its statement."""
KIND = "cpp"
OBJECTIVES = {
    "absolute_sum": "sum of the scores of all cases",
    "absolute_mean": "mean score of a case",
    "relative": "mean of a billion times the score relative to the best known before the run, which itself counts 1e9",
    "rank": "mean of a billion times the rank among the programs known",
}


def pose_problem(ctx: Context, options: AhcOptions, evaluator: ContestEvaluator, setup: ReasoningSetup) -> Problem:
    """Return the problem of a workspace: it is analyzed, and what its scores compare with is measured."""
    workspace, task = evaluator.workspace, evaluator.workspace.task
    programs = find_start_programs(workspace, options.start, with_model=ctx.llm.available)
    start = [_scores(evaluator, program) for program in programs[:1]]
    earlier = tuple(_earlier_programs(evaluator)) if options.earlier_sessions else ()
    reference_frame = ReferenceFrame(
        references=References(programs=(*start, *(scores for _, scores in earlier))),
        direction=task.direction,
        case_order=ctx.rng.getrandbits(32),
        clock=evaluator.clock,
    )
    statement = mark_headings(read_text(evaluator.statement))
    tells_cases = options.feedback == "cases"
    if tells_cases:
        programs = (*programs, *_find_best(earlier, evaluator, programs))
    shown = shorten_statement(statement) if tells_cases else statement
    problem_analysis = _analyze(ctx, options, evaluator, setup, shown)
    if tells_cases and programs and ctx.llm.available:
        problem_analysis = problem_analysis.model_copy(
            update={"noise": evaluator.measure_noise(programs[0].source, evaluator.clock)}
        )
    turned = "" if task.direction == "max" else ", turned so that more is better"
    return Problem(
        name="ahc",
        statement=shown,
        kind=KIND,
        language="cpp",
        objective=f"{OBJECTIVES[task.score_kind]}{turned}",
        analysis={**reference_frame.entry(), **problem_analysis.model_dump(mode="json")},
        outline=build_outline(problem_analysis.statement, options.language),
        spoken_language=options.language,
        strategies=tuple(each.to_contract() for each in problem_analysis.strategies),
        glossary=problem_analysis.library,
        seeds=tuple(FrozenDict({SINGLE_FILE: program.source}) for program in programs),
    )


def _analyze(
    ctx: Context, options: AhcOptions, evaluator: ContestEvaluator, setup: ReasoningSetup, statement: str
) -> ProblemAnalysis:
    task = evaluator.workspace.task
    if options.problem_file and (title := title_of(statement)):
        task = task.model_copy(update={"title": title})
    problem_analysis = analyze_problem(
        task,
        statement,
        path=get_recorded_path(evaluator.statement, evaluator.workspace.folder),
        query=StructuredQuery(
            ctx.llm,
            setup.prompts["again"],
            options.max_tokens,
            options.temperature,
            kept=evaluator.workspace.folder / KEPT_ANSWERS if options.kept_answers else None,
        ),
        prompts=setup.prompts,
        knowledge=setup.knowledge,
        language=options.language,
    )
    problem_analysis = problem_analysis.model_copy(
        update={"inputs": read_input_heads(evaluator.workspace, evaluator.training)}
    )
    if not options.earlier_sessions:
        return problem_analysis
    return problem_analysis.model_copy(update={"lessons": find_known_lessons(task.contest_id, options.language)})


def title_of(statement: str) -> str:
    """Return the heading that a statement begins with; empty: it has none."""
    first = next(iter(statement.lstrip().splitlines()), "")
    return first.lstrip("#").strip() if first.startswith("# ") else ""


def get_recorded_path(statement: Path, workspace: Path) -> str:
    """Return the path of a statement as records have it, such as `workspace/ahc030/problem/problem.md`.

    What stands before the folder of workspaces differs between machines on which runs are to be equal. A statement from
    elsewhere has its whole path.
    """
    root = workspace.parent.parent
    return str(statement.relative_to(root) if statement.is_relative_to(workspace) else statement)


def _earlier_programs(evaluator: ContestEvaluator) -> Iterator[tuple[StartProgram, Scores]]:
    """Yield the best programs of earlier sessions with their scores, as far as the judge of today compiles them."""
    for file, source in load_earlier_programs(evaluator.workspace.folder).items():
        with suppress(CompileFailed):
            yield StartProgram(file, source), evaluator.scores(source, evaluator.training, evaluator.clock)


def _find_best(
    earlier: Sequence[tuple[StartProgram, Scores]], evaluator: ContestEvaluator, known: Sequence[StartProgram]
) -> tuple[StartProgram, ...]:
    """Return the best of earlier programs, to begin with; none where no program solves all cases, or it is known."""
    sign, cases = evaluator.workspace.task.sign, len(evaluator.training)
    solved = [(sign * sum(scores.values()), program) for program, scores in earlier if len(scores) == cases]
    best = max(solved, key=lambda each: each[0])[1] if solved else None
    return (best,) if best and best.source not in {program.source for program in known} else ()


def _scores(evaluator: ContestEvaluator, program: StartProgram) -> Scores:
    try:
        return evaluator.scores(program.source, evaluator.training, evaluator.clock)
    except CompileFailed as err:
        raise ContestUserError(
            f"the start program {str(program.file)!r} does not compile: {err.cause}",
            ja=f"開始プログラム {str(program.file)!r} をコンパイルできません: {err.cause}",
        ) from err
