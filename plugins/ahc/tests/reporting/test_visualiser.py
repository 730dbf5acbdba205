"""A contest's visualiser, run in a sandbox on what a program has printed."""

from contextlib import closing

import pytest

from evograft.config.pipeline import DriverSection
from evograft.session.lazy_sandbox import LazySandbox
from evograft_ahc.contests.task import ContestTask, Scorer, ToolCommand
from evograft_ahc.reporting.visualiser import draw_answer
from evograft_ahc.workspace.folder import TASK_FILE, Workspace
from evograft_hookspecs import SandboxUnavailable

SCORER = Scorer(program="tools/score", channel="stderr", pattern="(.*)")


@pytest.fixture
def sandbox():
    with closing(LazySandbox(DriverSection(driver="auto"), run="pictures")) as sandbox:
        try:
            sandbox.layers()
        except SandboxUnavailable as err:
            pytest.skip(str(err))
        yield sandbox


@pytest.fixture
def contest(tmp_path):
    """`contest(script, ...)`: a workspace with one case, whose visualiser is a shell script."""
    workspace = Workspace(tmp_path)

    def make(script, **called):
        for folder in (workspace.tools, workspace.inputs):
            folder.mkdir(exist_ok=True)
        workspace.input("0000").write_text("a case\n")
        tool = None
        if script is not None:
            (workspace.tools / "vis").write_text(f"#!/bin/sh\n{script}\n")
            tool = ToolCommand(program="tools/vis", **called)
        task = ContestTask(
            contest_id="x",
            interactive=False,
            direction="max",
            time_limit_seconds=2.0,
            memory_limit_mb=64,
            end_source="practice",
            scorer=SCORER,
            visualizer=tool,
        )
        (tmp_path / TASK_FILE).write_text(task.model_dump_json())
        return workspace

    return make


@pytest.mark.parametrize(
    ("script", "called"),
    [
        ('echo "<html><svg>$(cat "$1" "$2")</svg></html>" > vis.html', {"arguments": ("{input}", "{output}")}),
        ('echo "<svg>$(cat; cat "$1")</svg>" > out.svg', {"arguments": ("{output}",), "stdin": "input"}),
        ('echo "<svg>$(cat "$1" "$2")</svg>"', {"arguments": ("{input}", "{output}")}),
    ],
    ids=["a page", "a file", "what it prints"],
)
def test_drawings_are_found_where_visualisers_leave_them(contest, sandbox, script, called):
    drawing = draw_answer(contest(script, **called), sandbox, "0000", b"an answer")
    assert b"a case\nan answer</svg>" in drawing


@pytest.mark.parametrize(
    "script", [None, "exit 1", "kill -9 $$", "echo Score = 5", "head -c 100 /dev/urandom > vis.html"]
)
def test_without_a_drawing_there_is_none(contest, sandbox, script):
    assert draw_answer(contest(script), sandbox, "0000", b"an answer") is None


def test_a_visualiser_that_was_not_built_draws_nothing(contest, sandbox):
    workspace = contest("true")
    (workspace.tools / "vis").unlink()
    assert draw_answer(workspace, sandbox, "0000", b"an answer") is None
