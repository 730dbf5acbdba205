"""Records of a run's log: trials, calls of models, controls and more, in the kernel's words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evograft_hookspecs import Control, Evaluation, Problem, Trial, Usage


@dataclass(frozen=True)
class ReplayedTrial:
    """A trial of a run that is repeated, and what of it no answer of a model says."""

    number: int
    model: str
    """The model that was drawn."""
    repairs: int
    """How often its candidate was repaired."""
    dollars: float | None = 0.0
    """What it has cost; `None`: a price is unknown."""


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


@dataclass(frozen=True)
class EvaluatedBefore:
    """A candidate was evaluated before it was handed in; the evaluation stays in the log."""

    key: str


Record = Header | Problem | Finished | BillableCall | ToolUsed | EvaluatedBefore | Control | FinalEvaluation
