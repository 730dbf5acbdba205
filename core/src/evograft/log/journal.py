"""The log of a run in the kernel's words: trials, answers of models, controls and more, each as rows of the store."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from evograft.errors import LogDamaged
from evograft.log.attribution import Attribution
from evograft.log.codec import control_row, decode, decode_exchange, encode_call, encode_charge
from evograft.log.first_lines import FirstLines
from evograft.log.records import BillableCall, CompletedCall, FailedCharge, FinalEvaluation, Finished, Prints, Record
from evograft.log.results import ResultRows
from evograft.log.trial_codec import TrialCodec
from evograft.text.masking import Keys
from evograft_hookspecs import (
    Control,
    Evaluation,
    LlmAnswer,
    LlmRefused,
    LlmRequest,
    Problem,
    Trial,
)
from evograft_hookspecs.drivers.store import NewRow, Row, RowKind, Store


class LoggedRefusal(LlmRefused):
    """A request was refused when the log was written."""


NO_KEYS = Keys(environment={})
"""The keys of a journal that is only read."""


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
        self._trials = TrialCodec(store, keys, self._attribution)
        self.first_lines = FirstLines(store, self._trials)
        self.results = ResultRows(store, keys)

    def write_problem(self, problem: Problem) -> Problem:
        """Log the analyzed problem, and return it as it was logged."""
        body = self._keys.masked_lines(problem.model_dump_json())
        self._append("problem", problem.name, body)
        return Problem.model_validate_json(body)

    def write_control(self, control: Control) -> Control:
        """Log a control, and return it as it was logged."""
        row = control_row(control)
        body = self._keys.masked_lines(row.body)
        self._append(row.kind, row.key, body)
        return Control.model_validate_json(body)

    def write_final_evaluation(self, final: FinalEvaluation) -> FinalEvaluation:
        """Log the evaluation of the best candidate after a stop, and return it as it was logged."""
        evaluation = self._keys.masked_lines(self._trials.put_kept(final.evaluation).model_dump_json())
        body = json.dumps({"commits": final.commits, "evaluation": evaluation, "durations": dict(final.durations)})
        self._append("final", str(final.trial), body)
        return replace(final, evaluation=Evaluation.model_validate_json(evaluation))

    def write_trial(self, trial: Trial, prints: Prints, *, elapsed: float) -> Finished:
        """Log a finished trial at once, whatever its turn to be committed: `kill -9` does not lose it."""
        spent = trial.evaluation
        finished = Finished(
            trial=trial.model_copy(update={"evaluation": self._trials.put_kept(spent).without_spending()}),
            prints=prints,
            seconds=spent.seconds,
            cost=spent.cost,
            elapsed=elapsed,
            at=time.time(),
            durations=spent.durations,
        )
        body = self._trials.encode(finished)
        masked = self._keys.masked_lines(body)
        place = self._place[trial.number] = self._append("trial", str(trial.number), masked)
        # As almost always, no key is in it: then it need not be read.
        has_no_key = masked is body and not self._trials.has_masked_files(trial)
        return finished if has_no_key else self._trials.decode(self._store.get(place))

    def write_answer(self, call: CompletedCall, request: LlmRequest, answer: LlmAnswer | None) -> int:
        """Log a call before its answer is used, and return the place of the row; no answer: it was refused."""
        return self._append("answer", call.key, self._keys.masked_lines(encode_call(call, request, answer)))

    def write_charge(self, charge: FailedCharge) -> None:
        """Log what a request without an answer has cost, before the next one is made."""
        self._append("charge", charge.key, self._keys.masked_lines(encode_charge(charge)))

    def trial(self, number: int) -> Trial:
        """Return a finished trial, read back from the log."""
        return self._trials.decode(self._store.get(self._place[number])).trial

    def kept(self, evaluation: Evaluation) -> bytes:
        """Return what an evaluation of this log has kept for those of its candidate's children; empty: nothing.

        Raises:
            LogDamaged: it is lost.
        """
        return self._trials.get_kept(evaluation)

    def answer(self, seq: int) -> LlmAnswer:
        """Return the answer in a row of the log.

        Raises:
            LoggedRefusal: that was the answer.
        """
        call, _, answer = decode_exchange(self._store.get(seq))
        if answer is None:
            raise LoggedRefusal(call.refused, usage=call.charged)
        return answer.model_copy(update={"charged": call.charged})

    def exchange(self, seq: int) -> tuple[LlmRequest, LlmAnswer | None, str]:
        """Return request, answer, and why there is none, of a row of the log."""
        call, request, answer = decode_exchange(self._store.get(seq))
        return request, answer, call.refused

    def places(self, kind: Literal["trial", "answer", "tool", "preliminary"]) -> Iterator[tuple[int, str]]:
        """Yield place and key of all rows of a kind, unread."""
        return self._store.keys(kind)

    def finished_trials(self) -> frozenset[int]:
        """Return the numbers of all trials that the log holds."""
        return frozenset(int(key) for _, key in self.places("trial"))

    def records(self, *, after: int = -1) -> Iterator[Record]:
        """Yield everything that was written, in the order it was written."""
        return (record for _, record in self.placed_records(after=after))

    def placed_records(self, *, after: int = -1) -> Iterator[tuple[int, Record]]:
        """Yield each record with its place, so that a reader can continue behind it later."""
        return ((row.seq, self.read(row)) for row in self._store.rows(after=after))

    def controls(self) -> Iterator[Control | FinalEvaluation]:
        """Yield what has its place among the commits and is not a trial, in the order it happened."""
        for row in self._store.rows():
            if row.kind in ("control", "final"):
                record = self.read(row)
                assert isinstance(record, (Control, FinalEvaluation)), "the kind says so"
                yield record

    def read(self, row: Row) -> Record:
        """Return the record of a row.

        Raises:
            LogDamaged: it is not what was written.
        """
        try:
            record = self._trials.decode(row) if row.kind == "trial" else decode(row)
            if isinstance(record, Finished):
                self._place[record.trial.number] = row.seq
            elif isinstance(record, BillableCall):
                # For a trial that stands further down in the log.
                self._attribution.add(record.key, record.model, has_answer=record.has_answer)
        except LogDamaged as err:
            raise LogDamaged(str(err), seq=row.seq) from err
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as err:
            # Without the error's own words, which may quote the log.
            what = f"row {row.seq} of the log cannot be read ({type(err).__name__})"
            raise LogDamaged(what, seq=row.seq) from err
        return record

    def _append(self, kind: RowKind, key: str, body: str) -> int:
        return self._store.append((NewRow.model_construct(kind=kind, key=key, body=body),))
