"""A quick look at a log: the first lines of its rows, without the texts of candidates, prompts and answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evograft.errors import LogDamaged
from evograft.log.codec import decode_control, decode_header
from evograft.log.records import Header
from evograft.log.trial_codec import TrialCodec
from evograft_hookspecs import Control, Usage
from evograft_hookspecs.drivers.store import Store


@dataclass(frozen=True)
class TrialLine:
    """What the first line of a trial's row says."""

    trial: int
    score: float | None
    elapsed: float
    """Wall seconds that the run had worked when the trial was finished."""
    at: float
    """Unix time."""


class FirstLines:
    """Reads the first lines of a log's rows; the hash chain is not checked."""

    def __init__(self, store: Store, trials: TrialCodec) -> None:
        self._store = store
        self._trials = trials

    def header(self) -> Header:
        """Return what identifies the run."""
        row = next(self._store.heads("header"), None)
        if row is None:
            raise LogDamaged("the log has no header")
        return decode_header(row)

    def seeds(self) -> int:
        """Return how many seed programs the problem has; 0 before it is analyzed."""
        problem = next(self._store.heads("problem"), None)
        return len(json.loads(problem.body)["seeds"]) if problem else 0

    def last_stop(self) -> Control | None:
        """Return the newest stop in the log; `None` if settings were changed since: the run was resumed with others."""
        return find_last_stop(list(map(decode_control, self._store.heads("control"))))

    def trials(self) -> Iterator[TrialLine]:
        """Yield what became of each finished trial, in the order of the log."""
        for row in self._store.heads("trial"):
            first = json.loads(row.body)
            # Earlier versions kept the score with the rest of the trial only.
            score = first["score"] if "score" in first else self._trials.decode(self._store.get(row.seq)).trial.score
            yield TrialLine(int(row.key), score, first["elapsed"], first["at"])

    def spent(self) -> tuple[float, int, int]:
        """Return the US dollars and tokens that all calls and evaluations took, and how many calls were answered."""
        dollars, tokens, calls = 0.0, 0, 0
        for row in self._store.heads("trial"):
            dollars += json.loads(row.body)["cost"]
        for row in (*self._store.heads("answer"), *self._store.heads("charge")):
            first = json.loads(row.body.partition("\n")[0])
            calls += row.kind == "answer" and not first["refused"]
            usage = Usage.model_validate(first["usage"])
            dollars += usage.dollars or 0.0
            tokens += usage.prompt_tokens + usage.completion_tokens
        return dollars, tokens, calls


def find_last_stop(controls: Sequence[Control]) -> Control | None:
    """Return the newest stop of controls in their order; `None` if settings were changed since: the run was resumed."""
    newest = next((each for each in reversed(controls) if each.kind != "tell"), None)
    return newest if newest is not None and newest.kind == "stop" else None
