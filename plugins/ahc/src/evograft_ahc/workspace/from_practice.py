"""The workspace of a contest to practise on, which needs `g++` and no network."""

from __future__ import annotations

from pathlib import Path

from evograft.api import write_atomically
from evograft_ahc.contests.practice import STATEMENTS, PracticeContest, build_tools, get_practice
from evograft_ahc.contests.statement.samples import write_samples
from evograft_ahc.contests.task import ContestTask, Scorer, ToolCommand
from evograft_ahc.text.messages import Language, ProgressReporter
from evograft_ahc.workspace.folder import TASK_FILE, Workspace

SCORE = r"(?m)^Score = (-?\d+)$"
GENERATOR = ToolCommand(program="tools/bin/gen", arguments=("{seeds}", "{folder}"))
VISUALIZER = ToolCommand(program="tools/bin/vis", arguments=("{input}", "{output}"))
WRONG = "(?m)^wrong answer: "


def write_practice_workspace(workspace: Workspace, language: Language, tell: ProgressReporter) -> None:
    """Write what is not there yet: statements, start program, tools, and what is known of the task."""
    contest = get_practice(workspace.folder.name)
    _write_statements(workspace, contest, language)
    _keep(workspace, "start.cpp", contest.start_program())
    if not (workspace.tools / "bin" / "vis").exists():
        tell("building the tools", ja="ツールをビルドしています")
        build_tools(contest.unpack_tools(workspace.folder))
    _keep(workspace, TASK_FILE, _task(contest).model_dump_json(indent=2) + "\n")


def is_as_packaged(workspace: Workspace) -> bool:
    """Return whether a workspace is that of the packaged contest: its statement, tools, and how they are called."""
    contest = get_practice(workspace.task.contest_id)
    packaged, own = _task(contest), workspace.task
    return (
        (own.scorer, own.generator, own.interactive) == (packaged.scorer, packaged.generator, packaged.interactive)
        and all(_content(workspace.tools / name) == content for name, content in contest.tool_files().items())
        and _content(workspace.statement) in [contest.statement(each).encode() for each in STATEMENTS]
    )


def _content(file: Path) -> bytes:
    return file.read_bytes() if file.is_file() else b""


def _write_statements(workspace: Workspace, contest: PracticeContest, language: Language) -> None:
    for each in STATEMENTS:
        _keep(workspace, f"problem/problem.{each}.md", contest.statement(each))
    _keep(workspace, "problem/problem.md", contest.statement(language))
    write_samples(contest.statement(language), workspace.statement.parent)


def _keep(workspace: Workspace, name: str, text: str) -> None:
    target = workspace.folder / name
    if not target.exists():
        write_atomically(target, text.encode())


def _task(contest: PracticeContest) -> ContestTask:
    facts = contest.facts
    return ContestTask(
        contest_id=contest.contest_id,
        title=facts.title,
        interactive=facts.interactive,
        direction=facts.score_direction,
        format="long",
        time_limit_seconds=facts.time_limit_seconds,
        memory_limit_mb=facts.memory_limit_mb,
        end_source="practice",
        scorer=_interactive_scorer() if facts.interactive else _scorer(),
        generator=GENERATOR,
        visualizer=VISUALIZER,
    )


def _scorer() -> Scorer:
    arguments = ("{input}", "{output}")
    return Scorer(program="tools/bin/score", arguments=arguments, channel="stderr", pattern=SCORE, wrong=WRONG)


def _interactive_scorer() -> Scorer:
    arguments = ("{candidate}",)
    return Scorer(
        program="tools/bin/tester", arguments=arguments, stdin="input", channel="stderr", pattern=SCORE, wrong=WRONG
    )
