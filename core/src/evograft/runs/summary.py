"""A quick look at a run: what its log says in the first lines of its rows, without reading all of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evograft.errors import LogDamaged
from evograft.log.journal import Journal
from evograft.runs.lock_file import export_command
from evograft.runs.reader import open_log
from evograft_hookspecs import Control


@dataclass(frozen=True)
class Summary:
    """What a run has come to, as far as its log says. Its limits stand in its lock file, its writer in `writer_of`."""

    id: str
    name: str
    """At its start; its folder may have been renamed."""
    trials: int
    seeds: int
    follows: int | None
    """How many trials the run repeats that this one replays; `None`: this one replays none."""
    best_score: float | None
    best_trial: int | None
    stop: Control | None
    """What stopped it; `None` when nothing was logged, or when it was resumed after that."""
    elapsed: float
    """Wall seconds over all sessions, up to the newest trial."""
    at: float | None
    """Unix time of the newest trial."""


def summarize(folder: Path) -> Summary:
    """Return a quick summary of the run in a folder, which may be live.

    Neither the lock file nor the texts of candidates, prompts and answers are read, and the hash chain is not checked:
    some 5 µs a trial. `evograft.runs.status` reads everything and says more.

    Raises:
        LogDamaged: the log is missing, or is not a log.
        UserError: the log was written by a version of evograft that this one cannot read.
    """
    with open_log(folder) as journal:
        try:
            return _summary(journal)
        except (ValueError, KeyError, TypeError) as err:
            raise LogDamaged(
                f"the log in {folder} cannot be read: {err}; save the rest with: {export_command(folder)}"
            ) from err


def _summary(journal: Journal) -> Summary:
    log = journal.first_lines
    header, trials, stop = log.header(), tuple(log.trials()), log.last_stop()
    best = max((each for each in trials if each.score is not None), key=lambda each: each.score or 0.0, default=None)
    last = max((each.trial for each in trials), default=-1)
    return Summary(
        id=header.id,
        name=header.name,
        trials=len(trials),
        seeds=log.seeds(),
        follows=None if header.follows is None else len(header.follows),
        best_score=best.score if best else None,
        best_trial=best.trial if best else None,
        stop=stop if stop is not None and last < stop.first_trial else None,
        elapsed=max((each.elapsed for each in trials), default=0.0),
        at=trials[-1].at if trials else None,
    )
