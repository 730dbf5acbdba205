"""The compilers of a judge, by the language of a program."""

from __future__ import annotations

import threading

from evograft_ahc.judging.cpp_compiler import CppCompiler, WorkerLoan
from evograft_ahc.judging.language_compiler import LanguageCompiler, SessionOpener
from evograft_ahc.judging.languages import CPP, SourceLanguage
from evograft_ahc.judging.profiles import JudgeProfile

Compiler = CppCompiler | LanguageCompiler


class Compilers:
    """Those that programs have needed so far, for any number of threads.

    Args:
        profile: of C++.
        with_worker: lends sessions that show what `cpp.mounts` says.
        named: in place of another language's own; `None`: that.
        open_session: opens one that shows the folders it is given.
    """

    def __init__(
        self, profile: JudgeProfile, with_worker: WorkerLoan, named: str | None, open_session: SessionOpener
    ) -> None:
        self.cpp = CppCompiler(profile, with_worker)
        self._named = named
        self._open_session = open_session
        self._others: dict[str, LanguageCompiler] = {}
        self._finding = threading.Lock()

    def get(self, language: SourceLanguage) -> Compiler:
        """Return the compiler of a language."""
        if language == CPP:
            return self.cpp
        with self._finding:
            if language.name not in self._others:
                self._others[language.name] = LanguageCompiler(language, self._named, self._open_session)
            return self._others[language.name]
