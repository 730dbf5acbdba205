"""Asking models: each answer is logged before it is used, and no logged answer is ever asked for again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from evograft.concurrency.deadline_pool import is_given_up, off_the_clock
from evograft.concurrency.shared_lock import SharedLock
from evograft.config.pipeline import Budget, LlmSection
from evograft.errors import (
    BudgetSpent,
    EvograftError,
    HookAborted,
    PluginError,
    RunStopping,
    ServiceError,
    did_you_mean,
)
from evograft.llm.admission import AdmissionControl, Reservation
from evograft.llm.ledger import SpendingLedger, price_of_usage, total_usage, upper_bound
from evograft.llm.retry import Outcome, Pause, RetryingClient
from evograft.log.attribution import Attribution
from evograft.log.journal import Journal, LoggedRefusal
from evograft.log.records import CompletedCall, FailedCharge
from evograft.plugin.context import CallSite, unfinished
from evograft.text.masking import Keys
from evograft_hookspecs import (
    CallFinished,
    Event,
    LlmAnswer,
    LlmCall,
    LlmRefused,
    LlmRequest,
    LlmRetryable,
    LlmUnavailable,
    Trial,
    Usage,
)
from evograft_hookspecs.drivers.llm import LlmDriver

AFTERMATH = 5.0
"""Seconds that calls have to note how they ended, once all connections are closed."""


class ModelService:
    """The models of a run, for every hook of every plugin, on any thread.

    Args:
        lock: what plugins without thread safety share; let go of while a model is waited for.
        keys: are in no prompt and no answer.
        announce: is told of calls, on the thread that asked.
    """

    def __init__(
        self,
        driver: LlmDriver,
        section: LlmSection,
        budget: Budget,
        journal: Journal,
        *,
        lock: SharedLock,
        keys: Keys,
        announce: Callable[[Event], None] | None = None,
    ) -> None:
        self._driver = driver
        self._section = section
        self._journal = journal
        self._lock = lock
        self._keys = keys
        self._prices = {model.name: model.price for model in section.models}
        self._optional = frozenset(model.name for model in section.models if model.optional)
        self._usual = next((model.name for model in section.models if model.weight), "default")
        """Asked outside of trials."""
        self._logged = unfinished(journal.places("answer"), journal.finished_trials())
        self.ledger = SpendingLedger(*journal.first_lines.spent()) if driver.available else SpendingLedger()
        self._admission = AdmissionControl(budget, self.ledger, slots=section.slots)
        self._caller = RetryingClient(driver, section) if driver.available else None
        self._failure: EvograftError | None = None
        self._attribution = Attribution()
        """By the answers that trials in flight were given, be they from the log."""
        self._announce = announce or _to_nobody

    @property
    def available(self) -> bool:
        return self._driver.available

    def ask(self, place: CallSite, request: LlmRequest, *, occurrence: int) -> LlmAnswer:
        """Return the answer to a hook's request: from the log if it is there, else from the driver.

        Raises:
            LlmRefused: there is no answer to this request.
            HookAborted: the run ends; the hook does not go on.
        """
        if is_given_up():
            raise HookAborted(RunStopping("the trial ended without this hook, which took too long"))
        # The model of a trial is part of its requests: who is to ask another one now is not given this one's answer.
        # Outside of trials the answer is for whoever is told of the same thing again, whichever model is asked now.
        request = self._without_keys(request).model_copy(update={"model": request.model or place.model})
        key = f"{place}:{request.digest()}:{occurrence}"
        request = request.model_copy(update={"model": request.model or self._usual})
        call = LlmCall(request=request, key=key, trial=place.trial)
        with self._lock.released(), off_the_clock(), self._ending_the_hook():
            seq = self._logged[place.settled_with].get(call.key)
            if seq is None:
                return self._from_driver(place, call)
            return self._from_log(place, call, seq)

    def _without_keys(self, request: LlmRequest) -> LlmRequest:
        """Mask keys: feedback of an evaluation may hold one that it has read, which a provider is not to learn."""
        masked = [self._keys.masked(message.content) for message in request.messages]
        if all(text == message.content for text, message in zip(masked, request.messages, strict=True)):
            return request
        pairs = zip(masked, request.messages, strict=True)
        messages = tuple(message.model_copy(update={"content": text}) for text, message in pairs)
        return request.model_copy(update={"messages": messages})

    def settle(self, trial: int) -> None:
        """Forget where the answers of a trial are logged: it is committed, and will not ask again."""
        self._logged.pop(trial, None)
        self._attribution.forget(trial)

    def stop(self) -> None:
        """Start no further call, and give up those that only wait. Callable from any thread and signal handlers."""
        # On a thread of its own: the one that a signal handler interrupts may hold the locks that are needed.
        threading.Thread(target=self._stop, name="llm-stop", daemon=True).start()

    def end_waiting(self, reason: BudgetSpent) -> None:
        """Start no further call and give up those that wait: for their turn, in a pause, or for a person."""
        self._admission.close(reason)
        if self._caller is not None:
            self._caller.end_waiting()

    def pause_of(self, trial: int) -> Pause | None:
        """Return the pause that a call of a trial is in, after a request that failed."""
        pause = self._caller.pause_of(trial) if self._caller else None
        return pause and replace(pause, reason=self._keys.shown(pause.reason))

    def called_by(self, trial: int) -> str:
        """Return the model that was called last for the candidate of a trial in flight; empty: none was."""
        return self._attribution.latest_of(trial)

    def author_of(self, trial: Trial) -> str:
        """Return the model that made the candidate of a trial that has just ended; empty: none was called."""
        return self._attribution.model_of(trial)

    def is_queued(self, trial: int) -> bool:
        """Return whether a call of a trial waits for its turn."""
        return self._admission.has_waiting(trial)

    def is_asked(self, trial: int) -> bool:
        """Return whether a call of a trial waits for the provider."""
        return self._admission.has_admitted(trial)

    def close(self) -> None:
        self._stop()
        if self._caller is not None:
            self._caller.close()
        self._driver.close()
        # What was given up is logged before the log is closed.
        self._admission.await_end(AFTERMATH)

    def raise_failure(self) -> None:
        """Raise what ended a call for good, whatever the plugin that asked made of it."""
        if self._failure is not None:
            raise self._failure

    def _stop(self) -> None:
        self._admission.close(RunStopping("the run stops"))
        if self._caller is not None:
            self._caller.stop()

    def _from_log(self, place: CallSite, call: LlmCall, seq: int) -> LlmAnswer:
        with self._noting(call):
            answer = self._journal.answer(seq)
        usage = answer.usage or Usage()
        self._announce(_finished(place, call.request.model, usage, from_log=True))
        return answer

    def _from_driver(self, place: CallSite, call: LlmCall) -> LlmAnswer:
        if self._caller is None:
            return self._driver.complete(call, timeout=0.0)
        model = call.request.model
        if self._prices and model not in self._prices:
            hint = did_you_mean(model, self._prices)
            raise LlmRefused(f"model {model!r} is not among the pipeline's llm.models; {hint}")
        with self._noting(call):
            return self._asked(self._caller, place, call)

    def _asked(self, caller: RetryingClient, place: CallSite, call: LlmCall) -> LlmAnswer:
        model, bound = call.request.model, self._bound(call.request)
        with self._admission.admit(place.trial, bound) as reservation:
            begun, charges = time.monotonic(), list[Usage]()
            outcome = self._outcome(caller, place, call, bound, reservation, charges)
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
                beyond=_beyond(call.request, answer),
                charged=charged,
            )
            note = self._note(answered)
            self._logged[place.settled_with][call.key] = self._journal.write_answer(answered, call.request, answer)
            self.ledger.add_new(answered)
        self._announce(_finished(place, model, answered.usage, seconds=answered.seconds, refused=refused, note=note))
        if answer is None:
            raise LlmRefused(refused, usage=charged)
        return answer

    @contextmanager
    def _noting(self, call: LlmCall) -> Iterator[None]:
        """Remember that a call was made, and then whether it was answered."""
        self._attribution.add(call.key, call.request.model, has_answer=False)
        yield
        self._attribution.add(call.key, call.request.model, has_answer=True)

    def _bound(self, request: LlmRequest) -> Usage:
        """Return the most that a request may cost: by its size, and by how far the provider went beyond that before."""
        bound = upper_bound(request)
        tokens = bound.completion_tokens + self.ledger.beyond[request.model]
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
            self.ledger.add_new(charged)

    def _note(self, answered: CompletedCall) -> str:
        """Return a note, the first time that a provider bills more than a request allows."""
        if not answered.beyond or self.ledger.beyond[answered.model]:
            return ""
        return (
            f"model {answered.model!r} was billed {answered.beyond} tokens more than its request allows "
            "(max_tokens and prompt): so many more are reserved from now on"
        )

    def _outcome(
        self,
        caller: RetryingClient,
        place: CallSite,
        call: LlmCall,
        bound: Usage,
        reservation: Reservation,
        charges: list[Usage],
    ) -> Outcome:
        """Return how a call ended. If no answer can be had after it, admission closes before the next call is let in.

        What requests without an answer have cost is added to `charges`.
        """
        charge = partial(self._charge, place, call, bound, charges)
        try:
            outcome = caller.ask(call, charge=charge, again=partial(self._admission.reserve_again, reservation, bound))
        except RunStopping:
            self._admission.require_open()
            raise
        except (LlmRetryable, LlmUnavailable) as err:
            if caller.stopped:
                self._admission.require_open()
            if call.request.model in self._optional:
                return Outcome(None, 1 + self._section.retries * isinstance(err, LlmRetryable), LlmRefused(str(err)))
            raise self._unanswered(err) from err
        except PluginError as err:
            raise self._failed(err) from err
        refusal = outcome.refusal
        if refusal is not None and call.request.model not in self._optional and not isinstance(refusal, LoggedRefusal):
            # Where nothing is ever answered, that is no matter of this request.
            self._admission.await_others(reservation, self._has_answers)
            if not self._has_answers():
                raise self._unanswered(refusal) from refusal
        return outcome

    def _has_answers(self) -> bool:
        return self.ledger.total.answered > 0

    def _unanswered(self, err: Exception) -> EvograftError:
        # Its own text is part of a traceback.
        err.args = (self._keys.shown(str(err)),)
        return self._failed(ServiceError(f"llm driver {self._section.driver!r} gives no answer: {err}"))

    def _failed(self, failure: EvograftError) -> EvograftError:
        """Note the first failure, which ends the run whatever plugins make of it."""
        self._failure = self._failure or failure
        self._admission.close(failure)
        return failure

    def _usage(self, call: LlmCall, answer: LlmAnswer) -> Usage:
        """Count tokens as the provider did, else as many as the texts have bytes; dollars by the run's prices."""
        usage = answer.usage
        if usage is None:
            usage = upper_bound(call.request).model_copy(update={"completion_tokens": len(answer.text.encode())})
        return price_of_usage(usage, self._prices.get(call.request.model))

    @contextmanager
    def _ending_the_hook(self) -> Iterator[None]:
        """End the hook that asked with what ends the run, past whatever the plugin catches."""
        try:
            yield
        except RunStopping as err:
            raise HookAborted(err) from err
        except EvograftError as err:
            raise HookAborted(self._failed(err)) from err


def _to_nobody(_event: Event) -> None:
    """Ignore an event: nobody wants to hear of calls yet."""


def _beyond(request: LlmRequest, answer: LlmAnswer | None) -> int:
    """Return by how many tokens an answer was billed past the most that its request allows."""
    if answer is None or answer.usage is None or answer.usage.estimated:
        return 0
    most, usage = upper_bound(request), answer.usage
    allowed = most.prompt_tokens + most.completion_tokens
    return max(0, usage.prompt_tokens + usage.completion_tokens - allowed)


def _finished(place: CallSite, model: str, usage: Usage, **more: object) -> CallFinished:
    return CallFinished.model_validate(
        {"trial": place.trial, "hook": place.hook, "plugin": place.plugin, "model": model, "usage": usage, **more}
    )
