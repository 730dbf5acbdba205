"""The log of a run in the kernel's words: trials, answers of models, controls and more, each as rows of the store."""

from __future__ import annotations

import json
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Literal

from evograft.errors import LogDamaged
from evograft.log.attribution import Attribution
from evograft.log.contract_1 import upgrade_control, upgrade_trial
from evograft.text.masking import Keys
from evograft_hookspecs import (
    Candidate,
    Control,
    Evaluation,
    LlmAnswer,
    LlmRefused,
    LlmRequest,
    Problem,
    ToolCall,
    ToolResult,
    Trial,
    Usage,
)
from evograft_hookspecs.drivers.store import NewRow, Row, RowKind, Store

INLINE = 4096
"""Longer texts of candidates are kept as artifacts, so that equal ones are stored once and rows stay small."""


@dataclass(frozen=True)
class ReplayedTrial:
    """A trial of a run that is repeated, and what of it no answer of a model says."""

    number: int
    model: str
    """The model that was drawn."""
    repairs: int
    """How often its candidate was repaired."""


@dataclass(frozen=True)
class Header:
    """What identifies a run."""

    id: str
    name: str
    seed: int
    contract: int
    follows: tuple[ReplayedTrial, ...] | None = None
    """The trials of the run that this one repeats, in the order of their commits; no others are carried out."""
    at: float | None = None
    """Unix time at which the run was made; `None` in logs of versions that did not keep it."""

    def to_row(self) -> NewRow:
        """The first row of every log."""
        return NewRow(kind="header", key=self.id, body=json.dumps(asdict(self)))

    @classmethod
    def from_row(cls, row: Row) -> Header:
        data = json.loads(row.body)
        follows = data.pop("follows", None)
        return cls(**data, follows=None if follows is None else tuple(ReplayedTrial(**each) for each in follows))


@dataclass(frozen=True)
class Prints:
    """What near duplicates of a candidate share. Both empty: only exact ones are to be known."""

    sketch: str = ""
    """Shared by few others; empty: by all, as in logs of earlier versions."""
    fingerprint: str = ""
    """Shared by no others; empty: no earlier trial has the sketch."""


NO_PRINTS = Prints()


@dataclass(frozen=True)
class Finished:
    """A trial as the log holds it: what is compared, and beside it what differs from machine to machine."""

    trial: Trial
    prints: Prints
    seconds: float
    """CPU seconds of the evaluation, as far as known."""
    cost: float
    """US dollars."""
    elapsed: float
    """Wall seconds that the run had worked, over all its sessions, when the trial was finished."""
    at: float
    """Unix time."""
    durations: Mapping[str, float] = field(default_factory=dict)
    """Wall seconds of the parts of the evaluation that were measured."""


@dataclass(frozen=True)
class Outcome:
    """What the first line of a trial's row says."""

    trial: int
    score: float | None
    elapsed: float
    """Wall seconds that the run had worked when the trial was finished."""
    at: float
    """Unix time."""


@dataclass(frozen=True)
class CompletedCall:
    """A call of a model that came to an end: who asked, and what it cost. The texts stay in the log."""

    key: str
    trial: int | None
    hook: str
    plugin: str
    model: str
    usage: Usage
    seconds: float
    """Wall time, retries included."""
    requests: int
    """How often the provider was asked."""
    at: float
    """Unix time."""
    refused: str = ""
    """Why there is no answer."""
    beyond: int = 0
    """Tokens that the provider billed past the most that the request allows."""
    charged: Usage = field(default_factory=Usage)
    """What its requests that got no answer have cost. Each is a record of its own, so no sum counts this again."""

    @property
    def has_answer(self) -> bool:
        return not self.refused


@dataclass(frozen=True)
class FailedCharge:
    """A request that got no answer and cost something all the same: one of a call that was made again, or given up."""

    key: str
    """Of the call."""
    trial: int | None
    hook: str
    plugin: str
    model: str
    usage: Usage
    """`estimated` where nobody knows what it cost: as much as was reserved for it."""
    reason: str
    at: float
    """Unix time."""

    @property
    def has_answer(self) -> bool:
        return False


BillableCall = CompletedCall | FailedCharge


@dataclass(frozen=True)
class FinalEvaluation:
    """The judgement of the best candidate after a stop."""

    trial: int
    commits: int
    """How many trials were committed then."""
    evaluation: Evaluation
    durations: Mapping[str, float] = field(default_factory=dict)
    """Wall seconds of the parts of the evaluation that were measured."""


@dataclass(frozen=True)
class ToolUsed:
    """A tool was carried out; its result stays in the log."""

    key: str


Record = Header | Problem | Finished | BillableCall | ToolUsed | Control | FinalEvaluation


class LoggedRefusal(LlmRefused):
    """A request was refused when the log was written."""


NO_KEYS = Keys(environment={})
"""Of those who only read."""


class Journal:
    """Reads and writes records; remembers in which row each trial lies, and nothing else. For any thread.

    Args:
        store: keeps the rows.
        keys: are kept nowhere. What is written is handed back as it can be read again.
    """

    def __init__(self, store: Store, keys: Keys = NO_KEYS) -> None:
        self._store = store
        self._keys = keys
        self._place: dict[int, int] = {}
        self._attribution = Attribution()
        """By the answers that stand in the log, for trials of earlier versions, whose rows name no model."""

    def write_problem(self, problem: Problem) -> Problem:
        return Problem.model_validate_json(self._written("problem", problem.name, problem.model_dump_json()))

    def write_control(self, control: Control) -> Control:
        return Control.model_validate_json(self._written("control", str(control.commits), control.model_dump_json()))

    def write_judgement(self, judged: FinalEvaluation) -> FinalEvaluation:
        evaluation = self._keys.masked_lines(self._keep(judged.evaluation).model_dump_json())
        body = json.dumps({"commits": judged.commits, "evaluation": evaluation, "durations": dict(judged.durations)})
        self._append("final", str(judged.trial), body)
        return replace(judged, evaluation=Evaluation.model_validate_json(evaluation))

    def write_trial(self, trial: Trial, prints: Prints, *, elapsed: float) -> Finished:
        """Logs a finished trial at once, whatever its turn to be committed: `kill -9` does not lose it."""
        spent = trial.evaluation
        finished = Finished(
            trial=trial.model_copy(update={"evaluation": self._keep(spent).without_spending()}),
            prints=prints,
            seconds=spent.seconds,
            cost=spent.cost,
            elapsed=elapsed,
            at=time.time(),
            durations=spent.durations,
        )
        body = self._encode(finished)
        masked = self._keys.masked_lines(body)
        self._place[trial.number] = self._append("trial", str(trial.number), masked)
        # As almost always, no key is in it: then it need not be read.
        return finished if masked is body and not self._has_keys_apart(trial) else self._finished(trial.number)

    def write_answer(self, answered: CompletedCall, request: LlmRequest, answer: LlmAnswer | None) -> int:
        """Logs a call before its answer is used, and returns the place of the row; no answer: it was refused."""
        charged = answered.charged.model_dump(exclude_defaults=True)
        aside = {**vars(answered), "usage": answered.usage.model_dump(), "charged": charged}
        given = answer.model_dump_json(exclude={"charged"}) if answer else "null"
        texts = f'{{"request":{request.model_dump_json()},"answer":{given}}}'
        key = aside.pop("key")
        return self._append("answer", key, self._keys.masked_lines(f"{json.dumps(aside)}\n{texts}"))

    def write_charge(self, charged: FailedCharge) -> None:
        """Logs what a request without an answer has cost, before the next one is made."""
        body = {**vars(charged), "usage": charged.usage.model_dump()}
        key = body.pop("key")
        self._append("charge", key, self._keys.masked_lines(json.dumps(body)))

    def write_tool_result(self, key: str, call: ToolCall, result: ToolResult) -> int:
        body = f'{{"call":{call.model_dump_json()},"result":{result.model_dump_json()}}}'
        return self._append("tool", key, self._keys.masked_lines(body))

    def trial(self, number: int) -> Trial:
        """A finished trial, read back from the log."""
        return self._finished(number).trial

    def kept(self, evaluation: Evaluation) -> bytes:
        """Return what an evaluation of this log has kept for those of its candidate's children; empty: nothing.

        Raises:
            LogDamaged: it is lost.
        """
        digest = evaluation.kept_digest
        return b64decode(self._store.get_artifact(digest)) if digest else b""

    def answer(self, seq: int) -> LlmAnswer:
        """The answer in a row of the log.

        Raises:
            LoggedRefusal: that was the answer.
        """
        answered, (_, answer, refused) = _answered(self._store.get(seq)), self.exchange(seq)
        if answer is None:
            raise LoggedRefusal(refused, usage=answered.charged)
        return answer.model_copy(update={"charged": answered.charged})

    def exchange(self, seq: int) -> tuple[LlmRequest, LlmAnswer | None, str]:
        """Request, answer, and why there is none, of a row of the log."""
        first, _, rest = self._store.get(seq).body.partition("\n")
        texts = json.loads(rest)
        answer = LlmAnswer.model_validate(texts["answer"]) if texts["answer"] else None
        return LlmRequest.model_validate(texts["request"]), answer, json.loads(first)["refused"]

    def tool_result(self, seq: int) -> ToolResult:
        """The result in a row of the log."""
        return ToolResult.model_validate(json.loads(self._store.get(seq).body)["result"])

    def places(self, kind: Literal["trial", "answer", "tool"]) -> Iterator[tuple[int, str]]:
        """Place and key of all rows of a kind, unread."""
        return self._store.keys(kind)

    def finished_trials(self) -> frozenset[int]:
        """The numbers of all trials that the log holds."""
        return frozenset(int(key) for _, key in self._store.keys("trial"))

    def header(self) -> Header:
        """What identifies the run."""
        row = next(self._store.heads("header"), None)
        if row is None:
            raise LogDamaged("the log has no header")
        return Header.from_row(row)

    def seeds(self) -> int:
        """How many seed programs the problem has; 0 before it is analyzed."""
        problem = next(self._store.heads("problem"), None)
        return len(json.loads(problem.body)["seeds"]) if problem else 0

    def last_stop(self) -> Control | None:
        """The newest stop in the log; `None` if settings were changed since: the run went on with others."""
        controls = (_control(row.body) for row in self._store.heads("control"))
        newest = next((each for each in reversed(list(controls)) if each.kind != "tell"), None)
        return newest if newest is not None and newest.kind == "stop" else None

    def outcomes(self) -> Iterator[Outcome]:
        """What became of each finished trial, in the order of the log, without reading candidates."""
        for row in self._store.heads("trial"):
            aside = json.loads(row.body)
            # Earlier versions kept the score with the rest of the trial only.
            score = aside["score"] if "score" in aside else self._decode(self._store.get(row.seq)).trial.score
            yield Outcome(int(row.key), score, aside["elapsed"], aside["at"])

    def spent(self) -> tuple[float, int, int]:
        """The US dollars and the tokens that all calls and evaluations in the log have taken, and how many calls were answered."""
        dollars, tokens, calls = 0.0, 0, 0
        for row in self._store.heads("trial"):
            dollars += json.loads(row.body)["cost"]
        for row in (*self._store.heads("answer"), *self._store.heads("charge")):
            aside = json.loads(row.body.partition("\n")[0])
            calls += row.kind == "answer" and not aside["refused"]
            usage = Usage.model_validate(aside["usage"])
            dollars += usage.dollars or 0.0
            tokens += usage.prompt_tokens + usage.completion_tokens
        return dollars, tokens, calls

    def records(self, *, after: int = -1) -> Iterator[Record]:
        """Everything that was written, in the order it was written."""
        return (record for _, record in self.placed_records(after=after))

    def placed_records(self, *, after: int = -1) -> Iterator[tuple[int, Record]]:
        """Each record with its place, so that a reader can go on behind it later."""
        for row in self._store.rows(after=after):
            yield row.seq, self._record(row)

    def salvaged(self, rows: Iterable[Row | LogDamaged]) -> Iterator[Record | LogDamaged]:
        """Each record in rows of a damaged log, and for each that cannot be read what is wrong with it."""
        for row in rows:
            if isinstance(row, LogDamaged):
                yield row
                continue
            try:
                yield self._record(row)
            except LogDamaged as err:
                yield err

    def controls(self) -> Iterator[Control | FinalEvaluation]:
        """What is no trial and has its place among the commits, in the order it happened."""
        for row in self._store.rows():
            if row.kind in ("control", "final"):
                record = self._record(row)
                assert isinstance(record, (Control, FinalEvaluation)), "the kind says so"
                yield record

    def _record(self, row: Row) -> Record:
        try:
            if row.kind == "trial":
                finished = self._decode(row)
                self._place[finished.trial.number] = row.seq
                return finished
            return self._noted(_READERS[row.kind](row))
        except LogDamaged as err:
            raise LogDamaged(str(err), seq=row.seq) from err
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as err:
            # Without the error's own words, which may quote the log.
            what = f"row {row.seq} of the log cannot be read ({type(err).__name__})"
            raise LogDamaged(what, seq=row.seq) from err

    def _noted(self, record: Record) -> Record:
        """Remembers who is called for a trial that stands further down in the log."""
        if isinstance(record, BillableCall):
            self._attribution.add(record.key, record.model, has_answer=record.has_answer)
        return record

    def _finished(self, number: int) -> Finished:
        return self._decode(self._store.get(self._place[number]))

    def _has_keys_apart(self, trial: Trial) -> bool:
        """Whether a key is in a file that is too long for the row."""
        files = (candidate.files for candidate in _candidates(trial) if candidate)
        return any(self._keys.found_in(text) for each in files for text in each.values() if len(text) > INLINE)

    def _written(self, kind: RowKind, key: str, body: str) -> str:
        """Logs a body and returns it as it was logged."""
        masked = self._keys.masked_lines(body)
        self._append(kind, key, masked)
        return masked

    def _append(self, kind: RowKind, key: str, body: str) -> int:
        return self._store.append((NewRow.model_construct(kind=kind, key=key, body=body),))

    def _encode(self, finished: Finished) -> str:
        trial = finished.trial
        candidates = _candidates(trial)
        artifacts = [self._kept_apart(candidate) for candidate in candidates]
        aside = {
            "artifacts": artifacts if any(artifacts) else [],
            "sketch": finished.prints.sketch,
            "fingerprint": finished.prints.fingerprint,
            "score": trial.score,
            "model": trial.model,
            "seconds": finished.seconds,
            "cost": finished.cost,
            "durations": dict(finished.durations),
            "elapsed": round(finished.elapsed, 3),
            "at": round(finished.at, 3),
        }
        if any(artifacts):
            trial = _with_files(trial, [dict.fromkeys(digests, "") for digests in artifacts])
        return f"{json.dumps(aside)}\n{trial.model_dump_json(exclude_defaults=True, exclude={'model'})}"

    def _keep(self, evaluation: Evaluation) -> Evaluation:
        """Move what an evaluation keeps into an artifact, if it holds no key: a key is kept nowhere."""
        kept = evaluation.kept
        if not kept:
            return evaluation
        has_key = self._keys.found_in(kept.decode("utf-8", "replace"))
        digest = "" if has_key else self._store.put_artifact(b64encode(kept).decode())
        return evaluation.model_copy(update={"kept": b"", "kept_digest": digest})

    def _kept_apart(self, candidate: Candidate | None) -> dict[str, str]:
        """The files of a candidate that are too long for a row, by path the hash under which they are kept."""
        files = candidate.files if candidate else {}
        return {
            path: self._store.put_artifact(self._keys.masked(text))
            for path, text in files.items()
            if len(text) > INLINE
        }

    def _decode(self, row: Row) -> Finished:
        first, _, rest = row.body.partition("\n")
        aside, trial = json.loads(first), Trial.model_validate_json(upgrade_trial(rest))
        if aside["artifacts"]:
            texts = [
                {path: self._store.get_artifact(digest) for path, digest in digests.items()}
                for digests in aside["artifacts"]
            ]
            trial = _with_files(trial, texts)
        model = aside["model"] if "model" in aside else self._attribution.model_of(trial)
        if model:
            trial = trial.model_copy(update={"model": model})
        prints = Prints(aside.get("sketch", ""), aside["fingerprint"])
        measured = {name: aside[name] for name in _ASIDE}
        return Finished(trial, prints, **measured, durations=aside.get("durations", {}))


def control_row(control: Control) -> NewRow:
    """A control as the log keeps it."""
    return NewRow(kind="control", key=str(control.commits), body=control.model_dump_json())


_ASIDE = ("seconds", "cost", "elapsed", "at")


def _control(body: str) -> Control:
    return Control.model_validate_json(upgrade_control(body))


def _answered(row: Row) -> CompletedCall:
    first, _, _ = row.body.partition("\n")
    aside = json.loads(first)
    usage, charged = Usage.model_validate(aside["usage"]), Usage.model_validate(aside.get("charged", {}))
    return CompletedCall(**{**aside, "key": row.key, "usage": usage, "charged": charged})


def _charged(row: Row) -> FailedCharge:
    body = json.loads(row.body)
    return FailedCharge(**{**body, "key": row.key, "usage": Usage.model_validate(body["usage"])})


def _judged(row: Row) -> FinalEvaluation:
    body = json.loads(row.body)
    evaluation = Evaluation.model_validate_json(body["evaluation"])
    return FinalEvaluation(int(row.key), body["commits"], evaluation, body.get("durations", {}))


_READERS: dict[RowKind, Callable[[Row], Record]] = {
    "header": Header.from_row,
    "problem": lambda row: Problem.model_validate_json(row.body),
    "control": lambda row: _control(row.body),
    "answer": _answered,
    "charge": _charged,
    "tool": lambda row: ToolUsed(row.key),
    "final": _judged,
}


def _candidates(trial: Trial) -> tuple[Candidate | None, ...]:
    """That of the trial, then those of its attempts."""
    return trial.candidate, *(attempt.candidate for attempt in trial.attempts)


def _with_files(trial: Trial, texts: list[dict[str, str]]) -> Trial:
    """The trial with other texts of files, for each of its candidates."""
    first, *others = (
        _with_texts(candidate, changed) for candidate, changed in zip(_candidates(trial), texts, strict=True)
    )
    attempts = tuple(
        attempt.model_copy(update={"candidate": candidate})
        for attempt, candidate in zip(trial.attempts, others, strict=True)
    )
    return trial.model_copy(update={"candidate": first, "attempts": attempts})


def _with_texts(candidate: Candidate | None, texts: dict[str, str]) -> Candidate | None:
    if not texts:
        return candidate
    if candidate is None:
        raise ValueError("a trial has artifacts but no candidate")
    files = type(candidate.files)({**candidate.files, **texts})
    return candidate.model_copy(update={"files": files})
