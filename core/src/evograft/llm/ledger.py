"""What calls of models have cost: a fold over the answers in the log, and over what requests without one have cost."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Sequence

from evograft.log.attribution import is_for_candidate
from evograft.log.records import BillableCall, CompletedCall
from evograft.log.spending import Spending
from evograft_hookspecs import LlmRequest, Price, Usage

PER_MILLION = 1e-6
MESSAGE_OVERHEAD = 16
"""Tokens that a provider may add around each message."""


class SpendingLedger:
    """Adds calls up, for the whole run, by model, and by trial until that is committed. For any thread.

    Args:
        dollars: what all calls and evaluations in the log have cost, long before they are added up one by one.
        tokens: of all calls in the log, likewise.
        calls: that were answered, likewise.
    """

    def __init__(self, dollars: float = 0.0, tokens: int = 0, calls: int = 0) -> None:
        self.total = Spending()
        self.by_model: defaultdict[str, Spending] = defaultdict(Spending)
        self.evaluations = 0.0
        """US dollars that evaluations say they cost."""
        self.beyond: defaultdict[str, int] = defaultdict(int)
        """By model the most tokens that a call was billed past what its request allows."""
        self._by_trial: defaultdict[int, Spending] = defaultdict(Spending)
        self._logged_dollars = dollars
        self._logged_tokens = tokens
        self._logged_calls = calls
        self._guard = threading.Lock()

    @property
    def dollars(self) -> float:
        """Return what was spent as far as the log was replayed."""
        return self.total.dollars + self.evaluations

    @property
    def spent_dollars(self) -> float:
        """Return all dollars that are known to be spent."""
        return max(self.dollars, self._logged_dollars)

    @property
    def spent_tokens(self) -> int:
        return max(self.total.tokens, self._logged_tokens)

    @property
    def spent_calls(self) -> int:
        """Return how many calls were answered."""
        return max(self.total.answered, self._logged_calls)

    def add_new(self, paid: BillableCall) -> None:
        """Add a call or request of this session."""
        with self._guard:
            self._logged_dollars += paid.usage.dollars or 0.0
            self._logged_tokens += paid.usage.prompt_tokens + paid.usage.completion_tokens
            self._logged_calls += paid.has_answer
        self.add(paid)

    def add(self, paid: BillableCall) -> None:
        with self._guard:
            self.total.add(paid)
            self.by_model[paid.model].add(paid)
            if isinstance(paid, CompletedCall):
                self.beyond[paid.model] = max(self.beyond[paid.model], paid.beyond)
            if paid.trial is not None and is_for_candidate(paid):
                self._by_trial[paid.trial].add(paid)

    def settle(self, trial: int) -> Spending:
        """Return what the calls of a trial have cost, once: when it is committed."""
        with self._guard:
            return self._by_trial.pop(trial, None) or Spending()


def price_of_usage(usage: Usage, price: Price | None) -> Usage:
    """Return the usage with its dollars: as whoever answered says, else by the run's own price; `None`: unknown."""
    if usage.dollars is not None:
        return usage
    if price is None:
        return usage.model_copy(update={"dollars": None})
    dollars = (usage.prompt_tokens * price.prompt + usage.completion_tokens * price.completion) * PER_MILLION
    return usage.model_copy(update={"dollars": dollars})


def total_usage(usages: Sequence[Usage]) -> Usage:
    """Return the sum of what requests have cost; its dollars are `None` where one's price is unknown."""
    if not usages:
        return Usage()
    dollars = [each.dollars for each in usages if each.dollars is not None]
    return Usage(
        prompt_tokens=sum(each.prompt_tokens for each in usages),
        completion_tokens=sum(each.completion_tokens for each in usages),
        dollars=sum(dollars) if len(dollars) == len(usages) else None,
        estimated=any(each.estimated for each in usages),
    )


def upper_bound(request: LlmRequest) -> Usage:
    """Return the most tokens that a call can take: no token is shorter than a byte."""
    prompt = sum(len(message.content.encode()) + MESSAGE_OVERHEAD for message in request.messages)
    return Usage(prompt_tokens=prompt, completion_tokens=request.max_tokens, estimated=True)
