"""The share of the month's money that a run may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from evograft_graph_invariant.constrained.ledger_file import MonthlyLedger, NotGranted
from evograft_hookspecs import Price, RunStarted, Usage


@dataclass(frozen=True)
class RunAllowance:
    """The allowance of one session of a run."""

    run: str
    """Its folder, which distinguishes its calls from those of other runs."""
    prices: Mapping[str, Price | None]
    """Prices of the pipeline's models; `None`: unknown."""
    usual_model: str
    """The first model that trials draw; empty: there is none."""
    is_replay: bool
    """Whether a recorded run answers: what it was granted, it was granted then, and nothing is spent."""
    ledger: MonthlyLedger
    most: float
    """US dollars in a month."""

    @classmethod
    def of(cls, started: RunStarted, most: float) -> Self:
        from evograft.api import pipeline_from, user_folder

        llm = pipeline_from(started.pipeline, source=started.run).llm
        return cls(
            run=started.folder,
            prices={model.name: model.price for model in llm.models},
            usual_model=next((model.name for model in llm.models if model.weight), ""),
            is_replay=llm.driver == "replay",
            ledger=MonthlyLedger(user_folder("state") / "graph_invariant" / "fallback-spending.json"),
            most=most,
        )

    def reserve(self, call: str, model: str, bound: Usage) -> float:
        """Set aside the most that a call may cost, and return that amount.

        Raises:
            NotGranted: the model may not be asked.
        """
        from evograft.api import price_of_usage

        if self.is_replay:
            return 0.0
        if model not in self.prices:
            raise NotGranted(f"the fallback model {model!r} is not among the pipeline's llm.models")
        dollars = price_of_usage(bound, self.prices[model]).dollars
        if dollars is None:
            raise NotGranted(f"nobody knows the price of {model!r}: give it as `price` in llm.models")
        if dollars:
            self.ledger.reserve(self._key(call), dollars, most=self.most)
        return dollars

    def settle(self, call: str, dollars: float) -> None:
        """Record what a call has cost.

        Raises:
            NotGranted: it cannot be noted.
        """
        if not self.is_replay:
            self.ledger.settle(self._key(call), dollars)

    def _key(self, call: str) -> str:
        return f"{self.run}#{call}"
