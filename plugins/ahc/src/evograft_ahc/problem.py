"""What is to be solved, as the kernel keeps it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from evograft_ahc.arena import Arena
from evograft_ahc.judging.program import CompileFailed
from evograft_ahc.knowledge.reminding import earlier_programs, known_lessons
from evograft_ahc.messages import Mistake
from evograft_ahc.options import AhcOptions
from evograft_ahc.scoring.references import References, Scores
from evograft_ahc.thinking.asking import Asker
from evograft_ahc.thinking.proposals import Thinking
from evograft_ahc.thinking.thoughts import Thoughts, heads_of, think
from evograft_ahc.workspace import Workspace
from evograft_ahc.yardstick import Yardstick
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
    files = _start_files(options, workspace)
    if not files and not ctx.llm.available:
        raise _nothing_to_start_from(workspace)
    programs = [_read(file) for file in files]
    start = [_scores(arena, file, program) for file, program in zip(files[:1], programs, strict=False)]
    earlier = _earlier_scores(arena) if options.earlier_sessions else ()
    yardstick = Yardstick(
        references=References(programs=(*start, *earlier)),
        direction=task.direction,
        case_order=ctx.rng.getrandbits(32),
    )
    statement = _read(arena.statement)
    thoughts = _thoughts(ctx, options, arena, thinking, statement)
    turned = "" if task.direction == "max" else ", turned so that more is better"
    return Problem(
        name="ahc",
        statement=statement,
        kind=KIND,
        language="cpp",
        objective=f"{OBJECTIVES[task.score_kind]}{turned}",
        analysis={**yardstick.entry(), **thoughts.model_dump(mode="json")},
        seeds=tuple(FrozenDict({SINGLE_FILE: program}) for program in programs),
    )


def _start_files(options: AhcOptions, workspace: Workspace) -> list[Path]:
    """Those that are named; else that of the workspace, which is there for contests to practise on."""
    if options.start:
        return [workspace.folder / name for name in options.start]
    return [workspace.start_program] if workspace.start_program.exists() else []


def _nothing_to_start_from(workspace: Workspace) -> Mistake:
    file = str(workspace.start_program)
    return Mistake(
        f"there is no start program {file!r}, and no model to write one: put any program there that solves the task",
        ja=f"開始プログラム {file!r} がなく、それを書くモデルもありません。問題を解くプログラムを置いてください",
    )


def _thoughts(ctx: Context, options: AhcOptions, arena: Arena, thinking: Thinking, statement: str) -> Thoughts:
    task = arena.workspace.task
    thoughts = think(
        task,
        statement,
        file=arena.statement,
        asker=Asker(ctx.llm, thinking.prompts["again"], options.max_tokens, options.temperature),
        prompts=thinking.prompts,
        consulted=thinking.consulted,
        language=options.language,
    )
    thoughts = thoughts.model_copy(update={"inputs": heads_of(arena.workspace, arena.training)})
    if not options.earlier_sessions:
        return thoughts
    return thoughts.model_copy(update={"lessons": known_lessons(task.contest_id, options.language)})


def _earlier_scores(arena: Arena) -> Iterator[Scores]:
    """Of the best programs of earlier sessions, as far as the judge of today compiles them."""
    for program in earlier_programs(arena.workspace.folder):
        with suppress(CompileFailed):
            yield arena.scores(program, arena.training)


def _scores(arena: Arena, file: Path, program: str) -> Scores:
    try:
        return arena.scores(program, arena.training)
    except CompileFailed as err:
        first = next(iter(err.diagnostics.splitlines()), err.limit)
        raise Mistake(
            f"the start program {str(file)!r} does not compile: {first}",
            ja=f"開始プログラム {str(file)!r} をコンパイルできません: {first}",
        ) from err


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as err:
        why = err.strerror if isinstance(err, OSError) else f"not UTF-8 at byte {err.start}"
        raise Mistake(f"cannot read {str(file)!r}: {why}", ja=f"{str(file)!r} を読めません: {why}") from err
