"""A contest whose cases name what a program is to do, and judges in each kind of sandbox."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from evograft.config.pipeline import DriverSection
from evograft.session.lazy_sandbox import LazySandbox
from evograft_ahc.contests.task import ContestTask, Scorer
from evograft_ahc.judging.judge import Judge
from evograft_ahc.judging.program import CompiledProgram
from evograft_ahc.judging.settings import JudgeSettings
from evograft_ahc.workspace.end_record import ContestEndRecord, save_end_record
from evograft_ahc.workspace.folder import TASK_FILE, Workspace
from evograft_hookspecs import SandboxUnavailable

IMAGE = "evograft-test:bookworm"
EACH = ("process", "bwrap", pytest.param("docker", marks=pytest.mark.docker))
FAULTY = Path(__file__).with_name("faulty.cpp").read_text()
SCORE = """#!/bin/sh
read answer < "$2"
if [ "$answer" = fine ]; then echo "Score = 7" >&2; else echo "wrong answer: it is not fine" >&2; echo "Score = 0" >&2; fi
"""
TESTER = """#!/bin/sh
read word
echo "$word" | ./candidate | head -c 100 > out
read answer < out
cat out
if [ "$answer" = fine ]; then echo "Score = 7" >&2; else echo "wrong answer: it is not fine" >&2; echo "Score = 0" >&2; fi
"""
PATTERN = r"^Score = (-?\d+)$"
QUICK = JudgeSettings(parallel=2, case_seconds=2.0, compile_seconds=30.0)


@pytest.fixture
def contest(tmp_path) -> Callable[..., Workspace]:
    """Makes a workspace whose scorer is a script and whose cases have the inputs that are given."""

    def make(*inputs: str, interactive: bool = False, scorer: str = "", seconds: float = 0.6) -> Workspace:
        folder = tmp_path / f"contest-{len(list(tmp_path.iterdir()))}"
        (folder / "tools").mkdir(parents=True)
        (folder / "inputs").mkdir()
        (folder / "tools" / "judge").write_text(scorer or (TESTER if interactive else SCORE))
        for number, text in enumerate(inputs):
            (folder / "inputs" / f"{number:04}.txt").write_text(f"{text}\n")
        called = (
            {"arguments": ("{candidate}",), "stdin": "input"} if interactive else {"arguments": ("{input}", "{output}")}
        )
        task = ContestTask(
            contest_id="own001",
            interactive=interactive,
            direction="max",
            time_limit_seconds=seconds,
            memory_limit_mb=128,
            end_source="stated",
            scorer=Scorer(program="tools/judge", channel="stderr", pattern=PATTERN, **called),
        )
        (folder / TASK_FILE).write_text(task.model_dump_json())
        workspace = Workspace(folder)
        save_end_record(workspace, ContestEndRecord(contests=("own001",), source="stated"))
        return workspace

    return make


@pytest.fixture(params=EACH)
def driver(request) -> str:
    return request.param


@pytest.fixture
def strongest() -> str:
    """The strongest sandbox that is installed, of those that need no image."""
    return "bwrap" if shutil.which("bwrap") else "process"


@pytest.fixture
def judge_of(strongest: str) -> Iterator[Callable[..., Judge]]:
    """Opens a judge; a test whose sandbox cannot be had is skipped, with the reason."""
    if shutil.which("g++") is None:
        pytest.skip("install g++")
    with ExitStack() as stack:

        def opened(workspace: Workspace, driver: str = "", settings: JudgeSettings = QUICK) -> Judge:
            sandbox = stack.enter_context(closing(LazySandbox(DriverSection(driver=driver or strongest), run="tests")))
            own = settings.model_copy(update={"image": IMAGE}) if driver == "docker" else settings
            judge = stack.enter_context(closing(Judge(workspace, sandbox, own)))
            try:
                judge.check()
            except SandboxUnavailable as err:
                pytest.skip(str(err))
            return judge

        yield opened


@pytest.fixture(scope="session")
def faulty() -> Callable[[Judge, str], CompiledProgram]:
    """The program of `faulty.cpp`, compiled once for each kind of sandbox."""
    contents: dict[str, bytes] = {}

    def compiled(judge: Judge, driver: str = "bwrap") -> CompiledProgram:
        if driver not in contents:
            contents[driver] = judge.compile(FAULTY).content
        return CompiledProgram(f"faulty in {driver}", contents[driver])

    return compiled
