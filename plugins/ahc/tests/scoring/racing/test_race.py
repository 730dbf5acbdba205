"""Races: which cases are run, and why one ends."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_ahc.contests.task import ContestTask, Scorer
from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.scoring.evaluation import build_evaluation
from evograft_ahc.scoring.racing.audit import Audit, is_audited
from evograft_ahc.scoring.racing.race import RacingRules, race, shuffle_cases
from evograft_ahc.scoring.references import References
from evograft_ahc.scoring.scale import ScoreScale

unhurried = settings(deadline=None)

CASES = tuple(f"{number:04}" for number in range(60))
SCORER = Scorer(program="tools/bin/score", channel="stderr", pattern=r"Score = (\d+)")


def scale(**changed):
    about = {"contest_id": "practice001", "interactive": False, "direction": "max", "time_limit_seconds": 2.0}
    about |= {"memory_limit_mb": 1024, "end_source": "practice", "scorer": SCORER}
    return ScoreScale(ContestTask(**{**about, **changed}), References())


class Program:
    """What a program scores on each case; `None` fails, other text is the kind of another outcome."""

    def __init__(self, scores):
        self.scores = scores
        self.blocks = []

    def run(self, cases):
        self.blocks.append(tuple(cases))
        return map(self._outcome, cases)

    def all(self):
        return [self._outcome(case) for case in CASES]

    def _outcome(self, case):
        score = self.scores[case]
        if isinstance(score, str):
            return CaseOutcome(case=case, kind=score)
        return CaseOutcome(case=case, kind="score" if score is not None else "runtime_error", score=score)


def program(make, seed=0):
    rng = random.Random(seed)
    return Program({case: make(rng) for case in CASES})


def judged(known, counted=None):
    return build_evaluation(known.all(), counted or scale(), cases=len(CASES), source="")


BAR = judged(program(lambda rng: rng.uniform(900, 1100)))


def run(candidate, incumbent=BAR, counted=None, **rules):
    return race(candidate.run, CASES, incumbent, counted or scale(), RacingRules(**rules))


def test_without_a_bar_all_cases_are_run_in_blocks():
    candidate = program(lambda _: 1.0)
    result = run(candidate, None, block=7)
    assert [len(block) for block in candidate.blocks] == [7] * 8 + [4]
    assert (result.ended, {outcome.case for outcome in result.outcomes}) == ("", set(CASES))


def test_who_is_far_below_the_bar_is_run_on_few_cases():
    result = run(program(lambda rng: rng.uniform(300, 500)))
    assert (result.ended, len(result.outcomes)) == ("below_bar", 10)


def test_who_is_above_the_bar_is_run_on_all():
    assert run(program(lambda rng: rng.uniform(1000, 1200))).ended == ""


def test_where_less_is_better_the_lower_scores_win():
    counted = scale(direction="min")
    incumbent = judged(program(lambda rng: rng.uniform(900, 1100)), counted)
    assert run(program(lambda rng: rng.uniform(300, 500)), incumbent, counted).ended == ""
    assert run(program(lambda rng: rng.uniform(1300, 1500)), incumbent, counted).ended == "below_bar"


def test_cases_that_the_bar_failed_are_won():
    incumbent = judged(program(lambda rng: None if rng.random() < 0.5 else 1000.0))
    assert run(program(lambda _: 600.0), incumbent).ended == ""
    assert run(program(lambda rng: None if rng.random() < 0.9 else 1000.0, seed=5), incumbent).ended == "below_bar"


def test_a_bar_of_other_cases_compares_on_those_that_are_shared():
    half = dict.fromkeys(CASES[:30], 1000.0)
    incumbent = BAR.model_copy(update={"cases": half, "metrics": {}})
    assert run(program(lambda rng: rng.uniform(300, 500)), incumbent).ended == "below_bar"
    assert run(program(lambda _: 0.0), incumbent.model_copy(update={"cases": {}})).ended == ""


@pytest.mark.parametrize("incumbent", [None, BAR])
def test_a_program_that_solves_nothing_is_run_on_one_block(incumbent):
    result = run(program(lambda _: None), incumbent)
    assert len(result.outcomes) == 5
    assert build_evaluation(result.outcomes, scale(), cases=60, source="", ended=result.ended).status == "rejected"


@pytest.mark.parametrize("incumbent", [None, BAR])
def test_a_contests_program_that_fails_ends_the_race(incumbent):
    candidate = program(lambda _: 1000.0)
    candidate.scores[shuffle_cases(CASES, 0)[7]] = "tester"
    result = run(candidate, incumbent)
    assert (result.ended, len(result.outcomes)) == ("", 10)


def test_in_a_short_contest_one_failed_case_ends_the_race():
    candidate = program(lambda _: 2000.0)
    candidate.scores[shuffle_cases(CASES, 0)[7]] = None
    short = scale(format="short")
    result = run(candidate, BAR, short)
    assert (result.ended, len(result.outcomes)) == ("failed_case", 10)
    evaluation = build_evaluation(result.outcomes, short, cases=60, source="", ended=result.ended)
    assert (evaluation.status, evaluation.score) == ("pruned", 0)
    assert run(candidate, None, short).ended == run(candidate, BAR, scale(format="long")).ended == ""


def test_a_race_that_ends_with_the_last_block_has_all_cases():
    candidate = program(lambda _: 2000.0)
    candidate.scores[shuffle_cases(CASES, 0)[-1]] = None
    result = run(candidate, BAR, scale(format="short"))
    assert (result.ended, len(result.outcomes)) == ("", 60)


@unhurried
@given(st.permutations(CASES), st.integers(0, 2**64))
def test_the_order_depends_on_the_seed_alone(cases, seed):
    assert shuffle_cases(cases, seed) == shuffle_cases(CASES, seed)
    assert sorted(shuffle_cases(cases, seed)) == sorted(CASES)


def test_each_seed_has_an_order_of_its_own():
    assert len({shuffle_cases(CASES, seed) for seed in range(20)}) == 20


@unhurried
@given(loss=st.integers(-200, 200), spread=st.integers(0, 200), seed=st.integers(0, 1000), block=st.integers(1, 60))
def test_no_case_is_run_twice_and_what_ended_a_race_is_below(loss, spread, seed, block):
    candidate = program(lambda rng: 1000.0 - loss + rng.uniform(-spread, spread), seed)
    result = run(candidate, block=block, seed=seed)
    ran = [outcome.case for outcome in result.outcomes]
    assert ran == list(shuffle_cases(CASES, seed))[: len(ran)]
    assert (len(ran) < len(CASES)) == (result.ended == "below_bar")
    if result.ended:
        assert sum(candidate.scores[case] - BAR.cases[case] for case in ran) < 0


def test_with_an_order_of_its_own_a_trial_is_estimated_by_its_differences():
    hard = {case: 10_000.0 if case in CASES[:30] else 100.0 for case in CASES}
    incumbent = judged(Program(hard))
    worse = Program({case: score - 50.0 for case, score in hard.items()})
    results = [run(worse, incumbent, has_own_order=True, seed=f"1 {trial}") for trial in range(5)]
    assert len({tuple(outcome.case for outcome in result.outcomes) for result in results}) == 5
    assert {result.ended for result in results} == {"below_bar"}
    assert [result.estimate for result in results] == [pytest.approx(incumbent.score - 60 * 50.0)] * 5


def test_an_audited_candidate_is_run_on_all_cases_and_says_when_it_would_have_been_given_up():
    candidate = program(lambda rng: rng.uniform(300, 500))
    result = run(candidate, is_audited=True)
    assert (result.ended, len(result.outcomes), result.audit.after) == ("", 60, 10)
    assert result.audit.gain == pytest.approx(sum(candidate.scores[case] - BAR.cases[case] for case in CASES) / 60)
    evaluation = result.audit.add_to(judged(candidate))
    assert (evaluation.status, Audit.find(evaluation)) == ("ok", result.audit)
    assert run(program(lambda rng: rng.uniform(1000, 1200)), is_audited=True).audit is None


def test_the_share_of_trials_that_is_audited_depends_on_their_seeds():
    audited = [seed for seed in range(1000) if is_audited(seed, 0.05)]
    assert audited == [seed for seed in range(1000) if is_audited(seed, 0.05)]
    assert 30 <= len(audited) <= 70
