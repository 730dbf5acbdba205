"""The verdict of a final evaluation: success as specified, and next to it a strict verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from evograft_graph_invariant.baselines.protocol import HEADINGS, SYMBOLIC, BaselineName
from evograft_graph_invariant.evaluation.data_splits import OOD_NAMES
from evograft_graph_invariant.scoring.intervals import Ends
from evograft_hookspecs import FrozenDict

VALIDATION = 0.85
PHASE_TWO = 0.80
DECIDING: tuple[BaselineName, ...] = (*SYMBOLIC, "exhaustive")
"""The symbolic baseline of the success rule is the first of these that ran."""
STRICT_TEST = 0.98
STRICT_OOD = 0.95
STRICT_NODES = 30
ENOUGH = 0.9
"""The share of a set that has to be answered for its ρ to count."""


@dataclass(frozen=True)
class Score:
    """ρ of a method on a set."""

    rho: float
    """Signed, over the graphs that it answers."""
    answered: float = 1.0
    interval: Ends | None = None
    """The 95 % interval of ρ; `None` where nobody asked."""

    @property
    def counted(self) -> float:
        """|ρ|, or 0 where too little is answered."""
        return abs(self.rho) if self.answered >= ENOUGH else 0.0

    @property
    def least(self) -> float:
        """The end of the interval that is closer to 0, or `counted` without one."""
        if self.interval is None or self.counted == 0.0:
            return self.counted
        sign = math.copysign(1.0, self.rho)
        return min(sign * end for end in self.interval)


Scores = Mapping[str, Score]
"""A method's ρ by data set."""


@dataclass(frozen=True)
class Decision:
    """One verdict and why."""

    holds: bool | None
    """`None` where it cannot be decided."""
    why: str

    @property
    def word(self) -> str:
        return {True: "yes", False: "no", None: "not decided"}[self.holds]


@dataclass(frozen=True)
class Verdict:
    """The three of them."""

    success: Decision
    phase_two: Decision
    strict: Decision


def give_verdict(
    candidate: Scores,
    nodes: int,
    baselines: Mapping[str, Scores],
    *,
    leaks: Mapping[str, str] = FrozenDict(),
) -> Verdict:
    """Judge a candidate.

    Args:
        candidate: its ρ on all sets.
        nodes: its AST nodes.
        baselines: the ρ on all sets of the methods that ran, by heading.
        leaks: what it restates that may not be used, by set.
    """
    if leaks:
        leaked = Decision(holds=False, why="; ".join(f"leak on {name}: {what}" for name, what in leaks.items()))
        return Verdict(leaked, leaked, leaked)
    success = _decide_success(candidate["validation"].counted, baselines)
    return Verdict(success, _decide_phase_two(success, candidate["test"].counted), _decide_strict(candidate, nodes))


def find_symbolic_baseline(baselines: Mapping[str, Scores]) -> str | None:
    """Return PySR where it ran, else PyOperon, else the exhaustive search, which needs no library."""
    return next((HEADINGS[method] for method in DECIDING if HEADINGS[method] in baselines), None)


def _decide_success(rho: float, baselines: Mapping[str, Scores]) -> Decision:
    if rho < VALIDATION:
        return Decision(holds=False, why=f"validation rho {rho:.4f} < {VALIDATION}")
    baseline = find_symbolic_baseline(baselines)
    if baseline is None:
        why = f"validation rho {rho:.4f} >= {VALIDATION}, but no symbolic baseline ran"
        return Decision(holds=None, why=f"{why}: the option baselines names none of {', '.join(DECIDING)} that can run")
    other = abs(baselines[baseline]["validation"].rho)
    holds = rho >= other
    sign = ">=" if holds else "<"
    return Decision(
        holds=holds,
        why=f"validation rho {rho:.4f} >= {VALIDATION} and {sign} {other:.4f} of {baseline}, the symbolic baseline",
    )


def _decide_phase_two(success: Decision, rho: float) -> Decision:
    enough = rho >= PHASE_TWO
    why = f"test rho {rho:.4f} {'>=' if enough else '<'} {PHASE_TWO}"
    if not enough:
        return Decision(holds=False, why=why)
    return Decision(success.holds, why if success.holds else f"{why}, but success: {success.word}")


def _decide_strict(candidate: Scores, nodes: int) -> Decision:
    thresholds = [("test", candidate["test"], STRICT_TEST)]
    thresholds += [(short, candidate[name], STRICT_OOD) for short, name in OOD_NAMES.items() if name in candidate]
    missed = [_shortfall(name, score, bar) for name, score, bar in thresholds if score.least < bar]
    if nodes > STRICT_NODES:
        missed.append(f"{nodes} AST nodes > {STRICT_NODES}")
    has_ood = len(thresholds) > 1
    sets, over = (f", every OOD set >= {STRICT_OOD}", "their 95 % intervals") if has_ood else ("", "its 95 % interval")
    asked = f"test rho >= {STRICT_TEST}{sets}, over the whole of {over}, at most {STRICT_NODES} AST nodes"
    return Decision(not missed, "; ".join(missed) or asked)


def _shortfall(name: str, score: Score, bar: float) -> str:
    if score.answered < ENOUGH:
        return f"{name}: a value on {100 * score.answered:.0f} % < {100 * ENOUGH:.0f} %"
    if score.counted >= bar:
        return f"{name} rho {_floor(score.counted)}, but its 95 % interval begins at {_floor(score.least)} < {bar}"
    return f"{name} rho {_floor(score.counted)} < {bar}"


def _floor(rho: float) -> str:
    return f"{math.floor(rho * 1e4) / 1e4:.4f}"
