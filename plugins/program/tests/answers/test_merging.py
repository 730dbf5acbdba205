"""Cascades: what the answers of their stages are together."""

from evograft_program.answers.decoding import MetricsAndArtifacts
from evograft_program.answers.merging import merge_stages
from evograft_program.answers.results import StageFailure


def test_later_stages_go_before_earlier_ones_and_flags_become_numbers():
    merged = merge_stages(
        [
            ("stage1", {"valid": True, "score": 0.2, "error": 1.0, "note": "one"}),
            ("stage2", MetricsAndArtifacts({"score": 0.6, "error": "slow"}, {"plot": b"x"})),
        ]
    )
    assert merged == MetricsAndArtifacts({"valid": 1, "score": 0.6}, {"note": "one", "error": "slow", "plot": b"x"})
    assert not isinstance(merged.metrics["valid"], bool)


def test_a_single_stage_is_left_as_it_is():
    assert merge_stages([("stage1", {"valid": True, "error": 0.0})]) == MetricsAndArtifacts(
        {"valid": True, "error": 0.0}
    )


def test_artifacts_in_a_dict_of_metrics_are_artifacts():
    merged = merge_stages([("stage1", {"a": 1, "artifacts": {"x": 1, "y": 1}}), ("stage2", {"artifacts": {"x": 2}})])
    assert merged == MetricsAndArtifacts({"a": 1}, {"x": 2, "y": 1})


def test_a_later_stage_that_fails_leaves_what_the_earlier_ones_said():
    failure = StageFailure("ValueError: no", "line 3")
    merged = merge_stages([("evaluate_stage1", {"combined_score": 0.7}), ("evaluate_stage2", failure)])
    assert merged == MetricsAndArtifacts(
        {"combined_score": 0.7, "stage2_passed": 0.0},
        {"stage2 failed": "ValueError: no", "stage2 traceback": "line 3"},
    )


def test_a_later_stage_that_returns_something_odd_adds_no_number():
    merged = merge_stages([("stage1", {"a": 0.7, "ok": True}), ("stage2", None)])
    said = {"stage2 failed": "the evaluator returned nothing, not a number or a dict of metrics"}
    assert merged == MetricsAndArtifacts({"a": 0.7, "ok": 1}, said)


def test_a_later_stage_that_runs_out_of_time_is_flagged():
    merged = merge_stages([("stage1", {"a": 0.7}), ("stage2", StageFailure("time-out", is_timeout=True))])
    assert merged == MetricsAndArtifacts(
        {"a": 0.7, "stage2_passed": 0.0, "timeout": True}, {"stage2 failed": "time-out"}
    )


def test_a_first_stage_that_fails_is_the_answer():
    failure = StageFailure("it raised")
    assert merge_stages([("stage1", failure)]) == failure
    assert merge_stages([]) == StageFailure("the evaluator gave no answer")
