"""The log of a run in the kernel's words: trials, controls, the problem, the judgement, each as rows of the store."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass

from evograft.errors import LogDamaged
from evograft_hookspecs import Control, Evaluation, Problem, Trial
from evograft_hookspecs.ports import NewRow, Row, RowKind, Store

INLINE = 4096
"""Longer texts of candidates are kept as artifacts, so that equal ones are stored once and rows stay small."""


@dataclass(frozen=True)
class Header:
    """What identifies a run."""

    id: str
    name: str
    seed: int
    contract: int

    def to_row(self) -> NewRow:
        """The first row of every log."""
        return NewRow(kind="header", key=self.id, body=json.dumps(vars(self)))


@dataclass(frozen=True)
class Finished:
    """A trial as the log holds it: what is compared, and beside it what differs from machine to machine."""

    trial: Trial
    seconds: float
    """CPU seconds of the evaluation, as far as known."""
    cost: float
    """US dollars."""
    elapsed: float
    """Wall seconds that the run had worked, over all its sessions, when the trial was finished."""
    at: float
    """Unix time."""


@dataclass(frozen=True)
class Judged:
    """The judgement of the best candidate after a stop."""

    trial: int
    commits: int
    """How many trials were committed then."""
    evaluation: Evaluation


Record = Header | Problem | Finished | Control | Judged


class Journal:
    """Reads and writes records; remembers in which row each trial lies, and nothing else."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._place: dict[int, int] = {}

    def write_problem(self, problem: Problem) -> None:
        self._append("problem", problem.name, problem.model_dump_json())

    def write_control(self, control: Control) -> None:
        self._append("control", str(control.commits), control.model_dump_json())

    def write_judgement(self, judged: Judged) -> None:
        body = {"commits": judged.commits, "evaluation": judged.evaluation.model_dump_json()}
        self._append("final", str(judged.trial), json.dumps(body))

    def write_trial(self, trial: Trial, *, elapsed: float) -> Finished:
        """Logs a finished trial at once, whatever its turn to be committed: `kill -9` does not lose it."""
        spent = trial.evaluation
        finished = Finished(
            trial=trial.model_copy(update={"evaluation": spent.without_spending()}),
            seconds=spent.seconds,
            cost=spent.cost,
            elapsed=elapsed,
            at=time.time(),
        )
        self._place[trial.number] = self._append("trial", str(trial.number), self._encode(finished))
        return finished

    def trial(self, number: int) -> Trial:
        """A finished trial, read back from the log."""
        return self._decode(self._store.get(self._place[number])).trial

    def finished_trials(self) -> frozenset[int]:
        """The numbers of all trials that the log holds."""
        return frozenset(map(int, self._store.keys("trial")))

    def records(self, *, after: int = -1) -> Iterator[Record]:
        """Everything that was written, in the order it was written."""
        for row in self._store.rows(after=after):
            yield self._record(row)

    def asides(self) -> Iterator[Control | Judged]:
        """What is no trial and has its place among the commits, in the order it happened."""
        for row in self._store.rows():
            if row.kind in ("control", "final"):
                record = self._record(row)
                assert isinstance(record, (Control, Judged)), "the kind says so"
                yield record

    def _record(self, row: Row) -> Record:
        try:
            if row.kind == "trial":
                finished = self._decode(row)
                self._place[finished.trial.number] = row.seq
                return finished
            if row.kind == "header":
                return Header(**json.loads(row.body))
            if row.kind == "problem":
                return Problem.model_validate_json(row.body)
            if row.kind == "control":
                return Control.model_validate_json(row.body)
            return _judged(row)
        except LogDamaged as err:
            raise LogDamaged(str(err), seq=row.seq) from err
        except (ValueError, KeyError, TypeError) as err:
            raise LogDamaged(f"row {row.seq} ({row.kind}) of the log cannot be read: {err}", seq=row.seq) from err

    def _append(self, kind: RowKind, key: str, body: str) -> int:
        return self._store.append((NewRow.model_construct(kind=kind, key=key, body=body),))

    def _encode(self, finished: Finished) -> str:
        trial, artifacts = finished.trial, {}
        if trial.candidate is not None:
            long = {path: text for path, text in trial.candidate.files.items() if len(text) > INLINE}
            artifacts = {path: self._store.put_artifact(text) for path, text in long.items()}
        aside = {
            "artifacts": artifacts,
            "seconds": finished.seconds,
            "cost": finished.cost,
            "elapsed": round(finished.elapsed, 3),
            "at": round(finished.at, 3),
        }
        if artifacts:
            trial = _with_files(trial, dict.fromkeys(artifacts, ""))
        return f"{json.dumps(aside)}\n{trial.model_dump_json(exclude_defaults=True)}"

    def _decode(self, row: Row) -> Finished:
        first, _, rest = row.body.partition("\n")
        aside, trial = json.loads(first), Trial.model_validate_json(rest)
        if aside["artifacts"]:
            texts = {path: self._store.get_artifact(digest) for path, digest in aside["artifacts"].items()}
            trial = _with_files(trial, texts)
        return Finished(trial, aside["seconds"], aside["cost"], aside["elapsed"], aside["at"])


def _judged(row: Row) -> Judged:
    body = json.loads(row.body)
    return Judged(int(row.key), body["commits"], Evaluation.model_validate_json(body["evaluation"]))


def _with_files(trial: Trial, texts: dict[str, str]) -> Trial:
    if trial.candidate is None:
        raise ValueError(f"trial {trial.number} has artifacts but no candidate")
    files = type(trial.candidate.files)({**trial.candidate.files, **texts})
    return trial.model_copy(update={"candidate": trial.candidate.model_copy(update={"files": files})})
