"""Asking models: each answer is logged before it is used, and no logged answer is ever asked for again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from evograft.config import Budget, LlmSection
from evograft.errors import Abandoned, CallEnded, EvograftError, PluginError, ServiceError, did_you_mean
from evograft.journal import Answered, Journal, LoggedRefusal
from evograft.llm.caller import Caller, Outcome
from evograft.llm.gate import Gate
from evograft.llm.spending import Ledger, priced, upper_bound
from evograft.lock import SharedLock
from evograft.pool import off_the_clock
from evograft.scope import Place, unfinished
from evograft.secrets import without_keys
from evograft_hookspecs import (
    CallFinished,
    Event,
    LlmAnswer,
    LlmCall,
    LlmRefused,
    LlmRequest,
    LlmRetryable,
    LlmUnavailable,
    Usage,
)
from evograft_hookspecs.ports import LlmDriver


class Models:
    """The models of a run, for every hook of every plugin, on any thread.

    Args:
        lock: what plugins without thread safety share; let go of while a model is waited for.
    """

    def __init__(
        self, driver: LlmDriver, section: LlmSection, budget: Budget, journal: Journal, *, lock: SharedLock
    ) -> None:
        self._driver = driver
        self._section = section
        self._journal = journal
        self._lock = lock
        self._prices = {model.name: model.price for model in section.models}
        self._usual = next((model.name for model in section.models if model.weight), "default")
        """Asked outside of trials."""
        self._logged = unfinished(journal.places("answer"), journal.finished_trials())
        self.ledger = Ledger(*journal.spent()) if driver.available else Ledger()
        self._gate = Gate(budget, self.ledger, slots=section.concurrency)
        self._caller = Caller(driver, section) if driver.available else None
        self._failure: EvograftError | None = None
        self.announce: Callable[[Event], None] = _to_nobody
        """Set by who wants to hear of calls; it is called on the thread that asked."""

    @property
    def available(self) -> bool:
        return self._driver.available

    def ask(self, place: Place, request: LlmRequest, *, occurrence: int) -> LlmAnswer:
        """The answer to a hook's request: from the log if it is there, else from the driver.

        Raises:
            LlmRefused: there is no answer to this request.
            CallEnded: the run ends; the hook does not go on.
        """
        # The model of a trial is part of its requests: who is to ask another one now is not given this one's answer.
        # Outside of trials the answer is for whoever is told of the same thing again, whichever model is asked now.
        request = request.model_copy(update={"model": request.model or place.model})
        key = f"{place}:{request.digest()}:{occurrence}"
        request = request.model_copy(update={"model": request.model or self._usual})
        call = LlmCall(request=request, key=key, trial=place.trial)
        with self._lock.released(), off_the_clock(), self._ending_the_hook():
            seq = self._logged[place.settled_with].get(call.key)
            if seq is None:
                return self._from_driver(place, call)
            return self._from_log(place, call, seq)

    def settle(self, trial: int) -> None:
        """Forgets where the answers of a trial are logged: it is committed, and will not ask again."""
        self._logged.pop(trial, None)

    def stop(self) -> None:
        """Starts no further call, and gives up those that only wait. Callable from any thread and signal handlers."""
        # On a thread of its own: the one that a signal handler interrupts may hold the locks that are needed.
        threading.Thread(target=self._stop, name="llm-stop", daemon=True).start()

    def close(self) -> None:
        self._stop()
        if self._caller is not None:
            self._caller.close()
        self._driver.close()

    def raise_failure(self) -> None:
        """Raises what ended a call for good, whatever the plugin that asked made of it."""
        if self._failure is not None:
            raise self._failure

    def _stop(self) -> None:
        self._gate.close(Abandoned("the run stops"))
        if self._caller is not None:
            self._caller.stop()

    def _from_log(self, place: Place, call: LlmCall, seq: int) -> LlmAnswer:
        answer = self._journal.answer(seq)
        usage = answer.usage or Usage()
        self.announce(_finished(place, call.request.model, usage, from_log=True))
        return answer

    def _from_driver(self, place: Place, call: LlmCall) -> LlmAnswer:
        if self._caller is None:
            return self._driver.complete(call, timeout=0.0)
        model = call.request.model
        if self._prices and model not in self._prices:
            hint = did_you_mean(model, self._prices)
            raise LlmRefused(f"model {model!r} is not among the pipeline's llm.models; {hint}")
        bound = priced(upper_bound(call.request), self._prices.get(model))
        with self._gate.passing(place.trial, bound):
            begun = time.monotonic()
            outcome = self._outcome(self._caller, call)
            answer, refused = outcome.answer, str(outcome.refusal or "")
            if answer is not None:
                usage, text = self._usage(call, answer), without_keys(answer.text)
                answer = answer.model_copy(update={"usage": usage, "text": text})
            answered = Answered(
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
            )
            self._logged[place.settled_with][call.key] = self._journal.write_answer(answered, call.request, answer)
            self.ledger.add_new(answered)
        self.announce(_finished(place, model, answered.usage, seconds=answered.seconds, refused=refused))
        if answer is None:
            raise LlmRefused(refused)
        return answer

    def _outcome(self, caller: Caller, call: LlmCall) -> Outcome:
        """How a call ended. What no answer can be had after closes the gate, before the next call passes it."""
        try:
            outcome = caller.ask(call)
        except (LlmRetryable, LlmUnavailable) as err:
            if caller.stopped:
                raise Abandoned("the run stops") from err
            raise self._unanswered(err) from err
        except PluginError as err:
            raise self._failed(err) from err
        refusal = outcome.refusal
        if refusal is not None and not isinstance(refusal, LoggedRefusal) and not self.ledger.total.calls:
            # Nothing was ever answered: that is no matter of this request.
            raise self._unanswered(refusal) from refusal
        return outcome

    def _unanswered(self, err: Exception) -> EvograftError:
        return self._failed(ServiceError(f"llm driver {self._section.driver!r} gives no answer: {err}"))

    def _failed(self, failure: EvograftError) -> EvograftError:
        """Notes the first failure, which ends the run whatever plugins make of it."""
        self._failure = self._failure or failure
        self._gate.close(failure)
        return failure

    def _usage(self, call: LlmCall, answer: LlmAnswer) -> Usage:
        """Tokens as the provider counted them, else as many as the texts have bytes; dollars by the run's prices."""
        usage = answer.usage
        if usage is None:
            usage = upper_bound(call.request).model_copy(update={"completion_tokens": len(answer.text.encode())})
        return priced(usage, self._prices.get(call.request.model))

    @contextmanager
    def _ending_the_hook(self) -> Iterator[None]:
        """What ends the run ends the hook that asked, past whatever the plugin catches."""
        try:
            yield
        except Abandoned as err:
            raise CallEnded(err) from err
        except EvograftError as err:
            raise CallEnded(self._failed(err)) from err


def _to_nobody(_event: Event) -> None:
    """Before anybody wants to hear of calls."""


def _finished(place: Place, model: str, usage: Usage, **more: object) -> CallFinished:
    return CallFinished.model_validate(
        {"trial": place.trial, "hook": place.hook, "plugin": place.plugin, "model": model, "usage": usage, **more}
    )
