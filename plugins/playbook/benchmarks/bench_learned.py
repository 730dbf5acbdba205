"""Whether a learned playbook helped: recorded runs with and without it, at equal evaluations; nothing is run again.

python plugins/playbook/benchmarks/bench_learned.py
"""

import json
from itertools import accumulate
from pathlib import Path
from statistics import fmean

from scipy.stats import ttest_rel

RUNS = Path(__file__).with_name("learned")
SEEDS = range(1, 6)
OF_SEEDS = 8
"""Trials of the problem's own seed programs, the same in both runs."""


def best_so_far(name: str) -> list[float]:
    trials = map(json.loads, (RUNS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    return list(accumulate((trial["evaluation"]["score"] for trial in trials), max))


def lead(learned: list[float], empty: list[float]) -> str:
    differences = [more - less for more, less in zip(learned, empty, strict=True)]
    interval = ttest_rel(learned, empty).confidence_interval()
    wins = sum(difference > 0 for difference in differences)
    within = f"({interval.low:+.3f} to {interval.high:+.3f})"
    return f"{fmean(differences):+.3f} {within}, ahead in {wins} of {len(differences)}"


def main() -> None:
    curves = {arm: [best_so_far(f"{arm}-{seed}") for seed in SEEDS] for arm in ("empty", "learned")}
    print("best score after so many answers of the model, by seed")
    for arm, runs in curves.items():
        for seed, curve in zip(SEEDS, runs, strict=True):
            print(f"{arm:8} {seed}  " + "  ".join(f"{score:.3f}" for score in curve[OF_SEEDS - 1 :]))
    for answers in (1, 4, 8):
        at = OF_SEEDS - 1 + answers
        leads = lead(*([curve[at] for curve in curves[arm]] for arm in ("learned", "empty")))
        print(f"after {answers} answers: learned less empty {leads}, 95 % by Student's t")


if __name__ == "__main__":
    main()
