"""The folder of one contest: where everything lies, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evograft_ahc.contests.task import ContestTask, ToolCommand, read_task
from evograft_ahc.files.user_file import read_bytes
from evograft_ahc.text.messages import ContestUserError

TASK_FILE = "task.json"


@dataclass(frozen=True)
class Workspace:
    """All files of one contest.

    Args:
        folder: its root, absolute.
    """

    folder: Path

    @cached_property
    def task(self) -> ContestTask:
        return read_task(self.folder / TASK_FILE)

    @property
    def statement(self) -> Path:
        return self.folder / "problem" / "problem.md"

    @property
    def tools(self) -> Path:
        return self.folder / "tools"

    @property
    def inputs(self) -> Path:
        return self.folder / "inputs"

    @property
    def start_program(self) -> Path:
        """The program that a search begins with."""
        return self.folder / "start.cpp"

    @property
    def config(self) -> Path:
        return self.folder / "ahc_config.yaml"

    @property
    def results(self) -> Path:
        return self.folder / "results.csv"

    def program(self, tool: ToolCommand) -> Path:
        """Return the path of a program of the contest, which need not exist.

        Raises:
            ContestUserError: its path, or a link on the way, leads out of the workspace.
        """
        path = self.folder / tool.program
        if path.resolve().is_relative_to(self.folder.resolve()):
            return path
        raise ContestUserError(
            f"{TASK_FILE} of {str(self.folder)!r} names a program outside of the workspace, {tool.program!r}: put "
            "it below "
            "tools/ and name it there",
            ja=f"{str(self.folder)!r} の {TASK_FILE} が作業フォルダーの外のプログラム {tool.program!r} "
            "を指しています。tools/ の下に置いて指定してください",
        )

    def input(self, case: str) -> Path:
        """Return the input of a case; cases are named `0000`, `0001` and so on."""
        return self.inputs / f"{case}.txt"

    def read_input(self, case: str) -> bytes:
        """Return the content of an input.

        Raises:
            ContestUserError: it is not there.
        """
        return read_bytes(self.input(case))

    def cases(self) -> tuple[str, ...]:
        """Return the cases whose inputs are there."""
        return tuple(sorted(path.stem for path in self.inputs.glob("*.txt")))


def find_workspace(start: Path) -> Workspace:
    """Return the workspace that a folder is, or lies in."""
    for folder in (start.absolute(), *start.absolute().parents):
        if (folder / TASK_FILE).is_file():
            return Workspace(folder)
    raise ContestUserError(
        f"{str(start)!r} is in no workspace; make one with: evo ahc init CONTEST_ID",
        ja=f"{str(start)!r} はワークスペースの中にありません。作るには: evo ahc init コンテストID",
    )
