"""Races of candidates from real runs: they decide as full evaluation does, at less than half of its cost."""

import gzip
import json
import math
import random
from pathlib import Path
from statistics import fmean

import pytest

from evograft_ahc.contests.task import ContestTask, Scorer
from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.scoring.evaluation import build_evaluation
from evograft_ahc.scoring.racing.bridge_test import is_below
from evograft_ahc.scoring.racing.race import RacingRules, race
from evograft_ahc.scoring.references import References
from evograft_ahc.scoring.scale import ScoreScale

SETS = sorted((Path(__file__).parents[2] / "data").glob("*.json.gz"))
SCORER = Scorer(program="score", channel="stderr", pattern="(.*)")
TASK = ContestTask(
    contest_id="x",
    interactive=False,
    direction="max",
    time_limit_seconds=2.0,
    memory_limit_mb=1024,
    end_source="practice",
    scorer=SCORER,
)
SCALE = ScoreScale(TASK, References())


def outcomes(scores):
    return [
        CaseOutcome(case=case, kind="runtime_error" if score is None else "score", score=score)
        for case, score in scores.items()
    ]


def judged(scores, ended=""):
    return build_evaluation(outcomes(scores), SCALE, cases=len(scores), source="", ended=ended)


def test_there_is_a_set_of_each_contest_to_practise_on():
    assert [path.name for path in SETS] == ["practice001.json.gz", "practice002.json.gz"]


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.name)
def test_decisions_agree_with_full_evaluation_at_a_fraction_of_its_cost(path):
    found = json.loads(gzip.decompress(path.read_bytes()))
    assert len(found["candidates"]) >= 200
    programs = {each["trial"]: dict(zip(found["cases"], each["scores"], strict=True)) for each in found["candidates"]}
    bars = {each["trial"]: each["bar"] for each in found["candidates"] if each["bar"] is not None}
    agreed = ran = raced = 0
    for seed in range(3):
        for trial, bar in bars.items():
            scores, judged_bar = programs[trial], judged(programs[bar])
            result = race(
                lambda block, s=scores: outcomes({case: s[case] for case in block}),
                found["cases"],
                judged_bar,
                SCALE,
                RacingRules(seed=seed),
            )
            whole = sum(score or 0.0 for score in scores.values())
            given_up = len(result.outcomes) < len(scores)
            agreed += not (given_up and whole > judged_bar.score)
            ran += len(result.outcomes)
            raced += 1
    assert agreed / raced >= 0.95
    assert ran / raced / len(found["cases"]) <= 0.4


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.name)
def test_candidates_that_are_as_good_as_the_bar_are_given_up_no_more_often_than_agreed(path):
    found = json.loads(gzip.decompress(path.read_bytes()))
    scores = {each["trial"]: each["scores"] for each in found["candidates"]}
    raced = [(each["trial"], each["bar"]) for each in found["candidates"] if each["bar"] is not None]
    # Each in an order of its own: candidates of a run resemble one another, and one order is good or bad luck for all.
    rng, given_up = random.Random(5), []
    for trial, bar in 5 * raced:
        differences = [ours - theirs for ours, theirs in zip(scores[trial], scores[bar], strict=True)]
        mean, cases = fmean(differences), len(differences)
        order = [value - mean for value in rng.sample(differences, cases)]
        given_up.append(any(is_below(order[:count], cases, 0.05, step=5) for count in range(5, cases, 5)))
    # Two standard errors more.
    assert fmean(given_up) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / len(given_up))
