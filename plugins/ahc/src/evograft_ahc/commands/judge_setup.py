"""What the commands that judge programs have in common: their options, the judge, progress on a terminal."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from evograft_ahc.commands.bilingual import AS_JSON, option
from evograft_ahc.commands.language import make_printer
from evograft_ahc.text.messages import ContestServiceError, ContestUserError

if TYPE_CHECKING:
    from evograft_ahc.judging.judge import Judge
    from evograft_ahc.judging.languages import SourceLanguage
    from evograft_ahc.judging.outcome import CaseKind, CaseOutcome
    from evograft_ahc.judging.program import CompiledProgram
    from evograft_ahc.judging.source_file import SourceFile
    from evograft_ahc.text.messages import Language, ProgressReporter
    from evograft_ahc.workspace.folder import Workspace
    from evograft_hookspecs import SandboxService

MOST_CASES = 100_000
Command = Callable[..., None]
T = TypeVar("T")


def _numbers(_: click.Context, __: click.Parameter, value: str) -> tuple[int, ...]:
    """`0-99`, `7`, `0-9,20,30-39`: numbers of cases, each once."""
    try:
        return tuple(sorted({number for part in value.split(",") for number in _range(part)}))
    except ValueError as err:
        raise ContestUserError(
            f"--seeds {value!r}: write numbers of cases as 0-99 or 0,5,7-9",
            ja=f"--seeds {value!r}: ケースの番号は 0-99 や 0,5,7-9 のように書いてください",
        ) from err


def _range(part: str) -> range:
    first, dash, last = part.partition("-")
    found = range(int(first), int(last if dash else first) + 1)
    if not found and last.isdecimal():
        raise ContestUserError(
            f"--seeds {part!r} goes backwards: write {last}-{first}",
            ja=f"--seeds {part!r} は順序が逆です。{last}-{first} と書いてください",
        )
    if not found or found[-1] >= MOST_CASES:
        raise ValueError(part)
    return found


OPTIONS = (
    option(
        *("--seeds", "numbers"),
        callback=_numbers,
        default="0-99",
        show_default=True,
        en="Which cases, by the numbers of their inputs.",
        ja="どのケースを使うか (入力の番号)。",
    ),
    option(
        "--profile",
        en="The judge's command line: 201907, 202301 or 202510.",
        ja="ジャッジ設定: 201907、202301、202510。",
    ),
    option(
        "--compiler",
        en="Another compiler than the profile's, such as g++-12; for Python pypy3, for example.",
        ja="ジャッジ設定と別のコンパイラ (g++-12 など。Python なら pypy3 など)。",
    ),
    option("--image", en="A container image with the compiler.", ja="コンパイラを含むコンテナイメージ。"),
    option(
        "--time-factor",
        type=click.FloatRange(min=0, min_open=True),
        en="Times the time limit.",
        ja="実行時間制限に掛ける倍率。",
    ),
    option(
        "--clock",
        type=click.Choice(["wall", "cpu", "auto"]),
        default="auto",
        show_default=True,
        en="What programs read as the time: wall, cpu (their processor time), or auto.",
        ja="プログラムから見える時刻: wall (実時間)、cpu (CPU 時間)、auto。",
    ),
    option(
        "--sandbox",
        default="auto",
        show_default=True,
        en="auto, docker, bwrap or process.",
        ja="auto、docker、bwrap、process のいずれか。",
    ),
    option("--fresh", is_flag=True, en="Run also what was run before.", ja="前に実行したものも実行し直します。"),
    AS_JSON,
)


def judging_options(command: Command) -> Command:
    """Add the options of commands that judge programs by hand; they arrive as those of `JudgingCommand`."""
    for each in reversed(OPTIONS):
        command = each(command)
    return command


@dataclass(frozen=True)
class JudgingCommand:
    """The judge of the workspace that one is in.

    Args:
        judge: opened.
        workspace: found.
        cases: those that were asked for, with their inputs there.
        about: lines on compiler and libraries.
        fresh: whether to run what was run before.
        sandbox: where all programs of strangers run.
        language: of messages.
    """

    judge: Judge
    workspace: Workspace
    cases: tuple[str, ...]
    about: tuple[str, ...]
    fresh: bool
    language: Language
    sandbox: SandboxService

    def compile(self, program: SourceFile) -> CompiledProgram:
        """Compile a program, or raise `ContestUserError` after all that the compiler says, by the program's name."""
        from evograft.text.escapes import escape_controls
        from evograft_ahc.judging.program import CompileFailed

        try:
            return self.judge.compile(program.source, program.language)
        except CompileFailed as err:
            failure = err.naming(program.language.source, program.file.name)
            click.echo(escape_controls(failure.diagnostics), err=True)
            cause = escape_controls(failure.cause)
            raise ContestUserError(
                f"{str(program.file)!r} does not compile: {cause}",
                ja=f"{str(program.file)!r} をコンパイルできません: {cause}",
            ) from err

    def run(self, program: CompiledProgram, name: str) -> tuple[CaseOutcome, ...]:
        """Return the outcomes of all cases, with progress on a terminal."""
        clock = self.judge.clock_choice.clock
        outcomes = self.judge.run(program, self.cases, clock=clock, fresh=self.fresh)
        return tuple(show_progress(outcomes, name, len(self.cases)))

    def print_core_share(self, outcomes: Iterable[CaseOutcome]) -> None:
        """Print a warning if programs that watch the clock had less than a core."""
        from evograft.text.i18n import Catalog
        from evograft_ahc.judging.core_share import ENOUGH, measure_core_share

        limit = self.workspace.task.time_limit_seconds
        share = measure_core_share(outcome for outcome in outcomes if outcome.runs_by_the_clock(limit))
        if share is not None and share < ENOUGH:
            t = Catalog(self.language, "evograft_ahc.judging")
            click.echo(t(f"core_share.{self.judge.clock_choice.clock}", share=f"{share:.2f}"), err=True)

    def draw(self, case: str, output: bytes) -> bytes | None:
        """Return what the contest's visualiser makes of an answer: an SVG file, or `None`."""
        from evograft_ahc.reporting.visualiser import draw_answer

        return draw_answer(self.workspace, self.sandbox, case, output, image=self.judge.place.image)

    def kind(self, kind: CaseKind) -> str:
        """Return what came of a case, in words; in English as records have it."""
        from evograft.text.i18n import Catalog

        return Catalog("ja", "evograft_ahc.scoring")(kind) if self.language == "ja" else kind

    @cached_property
    def say(self) -> ProgressReporter:
        return make_printer(self.language)


@contextlib.contextmanager
def open_judging_command(
    *files: Path, numbers: tuple[int, ...], sandbox: str, fresh: bool, **chosen: object
) -> Iterator[JudgingCommand]:
    """Open the judge of the workspace around the current folder, for the programs of some files.

    Raises:
        ContestUserError: this is no workspace, or a compiler is missing or cannot serve the profile.
        ContestServiceError: there is no sandbox here.
    """
    from evograft.api import DriverSection, LazySandbox
    from evograft_ahc.judging.judge import Judge
    from evograft_ahc.judging.languages import get_language
    from evograft_ahc.judging.settings import JudgeSettings
    from evograft_ahc.settings.model import load_settings
    from evograft_ahc.workspace.folder import find_workspace

    workspace, languages = find_workspace(Path.cwd()), tuple(dict.fromkeys(map(get_language, files)))
    if len(languages) > 1 and chosen["compiler"] is not None:
        raise ContestUserError(
            "--compiler is for one language, and these programs are written in two: leave it out",
            ja="--compiler は 1 つの言語のためのものですが、プログラムの言語が異なります。指定しないでください",
        )
    loaded = load_settings(workspace).values
    given = {name: value for name, value in chosen.items() if value is not None}
    settings = JudgeSettings(compile_seconds=float(loaded.docker.compilation_timeout), **given)
    cases = _cases_of(workspace, numbers)
    with contextlib.ExitStack() as stack:
        service = stack.enter_context(
            contextlib.closing(LazySandbox(DriverSection(driver=sandbox), run=f"ahc-judging-{os.getpid()}"))
        )
        judge = stack.enter_context(contextlib.closing(Judge(workspace, service, settings)))
        yield JudgingCommand(
            judge,
            workspace,
            cases,
            _what_is_there(judge, loaded.language, languages),
            fresh,
            loaded.language,
            service,
        )


def show_progress(items: Iterable[T], name: str, total: int) -> Iterator[T]:
    """Yield the same items; on a terminal, a bar shows how many have come."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, name, total, console=Console(stderr=True), transient=True)


def _cases_of(workspace: Workspace, numbers: tuple[int, ...]) -> tuple[str, ...]:
    from evograft_ahc.workspace.inputs import ensure_inputs, get_case_name

    there = set(ensure_inputs(workspace, max(numbers) + 1))
    wanted = tuple(map(get_case_name, numbers))
    missing = [case for case in wanted if case not in there]
    if missing:
        raise ContestUserError(
            f"there are no inputs {missing[0]} to {missing[-1]}, and no generator for more",
            ja=f"入力 {missing[0]} から {missing[-1]} までがなく、生成器もありません",
        )
    return wanted


def _what_is_there(judge: Judge, language: Language, languages: Sequence[SourceLanguage]) -> tuple[str, ...]:
    from evograft_hookspecs import SandboxUnavailable

    try:
        return judge.check(language, languages)
    except SandboxUnavailable as err:
        raise ContestServiceError(f"programs cannot be judged: {err}", ja=f"プログラムを評価できません: {err}") from err
