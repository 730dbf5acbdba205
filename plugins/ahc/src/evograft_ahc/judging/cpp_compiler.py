"""The compiler of C++ in the sessions of a judge, found once, with headers compiled beforehand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Protocol, TypeVar

from evograft.text.i18n import Catalog
from evograft_ahc.judging.compiler import FoundCompiler, compile_program, find_compiler
from evograft_ahc.judging.languages import CPP
from evograft_ahc.judging.precompiled_headers import ensure_headers, header_folder, uses_headers
from evograft_ahc.judging.profiles import JudgeProfile
from evograft_hookspecs import SandboxLimits
from evograft_sandbox.commands.session_pool import PooledSession

T = TypeVar("T")


class WorkerLoan(Protocol):
    """Does a job in a session."""

    def __call__(self, job: Callable[[PooledSession], T]) -> T: ...


class CppCompiler:
    """Compiles programs in C++ as a profile says; may be called from any thread.

    Args:
        profile: the compiler and its flags.
        with_worker: lends sessions that show what `mounts` says.
    """

    command = CPP.command(CPP.compiler)
    """What runs a program."""

    def __init__(self, profile: JudgeProfile, with_worker: WorkerLoan) -> None:
        self._profile = profile
        self._with_worker = with_worker
        self._finding = threading.RLock()

    @property
    def mounts(self) -> Mapping[str, str]:
        """What sessions have to show it."""
        return {str(header_folder()): str(header_folder())}

    @property
    def found(self) -> FoundCompiler:
        """What there is of the profile.

        Raises:
            ContestUserError: the compiler is missing, or cannot serve the profile.
        """
        with self._finding:
            return self._found

    @property
    def identity(self) -> str:
        """A hash of what decides about the program next to its source."""
        return self.found.identity

    def describe(self, t: Catalog) -> list[str]:
        """Return lines that say what is there."""
        found, profile = self.found, self._profile
        lines = [t("profile", name=profile.name, compiler=profile.compiler, version=found.version)]
        return [*lines, t("missing_libraries", flags=" ".join(found.missing))] if found.missing else lines

    def compile(self, source: str, limits: SandboxLimits) -> bytes:
        """Return a program.

        Raises:
            CompileFailed: the source is at fault, or compiling it takes too much.
        """
        found, headers = self.found, self._headers_for(source)
        return self._with_worker(
            partial(compile_program, profile=self._profile, found=found, source=source, limits=limits, headers=headers)
        )

    @cached_property
    def _found(self) -> FoundCompiler:
        return self._with_worker(partial(find_compiler, profile=self._profile))

    def _headers_for(self, source: str) -> Path | None:
        if not uses_headers(source):
            return None
        with self._finding:
            return self._headers

    @cached_property
    def _headers(self) -> Path | None:
        return self._with_worker(partial(ensure_headers, profile=self._profile, identity=self.found.identity))
