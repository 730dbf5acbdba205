"""The contests to practise on: our own problems, in the layout of an official tools archive, built with g++ alone."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from evograft.api import did_you_mean
from evograft_ahc.text.messages import ContestUserError, Language
from evograft_ahc.text.validation_errors import suggest_in_japanese

FLAGS = ("-std=c++17", "-O2")
STATEMENTS: tuple[Language, ...] = ("en", "ja")


class PracticeFacts(BaseModel):
    """What `contest.json` says."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    title: str
    title_ja: str
    interactive: bool
    """Whether `tester` runs the program; else `score` reads its output."""
    time_limit_seconds: float
    memory_limit_mb: int
    score_direction: Literal["max", "min"]


@dataclass(frozen=True)
class PracticeContest:
    """One of them."""

    contest_id: str
    facts: PracticeFacts
    folder: Traversable

    def statement(self, language: Language) -> str:
        return (self.folder / f"statement_{language}.md").read_text(encoding="utf-8")

    def start_program(self) -> str:
        """Return a program that is correct and leaves much to improve; numbers worth tuning are marked `evo: param`."""
        return (self.folder / "start.cpp").read_text(encoding="utf-8")

    def unpack_tools(self, target: Path) -> Path:
        """Write `tools/` into a folder, as unpacking an official archive would; return its path."""
        tools = target / "tools"
        for name, content in self.tool_files().items():
            (tools / name).parent.mkdir(parents=True, exist_ok=True)
            (tools / name).write_bytes(content)
        return tools

    def tool_files(self) -> Mapping[str, bytes]:
        """Return the files of `tools/` by their paths."""
        own = _files_of(self.folder / "tools")
        return {**own, **{f"src/{name}": content for name, content in _files_of(_root() / "common").items()}}


def list_practice_ids() -> tuple[str, ...]:
    return tuple(sorted(entry.name for entry in _root().iterdir() if (entry / "contest.json").is_file()))


def is_practice(contest_id: str) -> bool:
    return contest_id in list_practice_ids()


def get_practice(contest_id: str) -> PracticeContest:
    if not is_practice(contest_id):
        raise ContestUserError(
            f"no practice contest {contest_id!r}; {did_you_mean(contest_id, list_practice_ids())}",
            ja=f"練習用コンテスト {contest_id!r} はありません; {suggest_in_japanese(contest_id, list_practice_ids())}",
        )
    folder = _root() / contest_id
    facts = PracticeFacts.model_validate_json((folder / "contest.json").read_text(encoding="utf-8"))
    return PracticeContest(contest_id, facts, folder)


def build_tools(tools: Path, *, compiler: str = "g++") -> Path:
    """Compile every program of `tools/src` into `tools/bin`; return that folder."""
    programs = tools / "bin"
    programs.mkdir(exist_ok=True)
    for source in sorted((tools / "src").glob("*.cpp")):
        _compile(compiler, source, programs / source.stem)
    return programs


def _compile(compiler: str, source: Path, target: Path) -> None:
    try:
        done = subprocess.run(  # noqa: S603 - our own sources
            [compiler, *FLAGS, "-o", target, source], capture_output=True, text=True, check=False
        )
    except OSError as err:
        raise ContestUserError(
            f"cannot start the compiler {compiler!r}: {err.strerror}; install g++ 9 or newer",
            ja=f"コンパイラ {compiler!r} を起動できません: {err.strerror}。g++ 9 以降をインストールしてください",
        ) from err
    if done.returncode != 0:
        first = next(iter(done.stderr.splitlines()), f"exit status {done.returncode}")
        raise ContestUserError(
            f"{compiler!r} cannot build {source}: {first}", ja=f"{compiler!r} で {source} をビルドできません: {first}"
        )


def _files_of(folder: Traversable) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for entry in folder.iterdir():
        if entry.is_file():
            found[entry.name] = entry.read_bytes()
        else:
            found |= {f"{entry.name}/{name}": content for name, content in _files_of(entry).items()}
    return found


def _root() -> Traversable:
    return files("evograft_ahc") / "practice"
