"""The programs that a search begins with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evograft_ahc.judging.languages import CPP
from evograft_ahc.judging.source_file import read_source_file
from evograft_ahc.text.messages import ContestUserError
from evograft_ahc.workspace.folder import Workspace


@dataclass(frozen=True)
class StartProgram:
    """One of them."""

    file: Path
    source: str = field(repr=False)


def find_start_programs(workspace: Workspace, named: Sequence[str], *, with_model: bool) -> tuple[StartProgram, ...]:
    """Find those that are named; else that of the workspace, which contests to practise on have.

    Args:
        workspace: of the contest.
        named: paths relative to the workspace.
        with_model: whether there is a model, which needs none to begin with.

    Raises:
        ContestUserError: one cannot be read or is not written in C++, or nobody could make a first one.
    """
    files = [workspace.folder / name for name in named]
    if not named and workspace.start_program.exists():
        files = [workspace.start_program]
    if not files and not with_model:
        raise _nothing_to_start_from(workspace)
    return tuple(map(_read, files))


def find_warnings(programs: Sequence[StartProgram]) -> Iterator[str]:
    """Return what is wrong with the marks of numbers, a line each."""
    from evograft_ahc.search.tuning.tunable import unreadable_marks

    for program in programs:
        for mistake in unreadable_marks(program.source):
            yield f"{program.file.name}: {mistake}"


def _read(file: Path) -> StartProgram:
    found = read_source_file(file)
    if found.language != CPP:
        raise ContestUserError(
            f"the start program {str(file)!r} is written in {found.language.name}, and the search changes programs in "
            f"C++ only: start from one in C++, and score this one with: evo ahc test {file.name}",
            ja=f"開始プログラム {str(file)!r} は {found.language.name} ですが、探索は C++ だけに対応しています。C++ の"
            f"プログラムから始めてください。採点はできます: evo ahc test {file.name}",
        )
    return StartProgram(file, found.source)


def _nothing_to_start_from(workspace: Workspace) -> ContestUserError:
    file = str(workspace.start_program)
    return ContestUserError(
        f"there is no start program {file!r}, and no model to write one: put any program there that solves the task",
        ja=f"開始プログラム {file!r} がなく、それを書くモデルもありません。問題を解くプログラムを置いてください",
    )
