"""What is to be solved, as the kernel keeps it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from evograft_ahc.evaluator import Arena
from evograft_ahc.files.user_file import read_text
from evograft_ahc.judging.program import CompileFailed
from evograft_ahc.knowledge.reminders import earlier_programs, known_lessons
from evograft_ahc.options import AhcOptions
from evograft_ahc.reasoning.problem_analysis import Thoughts, heads_of, think
from evograft_ahc.reasoning.prompts.proposals import Thinking
from evograft_ahc.reasoning.statement.outline import outline_of
from evograft_ahc.reasoning.structured_answer import Asker
from evograft_ahc.scoring.reference_frame import Yardstick
from evograft_ahc.scoring.references import References, Scores
from evograft_ahc.search.start_programs import StartProgram, find_start_programs
from evograft_ahc.text.messages import Mistake
from evograft_hookspecs import Context, FrozenDict, Problem
from evograft_hookspecs.types import SINGLE_FILE

KIND = "cpp"
OBJECTIVES = {
    "absolute_sum": "sum of the scores of all cases",
    "absolute_mean": "mean score of a case",
    "relative": "mean of a billion times the score relative to the best known",
    "rank": "mean of a billion times the rank among the programs known",
}


def pose_problem(ctx: Context, options: AhcOptions, arena: Arena, thinking: Thinking) -> Problem:
    """The problem of a workspace: it is thought over, and what its scores compare with is measured."""
    workspace, task = arena.workspace, arena.workspace.task
    programs = find_start_programs(workspace, options.start, with_model=ctx.llm.available)
    start = [_scores(arena, program) for program in programs[:1]]
    earlier = _earlier_scores(arena) if options.earlier_sessions else ()
    yardstick = Yardstick(
        references=References(programs=(*start, *earlier)),
        direction=task.direction,
        case_order=ctx.rng.getrandbits(32),
    )
    statement = read_text(arena.statement)
    thoughts = _thoughts(ctx, options, arena, thinking, statement)
    turned = "" if task.direction == "max" else ", turned so that more is better"
    return Problem(
        name="ahc",
        statement=statement,
        kind=KIND,
        language="cpp",
        objective=f"{OBJECTIVES[task.score_kind]}{turned}",
        analysis={
            **yardstick.entry(),
            **thoughts.model_dump(mode="json"),
            # How a conversation tells it.
            "outline": outline_of(thoughts.statement, options.language),
            "language": options.language,
        },
        strategies=tuple(each.to_contract() for each in thoughts.strategies),
        glossary=thoughts.library,
        seeds=tuple(FrozenDict({SINGLE_FILE: program.source}) for program in programs),
    )


def _thoughts(ctx: Context, options: AhcOptions, arena: Arena, thinking: Thinking, statement: str) -> Thoughts:
    task = arena.workspace.task
    if options.problem_file and (title := title_of(statement)):
        task = task.model_copy(update={"title": title})
    thoughts = think(
        task,
        statement,
        path=recorded_path(arena.statement, arena.workspace.folder),
        asker=Asker(ctx.llm, thinking.prompts["again"], options.max_tokens, options.temperature),
        prompts=thinking.prompts,
        consulted=thinking.consulted,
        language=options.language,
    )
    thoughts = thoughts.model_copy(update={"inputs": heads_of(arena.workspace, arena.training)})
    if not options.earlier_sessions:
        return thoughts
    return thoughts.model_copy(update={"lessons": known_lessons(task.contest_id, options.language)})


def title_of(statement: str) -> str:
    """The heading that a statement begins with; empty: it has none."""
    first = next(iter(statement.lstrip().splitlines()), "")
    return first.lstrip("#").strip() if first.startswith("# ") else ""


def recorded_path(statement: Path, workspace: Path) -> str:
    """The path of a statement as records have it, such as `workspace/ahc030/problem/problem.md`.

    What stands before the folder of workspaces differs between machines on which runs are to be equal. A statement from
    elsewhere has its whole path.
    """
    root = workspace.parent.parent
    return str(statement.relative_to(root) if statement.is_relative_to(workspace) else statement)


def _earlier_scores(arena: Arena) -> Iterator[Scores]:
    """Of the best programs of earlier sessions, as far as the judge of today compiles them."""
    for program in earlier_programs(arena.workspace.folder):
        with suppress(CompileFailed):
            yield arena.scores(program, arena.training)


def _scores(arena: Arena, program: StartProgram) -> Scores:
    try:
        return arena.scores(program.source, arena.training)
    except CompileFailed as err:
        first = next(iter(err.diagnostics.splitlines()), err.limit)
        raise Mistake(
            f"the start program {str(program.file)!r} does not compile: {first}",
            ja=f"開始プログラム {str(program.file)!r} をコンパイルできません: {first}",
        ) from err
