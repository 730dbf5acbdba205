"""How races decide beside full evaluation, and what they cost: python plugins/ahc/benchmarks/bench_racing.py.

Candidates of real runs, each with its score on every case, race again against the bar that they had, in many orders of
the cases. A decision agrees if the candidate is given up and is not above the bar, or is not given up. Beside the races
of the plugin stand other tests with the same looks. With `--cases`, only so many of the cases are there to be run;
`--orders 1` tries in a minute whether it works.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from candidate_sets import Candidate, CandidateSet
from scipy import stats

from evograft_ahc.contests.task import ContestTask, Scorer
from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.scoring.evaluation import build_evaluation
from evograft_ahc.scoring.racing.race import RacingRules, race, shuffle_cases
from evograft_ahc.scoring.references import References
from evograft_ahc.scoring.scale import ScoreScale
from evograft_hookspecs import Evaluation

SETS = sorted((Path(__file__).parents[1] / "tests" / "data").glob("*.json.gz"))
ERROR_RATE = 0.05
BLOCK = RacingRules().block

Test = Callable[[Sequence[float], int], bool]
"""From the differences seen so far and the size of their population to whether the candidate is given up."""

TASK = ContestTask(
    contest_id="bench",
    interactive=False,
    direction="max",
    time_limit_seconds=2.0,
    memory_limit_mb=1024,
    end_source="practice",
    scorer=Scorer(program="score", channel="stderr", pattern="(.*)"),
)
SCALE = ScoreScale(TASK, References())


@dataclass(frozen=True)
class Entry:
    """A candidate and the bar it had."""

    candidate: dict[str, float | None]
    bar: dict[str, float | None]

    @property
    def is_above(self) -> bool:
        ours, theirs = (sum(score or 0.0 for score in scores.values()) for scores in (self.candidate, self.bar))
        return ours > theirs

    def as_good_as_the_bar(self) -> Entry:
        """The same differences, shifted until their mean is 0: whoever gives this candidate up errs."""
        mean = statistics.fmean(self.differences(tuple(self.bar)))
        return Entry({case: (score or 0.0) - mean for case, score in self.candidate.items()}, self.bar)

    def differences(self, order: Sequence[str]) -> list[float]:
        return [(self.candidate[case] or 0.0) - (self.bar[case] or 0.0) for case in order]


@dataclass(frozen=True)
class Measured:
    """Of one order of cases."""

    agreement: float
    runs: float
    """The share of case runs."""


def entries_of(found: CandidateSet) -> list[Entry]:
    by_trial = {each.trial: each for each in found.candidates}

    def scores(each: Candidate) -> dict[str, float | None]:
        return dict(zip(found.cases, each.scores, strict=True))

    return [Entry(scores(each), scores(by_trial[each.bar])) for each in found.candidates if each.bar is not None]


# -- tests ------------------------------------------------------------------------------------------------------------


def uncorrected(differences: Sequence[float], population: int) -> bool:
    """A paired t-test at every look as if it were the only one."""
    deviation = statistics.stdev(differences)
    if not deviation:
        return False
    left = 1 - len(differences) / population
    t = statistics.fmean(differences) / deviation * math.sqrt(len(differences) / left)
    return bool(stats.t.cdf(t, len(differences) - 1) < ERROR_RATE)


def wilcoxon(differences: Sequence[float], population: int) -> bool:
    """Wilcoxon's signed-rank test, the error rate divided by the looks (Bonferroni)."""
    if not any(differences):
        return False
    found = stats.wilcoxon(differences, alternative="less", method="asymptotic")
    return bool(found.pvalue < ERROR_RATE / (population / BLOCK))


def betting(bound: float) -> Test:
    """Bets that the mean of the rest is lower than if the whole had the mean 0 (without replacement, plug-in stakes).

    It is right whatever the distribution, if no difference is larger than `bound`: here the largest that there is,
    which a race could not know.
    """

    def test(differences: Sequence[float], population: int) -> bool:
        wealth, total, squares = 0.0, 0.0, 0.25 * bound**2
        for seen, value in enumerate(differences):
            rest = -total / (population - seen)
            mean = total / (seen + 1)
            variance = squares / (seen + 1)
            stake = max(0.0, min((rest - mean) / (variance + (rest - mean) ** 2), 0.5 / (bound - rest)))
            gain = 1 + stake * (rest - value)
            wealth += math.log(gain) if gain > 0 else -math.inf
            total += value
            squares += (value - total / (seen + 1)) ** 2
        return wealth > -math.log(ERROR_RATE)

    return test


def runs_of(differences: Sequence[float], test: Test) -> int:
    """How many cases are run."""
    looks = range(BLOCK, len(differences), BLOCK)
    return next((count for count in looks if test(differences[:count], len(differences))), len(differences))


# -- measuring --------------------------------------------------------------------------------------------------------


def race_of(entry: Entry, cases: Sequence[str], seed: int) -> int:
    """How many cases the plugin's own race runs."""

    def run(block: Sequence[str]) -> Iterator[CaseOutcome]:
        return (_outcome(case, entry.candidate[case]) for case in block)

    return len(race(run, cases, _evaluation(entry.bar), SCALE, RacingRules(BLOCK, ERROR_RATE, seed)).outcomes)


def _outcome(case: str, score: float | None) -> CaseOutcome:
    return CaseOutcome(case=case, kind="runtime_error" if score is None else "score", score=score)


def _evaluation(scores: dict[str, float | None]) -> Evaluation:
    outcomes = [_outcome(case, score) for case, score in scores.items()]
    return build_evaluation(outcomes, SCALE, cases=len(outcomes), source="")


def measured(entries: Sequence[Entry], runs: Callable[[Entry], int], cases: int) -> Measured:
    ran = [runs(entry) for entry in entries]
    wrong = sum(count < cases and entry.is_above for count, entry in zip(ran, entries, strict=True))
    return Measured(1 - wrong / len(entries), sum(ran) / cases / len(entries))


def show(name: str, found: Sequence[Measured]) -> None:
    agreement = statistics.fmean(each.agreement for each in found)
    least = min(each.agreement for each in found)
    runs = statistics.fmean(each.runs for each in found)
    print(f"| {name} | {100 * agreement:.2f} % | {100 * least:.1f} % | {100 * runs:.1f} % |")


def compare(found: CandidateSet, seeds: range) -> None:
    """Prints the table of a set, raced in the orders of these seeds."""
    entries, cases = entries_of(found), len(found.cases)
    above = sum(entry.is_above for entry in entries)
    print(
        f"{found.made}; {len(found.candidates)} candidates on {cases} cases, {len(entries)} had a bar, {above} are "
        "above it\n"
    )
    print("| | agreement | at least | case runs |\n| --- | ---: | ---: | ---: |")
    show("race", [measured(entries, lambda e, s=seed: race_of(e, found.cases, s), cases) for seed in seeds])
    orders = [shuffle_cases(found.cases, seed) for seed in seeds]
    others: dict[str, Callable[[Entry], Test]] = {
        "t-test, looks uncorrected": lambda _: uncorrected,
        "Wilcoxon, Bonferroni": lambda _: wilcoxon,
        "betting, largest difference known": lambda entry: betting(
            max(map(abs, entry.differences(found.cases))) + 1e-9
        ),
    }
    for name, test in others.items():
        show(name, [measured(entries, lambda e, o=o, t=test: runs_of(e.differences(o), t(e)), cases) for o in orders])
    print(f"\nAs good as the bar, and given up: {100 * _error_rate(entries, found.cases, len(seeds)):.1f} %")


def _error_rate(entries: Sequence[Entry], cases: Sequence[str], orders: int) -> float:
    """Give each candidate orders of its own.

    Those of a run resemble one another, and an order is good or bad luck for all.
    """
    shifted = [entry.as_good_as_the_bar() for entry in entries]
    races = ((entry, orders * place + order) for place, entry in enumerate(shifted) for order in range(orders))
    return statistics.fmean(race_of(entry, cases, seed) < len(cases) for entry, seed in races)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--orders", type=int, default=20)
    given = parser.parse_args()
    for path in SETS:
        print(f"\n## {path.name}\n")
        compare(CandidateSet.read(path).of_first(given.cases), range(given.orders))


if __name__ == "__main__":
    main()
