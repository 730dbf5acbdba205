"""Calls that a provider answers: each waits for its turn within the budget, and is logged with its cost."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import partial

from evograft.config.pipeline import LlmSection
from evograft.errors import EvograftError, PluginError, RunStopping, ServiceError
from evograft.llm.admission import AdmissionControl, Reservation
from evograft.llm.ledger import PER_MILLION, SpendingLedger, price_of_usage, total_usage, upper_bound
from evograft.llm.retry import Outcome, RetryingClient
from evograft.log.journal import Journal, LoggedRefusal
from evograft.log.records import CompletedCall, FailedCharge
from evograft.plugin.context import CallSite
from evograft.text.masking import Keys
from evograft_hookspecs import LlmAnswer, LlmCall, LlmRefused, LlmRequest, LlmRetryable, LlmUnavailable, Price, Usage


@dataclass(frozen=True)
class EndedCall:
    """A call that came to an end and is in the log."""

    record: CompletedCall
    answer: LlmAnswer | None
    """`None`: it was refused."""
    seq: int
    """The place of its row in the log."""
    note: str
    """What users are to know of its cost or its answer; usually empty."""


class ProviderCalls:
    """The calls of a run that its log does not answer, on any thread.

    Args:
        client: asks the provider, again after what passes.
        ledger: gets what a call has cost before the call's reservation ends.
        admission: closed before the next call is let in, if no answer can be had.
        keys: are in no answer, no refusal and no reason.
    """

    def __init__(
        self,
        client: RetryingClient,
        section: LlmSection,
        journal: Journal,
        *,
        ledger: SpendingLedger,
        admission: AdmissionControl,
        keys: Keys,
    ) -> None:
        self._client = client
        self._section = section
        self._journal = journal
        self._ledger = ledger
        self._admission = admission
        self._keys = keys
        self._prices = {model.name: model.price for model in section.models}
        self._optional = frozenset(model.name for model in section.models if model.optional)

    def ask(self, place: CallSite, call: LlmCall) -> EndedCall:
        """Ask the provider, and log how the call ended before anybody sees it.

        Raises:
            EvograftError: the run ends, or no answer can be had from this driver.
        """
        model, bound = call.request.model, self._bound(call.request)
        with self._admission.admit(place.trial, bound) as reservation:
            begun, charges = time.monotonic(), list[Usage]()
            outcome = self._outcome(place, call, bound, reservation, charges)
            charged = total_usage(charges)
            answer, refused = outcome.answer, self._keys.shown(str(outcome.refusal)) if outcome.refusal else ""
            if answer is not None:
                usage, text = self._usage(call, answer), self._keys.masked(answer.text)
                answer = answer.model_copy(update={"usage": usage, "text": text, "charged": charged})
            answered = CompletedCall(
                key=call.key,
                trial=place.trial,
                hook=place.hook,
                plugin=place.plugin,
                model=model,
                usage=(answer and answer.usage) or Usage(),
                seconds=round(time.monotonic() - begun, 3),
                requests=outcome.requests,
                at=round(time.time(), 3),
                refused=refused,
                beyond=_beyond(call.request, outcome.answer, self._prices.get(model)),
                charged=charged,
            )
            note = self._note(answered) or _note_cut(call.request, answer)
            seq = self._journal.write_answer(answered, call.request, answer)
            self._ledger.add_new(answered)
        return EndedCall(answered, answer, seq, note)

    def _bound(self, request: LlmRequest) -> Usage:
        """Return the most that a request may cost: by its size, and by how far the provider went beyond that before."""
        bound = upper_bound(request)
        tokens = bound.completion_tokens + self._ledger.beyond[request.model]
        return price_of_usage(bound.model_copy(update={"completion_tokens": tokens}), self._prices.get(request.model))

    def _charge(
        self, place: CallSite, call: LlmCall, bound: Usage, charges: list[Usage], usage: Usage | None, reason: str
    ) -> None:
        """Log what a request without an answer has cost; where nobody knows, that is what was reserved."""
        model = call.request.model
        usage = bound if usage is None else price_of_usage(usage, self._prices.get(model))
        if usage.prompt_tokens or usage.completion_tokens:
            charged = FailedCharge(
                call.key,
                place.trial,
                place.hook,
                place.plugin,
                model,
                usage,
                self._keys.shown(reason),
                at=round(time.time(), 3),
            )
            charges.append(usage)
            self._journal.write_charge(charged)
            self._ledger.add_new(charged)

    def _note(self, answered: CompletedCall) -> str:
        """Return a note, the first time that a provider bills more than a request allows."""
        if not answered.beyond or self._ledger.beyond[answered.model]:
            return ""
        return (
            f"model {answered.model!r} was billed {answered.beyond} tokens more than its request allows "
            "(max_tokens and prompt): so many more are reserved from now on"
        )

    def _outcome(
        self, place: CallSite, call: LlmCall, bound: Usage, reservation: Reservation, charges: list[Usage]
    ) -> Outcome:
        """Return how a call ended. If no answer can be had after it, admission closes before the next call is let in.

        What requests without an answer have cost is added to `charges`.
        """
        charge = partial(self._charge, place, call, bound, charges)
        try:
            again = partial(self._admission.reserve_again, reservation, bound)
            outcome = self._client.ask(call, charge=charge, again=again)
        except RunStopping:
            self._admission.require_open()
            raise
        except (LlmRetryable, LlmUnavailable) as err:
            if self._client.stopped:
                self._admission.require_open()
            if call.request.model in self._optional:
                return Outcome(None, 1 + self._section.retries * isinstance(err, LlmRetryable), LlmRefused(str(err)))
            raise self._unanswered(err) from err
        except PluginError as err:
            raise self._admission.fail(err) from err
        refusal = outcome.refusal
        if refusal is not None and call.request.model not in self._optional and not isinstance(refusal, LoggedRefusal):
            # Where nothing is ever answered, that is no matter of this request.
            self._admission.await_others(reservation, self._has_answers)
            if not self._has_answers():
                raise self._unanswered(refusal) from refusal
        return outcome

    def _has_answers(self) -> bool:
        return self._ledger.total.answered > 0

    def _unanswered(self, err: Exception) -> EvograftError:
        # Its own text is part of a traceback.
        err.args = (self._keys.shown(str(err)),)
        return self._admission.fail(ServiceError(f"llm driver {self._section.driver!r} gives no answer: {err}"))

    def _usage(self, call: LlmCall, answer: LlmAnswer) -> Usage:
        """Count tokens as the provider did, else as many as the texts have bytes; dollars by the run's prices."""
        usage = answer.usage
        if usage is None:
            usage = upper_bound(call.request).model_copy(update={"completion_tokens": len(answer.text.encode())})
        return price_of_usage(usage, self._prices.get(call.request.model))


def _note_cut(request: LlmRequest, answer: LlmAnswer | None) -> str:
    if answer is None or answer.finish != "length":
        return ""
    return f"an answer of model {request.model!r} was cut at {request.max_tokens} tokens: raise max_tokens"


def _beyond(request: LlmRequest, answer: LlmAnswer | None, price: Price | None) -> int:
    """Return by how many tokens an answer was billed past the most that its request allows.

    Dollars that whoever answered has counted stand for the tokens that cost as much.
    """
    if answer is None or answer.usage is None or answer.usage.estimated:
        return 0
    most, usage = price_of_usage(upper_bound(request), price), answer.usage
    tokens = usage.prompt_tokens + usage.completion_tokens - most.prompt_tokens - most.completion_tokens
    dollars = 0.0 if usage.dollars is None or most.dollars is None else usage.dollars - most.dollars
    if price is not None and price.completion and dollars > 0:
        tokens = max(tokens, math.ceil(dollars / (price.completion * PER_MILLION)))
    return max(0, tokens)
