"""Whether credit goes to what helps, and to what does nothing no oftener than chance says."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_hookspecs import Advice, Candidate, Evaluation, Proposal, Selection, Trial
from evograft_playbook.learning.credit import LEAST, estimate_effect
from evograft_playbook.learning.evidence import BulletEvidence

BULLETS = [f"shr-{number:05}" for number in range(1, 401)]


def late_gain(rng, turn):
    """Gains as runs have them: long tails at first, ever less later on, half of them nothing, some programs worthless."""
    if rng.random() < 0.15:
        return -math.inf
    return 0.0 if rng.random() < 0.5 else rng.paretovariate(1.1) * (1 if rng.random() < 0.3 else -1) / (1 + turn / 20)


@pytest.mark.parametrize(("trials", "left_out"), [(40, 0.25), (300, 0.25), (300, 0.5)])
def test_useless_bullets_are_not_credited_more_often_than_chance_says(trials, left_out):
    rng = random.Random(7)
    verdicts = []
    for _ in range(5):
        gains = [late_gain(rng, turn) for turn in range(trials)]
        for bullet in BULLETS:
            is_shown = [rng.random() >= left_out for _ in range(trials)]
            shown = [gain for gain, shows in zip(gains, is_shown, strict=True) if shows]
            kept_back = [gain for gain, shows in zip(gains, is_shown, strict=True) if not shows]
            estimate = estimate_effect(bullet, shown, kept_back)
            verdicts.append(estimate.verdict if estimate else "unknown")
    # 1 of 100 by chance, half of them to either side; four standard deviations for the luck of this test.
    most = 0.005 + 4 * math.sqrt(0.005 * 0.995 / len(verdicts))
    assert verdicts.count("helpful") / len(verdicts) <= most
    assert verdicts.count("harmful") / len(verdicts) <= most
    assert len(verdicts) == 2000


@pytest.mark.parametrize(("shift", "verdict"), [(0.8, "helpful"), (-0.8, "harmful")])
def test_what_does_something_is_found_in_most_runs(shift, verdict):
    rng = random.Random(3)
    verdicts = []
    for _ in range(200):
        shown, kept_back = ([rng.gauss(by, 1) for _ in range(n)] for by, n in ((shift, 150), (0.0, 50)))
        verdicts.append(estimate_effect("shr-00001", shown, kept_back).verdict)
    assert verdicts.count(verdict) > 180


def test_the_effect_is_how_probably_one_is_better_than_the_other():
    estimate = estimate_effect("shr-00001", [1, 2, 2, 5, 5, 5, 9, 9], [0, 2, 2, 2, 5, 7, 7, math.inf])
    pairs = [(a, b) for a in (1, 2, 2, 5, 5, 5, 9, 9) for b in (0, 2, 2, 2, 5, 7, 7, math.inf)]
    assert estimate.superiority == pytest.approx(sum((a > b) + 0.5 * (a == b) for a, b in pairs) / 64)
    # By hand: 64/12 · (17 - ties/(16·15)) with ties of 5, 4, 2 and 2 values.
    ties = sum(t**3 - t for t in (5, 4, 2, 2))
    assert estimate.margin == pytest.approx(2.576 * math.sqrt(64 / 12 * (17 - ties / 240)) / 64)


GAINS = st.lists(st.sampled_from([-math.inf, -1.0, 0.0, 0.5, 2.0]), min_size=LEAST, max_size=30)


@given(GAINS, GAINS)
def test_the_two_groups_in_each_others_place_give_the_opposite(shown, kept_back):
    there, back = estimate_effect("shr-00001", shown, kept_back), estimate_effect("shr-00001", kept_back, shown)
    if there is None:
        assert back is None
        assert len({*shown, *kept_back}) == 1
        return
    assert there.superiority + back.superiority == pytest.approx(1.0)
    assert there.margin == pytest.approx(back.margin)
    assert 0 <= there.superiority <= 1


@given(GAINS, GAINS)
def test_only_the_order_of_gains_counts(shown, kept_back):
    def stretched(gains):
        return [gain**3 + 2 * gain for gain in gains]

    there = estimate_effect("shr-00001", shown, kept_back)
    assert estimate_effect("shr-00001", stretched(shown), stretched(kept_back)) == there


def test_a_few_trials_say_nothing():
    assert estimate_effect("shr-00001", [9.0] * 100, [0.0] * (LEAST - 1)) is None


# -- what counts as evidence ------------------------------------------------------------------------------------------


def trial(number, score, *, offered=(), used=None, parents=(0,), status="ok", operator="o.p"):
    ids = [f"playbook.{each}" for each in offered]
    used = ids if used is None else [f"playbook.{each}" for each in used]
    candidate = Candidate(
        kind="k", files={"main": str(number)}, operator=operator, trial=number, used_advice=tuple(used)
    )
    proposal = Proposal(id="p", operator=operator, advice=tuple(Advice(id=each, text="t") for each in ids))
    return Trial(
        number=number,
        view=0,
        selection=Selection(parents=parents),
        proposal=proposal,
        candidate=candidate,
        evaluation=Evaluation(status=status, score=score, reason="" if status == "ok" else "because"),
    )


class Run:
    def __init__(self):
        self.evidence, self.commits = BulletEvidence(), 0
        self.add(trial(0, 10.0, parents=()))

    def add(self, trial, fitting=("shr-00001",)):
        self.evidence.add(trial, fitting, commit=self.commits)
        self.commits += 1

    def alternate(self, count=40, **more):
        """Trials with and without the bullet; those with it gain."""
        for number in range(self.commits, self.commits + count):
            shows = number % 2
            offered = ("shr-00001",) if shows else ("shr-00002",)
            self.add(trial(number, 11.0 if shows else 9.0, **{"offered": offered, **more}))

    def verdicts(self, since=0):
        return {each.bullet_id: each.verdict for each in self.evidence.estimates(since=since)}


@pytest.fixture
def run():
    return Run()


def test_a_bullet_is_credited_by_the_trials_it_was_kept_from(run):
    run.alternate()
    assert run.verdicts() == {"shr-00001": "helpful"}


def test_operators_that_read_no_advice_say_nothing_of_bullets(run):
    run.alternate(used=())
    assert run.verdicts() == {}


def test_gains_are_those_over_the_better_parent(run):
    run.add(trial(1, 50.0), fitting=())
    for number in range(2, 42):
        shows = number % 2
        parents, score = ((0, 1), 51.0) if shows else ((0,), 12.0)
        run.add(
            trial(number, score, parents=parents, offered=("shr-00001",) if shows else ("shr-00002",)),
        )
    assert run.verdicts() == {"shr-00001": "harmful"}


def test_rejected_trials_are_worse_than_any_score_and_failed_ones_say_nothing(run):
    for number in range(1, 41):
        offered = ("shr-00001",) if number % 2 else ("shr-00002",)
        run.add(trial(number, None if number % 2 else -1e9, status="rejected" if number % 2 else "ok", offered=offered))
    assert run.verdicts() == {"shr-00001": "harmful"}
    other = Run()
    for number in range(1, 41):
        other.add(trial(number, None, status="failed", offered=("shr-00001",) if number % 2 else ("shr-00002",)))
    assert other.verdicts() == {}


def test_an_offered_bullet_that_did_not_enter_the_prompt_is_in_neither_group(run):
    for number in range(1, 41):
        shows = number % 2
        run.add(
            trial(
                number,
                11.0 if shows else 9.0,
                offered=("shr-00001", "shr-00002") if shows else ("shr-00002",),
                used=("shr-00002",),
            )
        )
    assert run.verdicts() == {}


def test_ids_that_no_trial_was_offered_are_not_credited(run):
    run.alternate(used=("../../etc", "shr-99999"))
    assert run.verdicts() == {}


def test_trials_before_a_commit_are_left_out(run):
    run.alternate()
    assert run.verdicts(since=30) == {}


def test_trials_under_older_settings_say_nothing_whenever_they_are_committed(run):
    run.alternate()
    run.evidence.restart(61)
    run.alternate(20)
    assert run.verdicts() == {}
    run.alternate()
    assert run.verdicts() == {"shr-00001": "helpful"}
