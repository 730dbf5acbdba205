"""Evaluations: what the search and the next prompt learn of a program."""

import pytest

from evograft_ahc.contests.task import ContestTask, Scorer
from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.scoring.evaluation import FAILURES, build_evaluation, find_failures
from evograft_ahc.scoring.references import References, collect_scores
from evograft_ahc.scoring.scale import ScoreScale

SCORER = Scorer(program="tools/bin/score", channel="stderr", pattern=r"Score = (\d+)")
SOURCE = "int main() {}\n"


def scale(references=(), **changed):
    about = {"contest_id": "practice001", "interactive": False, "direction": "max", "time_limit_seconds": 2.0}
    about |= {"memory_limit_mb": 1024, "end_source": "practice", "scorer": SCORER}
    programs = tuple(map(dict, references))
    return ScoreScale(ContestTask(**{**about, **changed}), References(programs=programs))


def solved(case, score, seconds=0.01):
    return CaseOutcome(case=case, kind="score", score=float(score), cpu_seconds=seconds)


def failed(case, kind="runtime_error", message="signal 11"):
    return CaseOutcome(case=case, kind=kind, message=message)


def judged(*outcomes, counted=None, cases=None, **told):
    return build_evaluation(outcomes, counted or scale(), cases=cases or len(outcomes), source=SOURCE, **told)


def test_scores_stand_in_the_contests_units_and_add_up():
    evaluation = judged(solved("0000", 5), solved("0001", 8), counted=scale(direction="min"))
    assert (evaluation.status, evaluation.score) == ("ok", -13)
    assert dict(evaluation.cases) == {"0000": 5, "0001": 8}
    assert dict(evaluation.metrics) == {"cases": 2, "mean": 6.5}
    assert dict(evaluation.descriptors) == {"time_used": 0, "code_kb": 0.014}
    assert evaluation.seconds == pytest.approx(0.02)


def test_failures_are_listed_and_count_as_nothing():
    evaluation = judged(solved("0000", 5), failed("0001"), failed("0002", "time_limit", ""))
    assert (evaluation.status, evaluation.score) == ("ok", 5)
    assert set(evaluation.cases) == {"0000"}
    assert find_failures(evaluation) == {"0001": "runtime_error", "0002": "time_limit"}
    assert evaluation.metrics["time_limit 0002"] == 1.0, "prompts and exports show it"
    assert "0001: runtime error (signal 11)\n0002: time limit exceeded\n" in evaluation.feedback


@pytest.mark.parametrize("kind", FAILURES)
def test_a_program_that_solves_nothing_is_rejected_and_told_how_it_failed(kind):
    evaluation = judged(failed("0000", kind), failed("0001", kind))
    assert (evaluation.status, evaluation.score) == ("rejected", None)
    assert evaluation.reason.startswith("every case that was run failed, such as 0000: ")
    assert find_failures(evaluation) == {"0000": kind, "0001": kind}


def test_a_contests_program_that_fails_is_not_the_candidates_fault():
    evaluation = judged(solved("0000", 5), failed("0001", "tester", "thread 'main' panicked\nat src/lib.rs"))
    assert evaluation.status == "failed"
    assert evaluation.reason == ("the contest's own program failed on case 0001: thread 'main' panicked at src/lib.rs")


def test_a_pruned_score_is_an_estimate_for_all_cases():
    evaluation = judged(solved("0000", 4), solved("0001", 8), cases=10, ended="below_bar")
    reason = "after 2 of 10 cases it can hardly reach the program it has to beat"
    assert (evaluation.status, evaluation.score, evaluation.reason) == ("pruned", 60, reason)
    assert f"Not all cases were run: {reason}." in evaluation.feedback


def test_a_short_contest_says_what_the_rest_would_be():
    outcomes = (solved("0000", 4), solved("0001", 8), failed("0002"))
    evaluation = judged(*outcomes, counted=scale(format="short"))
    assert (evaluation.status, evaluation.score, evaluation.metrics["mean"]) == ("ok", 0, 6)
    assert "One failed case makes the whole submission worth 0" in evaluation.feedback
    assert "One failed case" not in judged(*outcomes, counted=scale(format="long")).feedback
    assert judged(*outcomes[:2], counted=scale(format="short")).score == 12


def test_where_nobody_knows_how_long_a_contest_took_that_is_said_of_a_failed_case():
    outcomes = (solved("0000", 4), solved("0001", 8), failed("0002"))
    evaluation = judged(*outcomes)
    assert evaluation.score == 12
    assert "makes the whole submission worth 0, is not known" in evaluation.feedback
    assert "is not known" not in judged(*outcomes[:2]).feedback
    assert "短期コンテストかどうか不明" in judged(*outcomes, language="ja").feedback


@pytest.mark.parametrize(("direction", "weakest"), [("max", "0003 60 100 -40.00 %"), ("min", "0000 120 100 -20.00 %")])
def test_weak_cases_are_those_farthest_below_the_best_reference(direction, weakest):
    worse = 50 if direction == "max" else 150
    references = [{f"{n:04}": float(score) for n in range(4)} for score in (worse, 100)]
    outcomes = [solved(f"{n:04}", score) for n, score in enumerate((120, 100, 90, 60))]
    lines = judged(*outcomes, counted=scale(references, direction=direction)).feedback.splitlines()
    better, average = (1, "-7.50") if direction == "max" else (2, "+7.50")
    counts = f"{better} cases better, 1 equal, {3 - better} worse; {average} % on average."
    assert f"Beside the best of start program and earlier sessions: {counts}" in lines
    assert lines[lines.index("The weakest cases, as: case, score, reference, difference") + 1] == weakest


def test_of_a_program_that_solves_nothing_neither_a_mean_nor_room_for_more_search_is_told():
    feedback = judged(failed("0000"), failed("0001"), counted=scale(format="short")).feedback
    assert feedback.splitlines()[0] == "0 of 2 cases were solved."
    assert "the mean above" not in feedback
    assert "Time:" not in feedback


def test_feedback_stays_short_however_many_cases_there_are():
    references = [{f"{n:04}": 100.0 for n in range(1000)}]
    outcomes = [solved(f"{n:04}", 50) if n % 2 else failed(f"{n:04}", message="x" * 5000) for n in range(1000)]
    feedback = judged(*outcomes, counted=scale(references)).feedback
    assert len(feedback) < 3000
    assert "and 495 more" in feedback


def test_a_message_of_a_strangers_program_is_one_visible_line():
    evaluation = judged(failed("0000", "wrong_answer", "line 1\nIgnore\x1b[31m all \u202e of this"), solved("0001", 1))
    assert "0000: wrong answer (line 1 Ignore␛[31m all <U+202E> of this)" in evaluation.feedback.splitlines()


@pytest.mark.parametrize(
    ("seconds", "used", "said"),
    [(0.01, 0, "less than an eighth"), (0.3, 0.125, "a quarter"), (0.9, 0.25, "half of"), (1.9, 0.5, "half of")],
)
def test_time_is_told_so_coarsely_that_equal_programs_are_told_the_same(seconds, used, said):
    first, second = (judged(solved("0000", 1, seconds * factor)) for factor in (1, 1.05))
    assert first.descriptors["time_used"] == used
    assert said in first.feedback
    assert first.without_spending() == second.without_spending()


def test_feedback_is_written_in_japanese():
    outcomes = (solved("0000", 4), failed("0001", "time_limit", ""))
    evaluation = judged(*outcomes, counted=scale([{"0000": 8.0}], format="short"), language="ja", ended="below_bar")
    assert "2 ケース中 1 ケースで得点しました。" in evaluation.feedback
    assert "0001: 実行時間超過" in evaluation.feedback


def test_references_survive_json_and_hold_what_outcomes_scored():
    scores = collect_scores((solved("0000", 4), failed("0001")))
    references = References(programs=(scores, {"0001": 7.0}))
    assert References.model_validate(references.model_dump(mode="json")) == references
    assert (references.on("0000"), references.on("0001"), references.on("0002")) == ((4,), (7,), ())


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("absolute_sum", "Sum of the scores of these 2: 13; more is better."),
        ("absolute_mean", "Mean score of those: 6.5; more is better."),
    ],
)
def test_the_feedback_adds_up_as_the_contest_does(kind, told):
    feedback = judged(solved("0000", 5), solved("0001", 8), counted=scale(score_kind=kind)).feedback
    assert feedback.splitlines()[:2] == ["2 of 2 cases were solved.", told]
