"""The best program, where it can be copied from; nothing is ever submitted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evograft.api import open_journal, open_run
from evograft_ahc.files.user_file import write_file
from evograft_ahc.judging.program import MOST_BYTES
from evograft_ahc.records.session_history import BestScore, SessionHistory
from evograft_ahc.text.messages import ContestUserError


@dataclass(frozen=True)
class Submission:
    """A program and what it is worth."""

    source: str
    best: BestScore

    @property
    def size(self) -> int:
        return len(self.source.encode())


def load_best(session: Path) -> Submission:
    """Load the best program of a session from its log.

    Raises:
        ContestUserError: there is none, or it is longer than the site takes.
    """
    with open_journal(session) as journal:
        session_history = SessionHistory.follow(journal, open_run(session).pipeline)
    if session_history.best is None or session_history.best.candidate is None:
        raise ContestUserError(
            f"session {session.name} has no valid program yet",
            ja=f"セッション {session.name} には有効な解がまだありません",
        )
    found = Submission(session_history.best.candidate.source, session_history.results.history[-1])
    require_short(found.source, session / "best_solution.cpp")
    return found


def require_short(source: str, file: Path) -> None:
    """Require that the contest site takes a program.

    Raises:
        ContestUserError: it is too long.
    """
    size = len(source.encode())
    if size > MOST_BYTES:
        raise ContestUserError(
            f"{str(file)!r} has {size:,} bytes, and the site takes {MOST_BYTES:,}: shorten it",
            ja=f"{str(file)!r} は {size:,} バイトで、提出上限の {MOST_BYTES:,} バイトを超えています。短くしてください",
        )


def write_submission(source: str, file: Path) -> None:
    """Write a program to a file."""
    write_file(file, source.encode())
