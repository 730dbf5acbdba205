"""The Python of evaluations: the one that runs this, or another of this machine, which sessions are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evograft.api import UserError
from evograft_hookspecs import SandboxCommand, SandboxService, SandboxSession, SandboxUnavailable
from evograft_sandbox.bwrap_arguments import PROGRAMS
from evograft_sandbox.commands.interpreter import Interpreter, find_interpreter, find_interpreter_mounts

OLDEST = (3, 9)


@dataclass(frozen=True)
class EvaluationPython:
    """What evaluations run on.

    Args:
        given: a path or a name of another one; empty: the one that runs this.
    """

    given: str = ""

    def require(self) -> Interpreter:
        """Return the interpreter.

        Raises:
            UserError: it does not work, or is too old.
        """
        if not self.given:
            return Interpreter.running()
        try:
            found = find_interpreter(self.given)
        except SandboxUnavailable as err:
            raise UserError(f"{err}; give another --python") from err
        if found.version < OLDEST:
            version, oldest = (".".join(map(str, each)) for each in (found.version, OLDEST))
            raise UserError(f"python {self.given!r} is Python {version}, and evaluations need {oldest}: give another")
        return found

    def open(self, sandbox: SandboxService, mounts: Mapping[str, str], *, network: bool) -> tuple[SandboxSession, str]:
        """Open a session, and return it with the program that is Python there.

        Raises:
            UserError: the interpreter does not work, or is too old.
            SandboxUnavailable: it does not work in the sandbox.
        """
        if not self.given:
            session = sandbox.open(mounts=mounts, python=True, network=network)
            return session, session.python
        found = self.require()
        own = find_interpreter_mounts(found, (*PROGRAMS, *mounts))
        session = sandbox.open(mounts={**mounts, **own}, network=network)
        _require_start(session, found.program)
        return session, found.program


def _require_start(session: SandboxSession, program: str) -> None:
    """Refuse an interpreter that cannot start there: no candidate is to be blamed for it."""
    tried = session.run(SandboxCommand(arguments=(program, "-I", "-c", "")))
    if tried.exit_code == 0:
        return
    session.close()
    said = tried.stderr.decode(errors="replace").strip().splitlines()
    raise SandboxUnavailable(
        f"python {program!r} does not start in the sandbox ({said[-1] if said else f'exit code {tried.exit_code}'}): "
        "its folders have to be readable for all users, and an image has to have the libraries that it needs"
    )
