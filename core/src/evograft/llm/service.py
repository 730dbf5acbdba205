"""Asking models: each answer is logged before it is used, and no logged answer is ever asked for again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from evograft.concurrency.deadline_pool import is_given_up, off_the_clock
from evograft.concurrency.shared_lock import SharedLock
from evograft.config.pipeline import Budget, LlmSection
from evograft.errors import BudgetSpent, EvograftError, HookAborted, RunStopping, did_you_mean
from evograft.llm.admission import AdmissionControl
from evograft.llm.ledger import SpendingLedger
from evograft.llm.provider_calls import ProviderCalls
from evograft.llm.retry import Pause, RetryingClient
from evograft.log.attribution import Attribution
from evograft.log.journal import Journal
from evograft.plugin.context import CallSite, unfinished
from evograft.text.masking import Keys
from evograft_hookspecs import CallFinished, Event, LlmAnswer, LlmCall, LlmRefused, LlmRequest, Trial, Usage
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
        self._journal = journal
        self._lock = lock
        self._keys = keys
        self._models = tuple(model.name for model in section.models)
        self._usual = next((model.name for model in section.models if model.weight), "default")
        """Asked outside of trials."""
        self._logged = unfinished(journal.places("answer"), journal.finished_trials())
        self.ledger = SpendingLedger(*journal.first_lines.spent()) if driver.available else SpendingLedger()
        self._admission = AdmissionControl(budget, self.ledger, slots=section.slots)
        self._caller = RetryingClient(driver, section) if driver.available else None
        self._calls = (
            ProviderCalls(self._caller, section, journal, ledger=self.ledger, admission=self._admission, keys=keys)
            if self._caller is not None
            else None
        )
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
        if self._admission.failure is not None:
            raise self._admission.failure

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
        if self._calls is None:
            return self._driver.complete(call, timeout=0.0)
        model = call.request.model
        if self._models and model not in self._models:
            hint = did_you_mean(model, self._models)
            raise LlmRefused(f"model {model!r} is not among the pipeline's llm.models; {hint}")
        with self._noting(call):
            ended = self._calls.ask(place, call)
            self._logged[place.settled_with][call.key] = ended.seq
            usage, seconds, refused = ended.record.usage, ended.record.seconds, ended.record.refused
            self._announce(_finished(place, model, usage, seconds=seconds, refused=refused, note=ended.note))
            if ended.answer is None:
                raise LlmRefused(refused, usage=ended.record.charged)
            return ended.answer

    @contextmanager
    def _noting(self, call: LlmCall) -> Iterator[None]:
        """Remember that a call was made, and then whether it was answered."""
        self._attribution.add(call.key, call.request.model, has_answer=False)
        yield
        self._attribution.add(call.key, call.request.model, has_answer=True)

    @contextmanager
    def _ending_the_hook(self) -> Iterator[None]:
        """End the hook that asked with what ends the run, past whatever the plugin catches."""
        try:
            yield
        except RunStopping as err:
            raise HookAborted(err) from err
        except EvograftError as err:
            raise HookAborted(self._admission.fail(err)) from err


def _to_nobody(_event: Event) -> None:
    """Ignore an event: nobody wants to hear of calls yet."""


def _finished(place: CallSite, model: str, usage: Usage, **more: object) -> CallFinished:
    return CallFinished.model_validate(
        {"trial": place.trial, "hook": place.hook, "plugin": place.plugin, "model": model, "usage": usage, **more}
    )
