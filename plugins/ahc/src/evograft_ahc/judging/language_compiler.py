"""Compilers of other languages than C++, inside the sandbox as that of C++ is."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import cached_property
from pathlib import Path

from evograft.text.i18n import Catalog
from evograft_ahc.judging.compiler import NOT_FOUND, SHOWN_CHARACTERS, SHOWN_LINES
from evograft_ahc.judging.languages import PROGRAM, RUST, SourceLanguage
from evograft_ahc.judging.program import CompileFailed
from evograft_ahc.text.messages import ContestUserError
from evograft_ahc.workspace.tools.cargo import find_first_error
from evograft_hookspecs import CommandResult, SandboxCommand, SandboxLimits, SandboxSession

SessionOpener = Callable[[Mapping[str, str]], SandboxSession]


class LanguageCompiler:
    """Compiles programs of one language.

    Args:
        language: other than C++.
        compiler: in place of the language's own; `None`: that.
        open_session: opens one that shows the folders it is given, by where they are shown.
    """

    def __init__(self, language: SourceLanguage, compiler: str | None, open_session: SessionOpener) -> None:
        self.language = language
        self._open_session = open_session
        self._folder = _find_toolchain() if language == RUST and compiler is None else None
        self.compiler = str(self._folder / "bin" / language.compiler) if self._folder else compiler or language.compiler

    @cached_property
    def version(self) -> str:
        """What the compiler says of itself.

        Raises:
            ContestUserError: it is not there.
        """
        with closing(self._open()) as session:
            asked = session.run(SandboxCommand(arguments=(self.compiler, *self.language.version)))
        if asked.exit_code != 0:
            raise self._missing(asked)
        return asked.stdout.decode(errors="replace").strip()

    @property
    def identity(self) -> str:
        """A hash of what decides about the program next to its source."""
        return hashlib.sha256(repr((self.language.model_dump(), self.compiler, self.version)).encode()).hexdigest()

    @property
    def command(self) -> tuple[str, ...]:
        """What runs a program."""
        return self.language.command(self.compiler)

    def describe(self, t: Catalog) -> list[str]:
        """Return lines that say what is there."""
        return [t("language", name=self.language.name, version=self.version.partition("\n")[0])]

    def compile(self, source: str, limits: SandboxLimits) -> bytes:
        """Return what is run: a program, or the source where that is interpreted.

        Raises:
            CompileFailed: the source is at fault, or compiling it takes too much.
        """
        name = self.language.source
        with closing(self._open()) as session:
            session.write({name: source.encode()})
            done = session.run(
                SandboxCommand(
                    arguments=(self.compiler, *self.language.compile),
                    inputs={name: name},
                    outputs={} if self.language.is_interpreted else {PROGRAM: PROGRAM},
                    limits=limits,
                )
            )
            if done.limit:
                raise CompileFailed(f"the compiler passed its {done.limit} limit", limit=done.limit)
            if done.exit_code != 0:
                raise CompileFailed(_first(done) or f"{self.compiler} ended with exit status {done.exit_code}")
            return source.encode() if self.language.is_interpreted else session.read(PROGRAM)

    def _open(self) -> SandboxSession:
        outside = self._folder is not None and not self._folder.is_relative_to("/usr")
        return self._open_session({str(self._folder): str(self._folder)} if outside else {})

    def _missing(self, asked: CommandResult) -> ContestUserError:
        name, compiler = self.language.name, self.compiler
        why = "it is not there" if asked.exit_code == NOT_FOUND else _first(asked)
        return ContestUserError(
            f"programs in {name} need {compiler!r} where they are judged: {why}; install it, or name another one with "
            "--compiler, or an image that has it with --image",
            ja=f"{name} のプログラムには採点する環境に {compiler!r} が必要です ({why})。インストールするか、"
            "--compiler で別のものを、または --image でそれを含むイメージを指定してください",
        )


def _find_toolchain() -> Path | None:
    """Return the folder of the user's Rust toolchain; `None`: there is none here, and an image may have its own.

    Raises:
        ContestUserError: a `rustc` that only chooses a toolchain has none to choose.
    """
    if shutil.which("rustc") is None:
        return None
    done = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, check=False)  # noqa: S607
    if done.returncode != 0:
        why = find_first_error(done.stderr.decode(errors="replace"))
        raise ContestUserError(
            f"'rustc' does not work here, so that nothing in Rust can be compiled: {why}",
            ja=f"'rustc' が動作しないため、Rust のプログラムをコンパイルできません: {why}",
        )
    return Path(done.stdout.decode().strip())


def _first(done: CommandResult) -> str:
    """Return the first error with what belongs to it; of Python, the error that ends its traceback."""
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith(("error", "  File"))), 0)
    return "\n".join(line[:SHOWN_CHARACTERS] for line in lines[start : start + SHOWN_LINES])[:SHOWN_CHARACTERS]
