"""Answers of each style and the evaluations that they are."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evograft.api import UserError, validate
from evograft_hookspecs import Evaluation
from evograft_program.answers.decoding import MetricsAndArtifacts, OpaqueObject
from evograft_program.answers.reading import read_answer
from evograft_program.answers.results import StageFailure
from evograft_program.options import EvaluatorStyle, ScoreRules

NAN, INF = math.nan, math.inf
PLAIN = ScoreRules()
OPENEVOLVE, SHINKA, GEPA, CONTAINER, FUNCTION, COMMAND = (
    EvaluatorStyle(name) for name in ("openevolve", "shinka", "gepa", "container", "function", "command")
)


def whole(value):
    """An answer of an evaluator without stages."""
    return [("", value)]


def files(metrics, *, correct=True, error=None):
    return {"metrics": metrics, "correct": {"correct": correct, "error": error}}


SCORES = {
    "combined score": (OPENEVOLVE, whole({"combined_score": 0.5, "other": 9.0}), 0.5),
    "combined score as text": (OPENEVOLVE, whole({"combined_score": "0.5"}), 0.5),
    "combined score as text, and an error": (OPENEVOLVE, whole({"combined_score": "0.5", "error": "slow"}), 0.5),
    "combined score that is no number": (OPENEVOLVE, whole({"combined_score": None, "a": 0.25}), 0.25),
    "mean": (OPENEVOLVE, whole({"a": 0.5, "b": 1.5, "ok": True, "nan": NAN, "text": "x"}), 1.0),
    "mean with an error that is a number": (OPENEVOLVE, whole({"a": 1.0, "error": 0.0}), 0.5),
    "mean without the usual features": (OPENEVOLVE, whole({"a": 1.0, "complexity": 9.0, "diversity": 9.0}), 1.0),
    "features only": (OPENEVOLVE, whole({"complexity": 2.0, "diversity": 4.0}), 3.0),
    "result": (OPENEVOLVE, whole(MetricsAndArtifacts({"combined_score": 3}, {"a": "b"})), 3.0),
    "bare number": (OPENEVOLVE, whole(0.5), 0.5),
    "stages": (OPENEVOLVE, [("stage1", {"a": True, "b": 0.5}), ("stage2", {"c": 0.0})], 0.5),
    "a second stage that fails": (OPENEVOLVE, [("stage1", {"a": 1.0}), ("stage2", StageFailure("no"))], 0.5),
    "files": (SHINKA, files({"combined_score": 2, "public": {"a": 1}}), 2.0),
    "files without a score": (SHINKA, files({"public": {"a": 1}}), 0.0),
    "no metrics but correct": (SHINKA, files(None), 0.0),
    "text's score": (GEPA, 0.25, 0.25),
    "text's score with side information": (GEPA, (1, {"Feedback": "good"}), 1.0),
    "examples": (GEPA, [0.0, (1.0, {"Feedback": "good"})], 0.5),
    "function's score": (FUNCTION, 3, 3.0),
    "right or wrong": (GEPA, [True, False, (True, {})], 2 / 3),
    "function's metrics": (FUNCTION, {"score": 0.5, "other": 1.0}, 0.5),
    "function's only number": (FUNCTION, {"speed": 7.5, "valid": True, "note": "x"}, 7.5),
    "printed number": (COMMAND, "warming up\n\n0.75\n", 0.75),
    "printed number that is no JSON": (COMMAND, ".75", 0.75),
    "printed object": (COMMAND, 'log\n{"score": 2, "time": 3}\n', 2.0),
    "printed object over lines": (COMMAND, '{\n"combined_score": 2,\n"time": 3}', 2.0),
    "container": (CONTAINER, '{"status": "success", "combined_score": 0.5, "metrics": {"a": 1, "b": 2}}', 0.5),
    "container's inner score": (CONTAINER, '{"combined_score": 0.5, "metrics": {"combined_score": 0.75}}', 0.75),
    "container with a remark": (CONTAINER, '{"status": "error", "combined_score": 0.5, "metrics": {}}', 0.5),
}


@pytest.mark.parametrize("case", SCORES)
def test_the_score_is_what_the_style_says(case):
    style, answer, score = SCORES[case]
    found = read_answer(style, answer, PLAIN)
    assert (found.status, found.score) == ("ok", score)


REASONS = {
    "only an error": (OPENEVOLVE, whole({"error": "no such function"}), "the evaluator says: no such function"),
    "only a numeric error": (OPENEVOLVE, whole({"error": 0.0, "timeout": True}), "answered with an error only"),
    "an error explained": (
        OPENEVOLVE,
        whole(MetricsAndArtifacts({"error": 0.0}, {"stderr": "boom"})),
        "the evaluator says: boom",
    ),
    "nothing": (OPENEVOLVE, whole(None), "the evaluator returned nothing, not a number or a dict of metrics"),
    "no numbers": (OPENEVOLVE, whole({"a": "b"}), "no score: the evaluator gave no number"),
    "a list": (FUNCTION, [1, 2, 3], "the evaluator returned list, not a number"),
    "an object": (FUNCTION, OpaqueObject("<X at 1>"), "the evaluator returned <X at 1>"),
    "nan": (OPENEVOLVE, whole({"combined_score": NAN}), "the score is nan"),
    "infinite": (OPENEVOLVE, whole({"combined_score": -INF}), "the score is -inf"),
    "infinite mean": (OPENEVOLVE, whole({"a": INF, "b": 1}), "the score is inf"),
    "beyond a float": (FUNCTION, 10**400, "the score is inf"),
    "exception": (OPENEVOLVE, whole(StageFailure("ValueError: no", "line 3")), "ValueError: no"),
    "exception anywhere": (GEPA, StageFailure("ValueError: no"), "ValueError: no"),
    "no stage": (OPENEVOLVE, [], "the evaluator gave no answer"),
    "not correct": (SHINKA, files({"combined_score": 9}, correct=False, error="two\nlines"), "not correct: two lines"),
    "not correct without a word": (
        SHINKA,
        files({"combined_score": 9}, correct=False),
        "not correct, says correct.json",
    ),
    "no file": (SHINKA, {"metrics": {"combined_score": 9}, "correct": None}, "the evaluator wrote no correct.json"),
    "no files at all": (SHINKA, None, "the evaluator wrote no correct.json"),
    "odd metrics": (SHINKA, {"metrics": [1], "correct": {"correct": True}}, "metrics.json holds list, not an object"),
    "a score in words": (SHINKA, files({"combined_score": "high"}), "no score: the evaluator gave no number"),
    "nan in a file": (SHINKA, files({"combined_score": NAN}), "the score is nan"),
    "no example": (GEPA, [], "there was no example to evaluate"),
    "an example that fails": (GEPA, [1.0, StageFailure("KeyError: 'x'")], "KeyError: 'x'"),
    "several numbers": (FUNCTION, {"a": 1, "b": 2}, "none of a, b is called combined_score or score; --metric"),
    "empty output": (COMMAND, "", "the last line of the output is neither a number nor a JSON object"),
    "words": (COMMAND, "done", "the last line of the output is neither a number nor a JSON object"),
    "a printed flag": (COMMAND, "true", "the last line of the output is neither"),
    "a printed pair": (COMMAND, "[1, {}]", "the last line of the output is neither"),
    "a printed list": (COMMAND, "[1]", "the last line of the output is neither a number nor a JSON object"),
    "printed nan": (COMMAND, "nan", "the score is nan"),
    "container's error": (
        CONTAINER,
        '{"status": "error", "combined_score": 0.0, "artifacts": {"error": "bad shape"}}',
        "error: bad shape",
    ),
    "container's time-out": (CONTAINER, '{"status": "timeout", "combined_score": 0}', "the evaluator says timeout"),
}


@pytest.mark.parametrize("case", REASONS)
def test_a_candidate_without_a_score_is_rejected_with_the_reason(case):
    style, answer, reason = REASONS[case]
    found = read_answer(style, answer, PLAIN)
    assert found.status == "rejected"
    assert reason in found.reason
    assert "\n" not in found.reason


def test_less_is_better_where_the_rules_say_so_and_metrics_stay():
    found = read_answer(FUNCTION, {"score": 3.5}, ScoreRules(minimise=True))
    assert (found.score, dict(found.metrics)) == (-3.5, {"score": 3.5})


def test_the_metric_that_counts_can_be_named():
    answer = whole({"combined_score": 1.0, "speed": 7.0, "fast": True})
    assert read_answer(OPENEVOLVE, answer, ScoreRules(metric="speed")).score == 7.0
    missing = read_answer(OPENEVOLVE, answer, ScoreRules(metric="sped"))
    assert missing.reason == "there is no number 'sped' among the metrics: combined_score, speed, fast"


@pytest.mark.parametrize(("score", "status"), [(0.0, "ok"), (1.0, "ok"), (1.5, "rejected"), (-0.1, "rejected")])
def test_a_score_outside_the_bounds_is_rejected(score, status):
    found = read_answer(FUNCTION, score, ScoreRules(bounds=(0.0, 1.0), minimise=True))
    assert found.status == status
    if status == "rejected":
        assert found.reason == f"the score is {score:g}, outside the bounds 0 to 1"


def test_the_last_match_of_a_pattern_is_the_score():
    rules = ScoreRules(pattern=r"time: (\S+)")
    assert read_answer(COMMAND, "time: 3\ntime: 2.5 s", rules).score == 2.5
    assert read_answer(COMMAND, "nothing", rules).reason == r"the output has nothing that matches time: (\S+)"
    assert read_answer(COMMAND, "time: fast", rules).reason == "'fast' in the output is not a number"


def test_a_pattern_has_a_group_and_can_be_compiled():
    with pytest.raises(ValueError, match="has no group"):
        ScoreRules(pattern="time")
    with pytest.raises(ValueError, match="not a regular expression"):
        ScoreRules(pattern="(")


def test_numbers_are_metrics_and_all_else_is_feedback():
    found = read_answer(
        OPENEVOLVE,
        whole(
            {
                "combined_score": 1,
                "ok": True,
                "bad": NAN,
                "note": "two\nlines",
                "list": [1, INF],
                "artifacts": {"log": b"\xff"},
            }
        ),
        PLAIN,
    )
    assert dict(found.metrics) == {"combined_score": 1.0, "ok": 1.0}
    assert found.feedback == 'bad: nan\nnote:\ntwo\nlines\nlist: [1, "inf"]\nlog: \N{REPLACEMENT CHARACTER}'


def test_feature_dimensions_are_descriptors():
    rules = ScoreRules(feature_dimensions=("size",))
    found = read_answer(OPENEVOLVE, whole({"a": 1.0, "size": 30}), rules)
    assert (found.score, dict(found.descriptors)) == (1.0, {"size": 30.0})


def test_models_see_what_is_public_and_nothing_that_is_private():
    metrics = {
        "combined_score": 1.0,
        "public": {"radius": 2, "shape": "round"},
        "private": {"hidden": 0.5},
        "text_feedback": "closer",
        "execution_time_mean": 0.25,
    }
    found = read_answer(SHINKA, files(metrics), PLAIN)
    assert dict(found.metrics) == {"combined_score": 1.0, "radius": 2.0}
    assert found.feedback == "shape: round\ncloser"
    assert found.details == {"hidden": {"private": {"hidden": 0.5}, "execution_time_mean": 0.25}}


def test_long_lists_are_shown_by_their_ends_and_kept_whole():
    numbers = list(range(5_000))
    found = read_answer(OPENEVOLVE, whole({"a": 1, "artifacts": {"points": numbers, "kept": numbers}}), PLAIN)
    assert '498, 499, "… 4000 left out …", 4500' in found.feedback
    assert json.loads(found.kept) == numbers


def test_what_is_hidden_is_bounded():
    found = read_answer(SHINKA, files({"combined_score": 1, "raw": ["x" * 50] * 900, "few": [1, 2]}), PLAIN)
    assert found.details["hidden"]["few"] == (1, 2)
    assert len(found.details["hidden"]["raw"]) <= 8_000


def test_side_information_is_metrics_objectives_and_feedback():
    found = read_answer(GEPA, (0.5, {"scores": {"speed": 2, "size": -1}, "tokens": 12, "Feedback": "shorter"}), PLAIN)
    assert dict(found.objectives) == {"speed": 2.0, "size": -1.0}
    assert dict(found.metrics) == {"tokens": 12.0}
    assert found.feedback == "Feedback: shorter"


def test_examples_are_cases_and_the_worst_is_read_first():
    answer = [(1.0, {"Output": "fine", "n": 1}), (0.0, {"Output": "wrong", "n": 3, "scores": {"a": 1}})]
    found = read_answer(GEPA, answer, PLAIN)
    assert dict(found.cases) == {"0": 1.0, "1": 0.0}
    assert (dict(found.metrics), dict(found.objectives)) == ({"n": 2.0}, {"a": 1.0})
    assert found.feedback.splitlines() == [
        "example 1, score: 0.0",
        "example 1, Output: wrong",
        "example 0, score: 1.0",
        "example 0, Output: fine",
    ]


@pytest.mark.parametrize(
    ("given", "kept"),
    [(b"\x00\xff", b"\x00\xff"), ("schön", "schön".encode()), ([[1, 2.5]], b"[[1, 2.5]]"), (None, b"")],
)
def test_what_is_kept_comes_from_the_artifacts_and_is_no_feedback(given, kept):
    found = read_answer(OPENEVOLVE, whole(MetricsAndArtifacts({"a": 1}, {"kept": given})), PLAIN)
    assert (found.kept, found.feedback) == (kept, "")


def test_the_stage_that_was_reached_is_recorded():
    assert read_answer(OPENEVOLVE, [("stage1", {"a": 1}), ("stage2", {"a": 2})], PLAIN).stage == "stage2"


def test_feedback_is_cut_in_the_middle():
    found = read_answer(OPENEVOLVE, whole({"a": 1, **{f"log{n}": "x" * 9_000 for n in range(4)}}), PLAIN)
    assert len(found.feedback) <= 20_000
    assert "characters left out" in found.feedback
    assert found.feedback.startswith("log0:\nxxx")


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**300, max_value=10**4000)
    | st.floats()
    | st.text(st.characters())
    | st.binary()
    | st.just("\ud800")
    | st.builds(OpaqueObject, st.text())
    | st.builds(StageFailure, st.text(), st.text())
)
KEYS = (
    st.text()
    | st.integers()
    | st.sampled_from(
        [
            "combined_score",
            "score",
            "error",
            "artifacts",
            "metrics",
            "kept",
            "public",
            "private",
            "correct",
            "scores",
            "status",
            "\ud800",
        ]
    )
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(KEYS, inner)
        | st.builds(MetricsAndArtifacts, st.dictionaries(KEYS, inner), st.dictionaries(KEYS, inner))
    ),
    max_leaves=20,
)
RULES = st.builds(
    ScoreRules,
    metric=st.sampled_from(["", "score", "\ud800"]),
    objectives=st.sampled_from([(), ("a", "-b")]),
    minimise=st.booleans(),
    bounds=st.sampled_from([None, (0.0, 1.0)]),
    pattern=st.sampled_from(["", "(.)"]),
    feature_dimensions=st.sampled_from([(), ("score",)]),
)


READ = sorted(set(EvaluatorStyle) - {EvaluatorStyle.STUDY})
"""Of a study, whoever asks says what is what."""


@given(st.sampled_from(READ), ANYTHING | st.lists(st.tuples(st.text(), ANYTHING)), RULES)
def test_whatever_an_evaluator_returns_there_is_an_evaluation(style, answer, rules):
    found = read_answer(style, answer, rules)
    assert found.status in ("ok", "rejected")
    assert Evaluation.model_validate_json(found.model_dump_json()) == found


@given(st.sampled_from([COMMAND, CONTAINER]), st.text() | ANYTHING.map(lambda value: json.dumps(repr(value))), RULES)
def test_whatever_is_printed_there_is_an_evaluation(style, text, rules):
    assert read_answer(style, text, rules).status in ("ok", "rejected")


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5_000, '{"a":' * 400 + "1" + "}" * 400, "\0", "\ud800"])
@pytest.mark.parametrize("style", READ)
def test_hostile_texts_are_read_too(style, text):
    assert read_answer(style, text, PLAIN).status == "rejected"


def test_metrics_that_are_named_are_objectives_and_those_with_a_minus_are_negated():
    rules = ScoreRules(metric="right", objectives=("right", "-seconds"))
    found = read_answer(EvaluatorStyle.FUNCTION, {"right": 0.5, "seconds": 3, "other": 1}, rules)
    assert (found.score, dict(found.objectives)) == (0.5, {"right": 0.5, "seconds": -3.0})
    assert dict(found.metrics) == {"right": 0.5, "seconds": 3.0, "other": 1.0}


@pytest.mark.parametrize(
    ("seconds", "why"),
    [
        ({}, "there is no number 'seconds' among the metrics: right"),
        ({"seconds": "3"}, "there is no number 'seconds' among the metrics: right, seconds"),
        ({"seconds": NAN}, "seconds is nan"),
    ],
)
def test_an_answer_without_an_objective_is_rejected_as_one_without_its_score_is(seconds, why):
    rules = ScoreRules(metric="right", objectives=("right", "-seconds"))
    found = read_answer(EvaluatorStyle.FUNCTION, {"right": 0.5, **seconds}, rules)
    alone = read_answer(EvaluatorStyle.FUNCTION, {"right": 0.5, **seconds}, ScoreRules(metric="seconds"))
    assert (found.status, found.reason) == (alone.status, alone.reason) == ("rejected", why)


@pytest.mark.parametrize(
    ("objectives", "minimise", "remedy"),
    [
        (("a", "-b"), True, "more of it is better: leave out --minimise, or write --objective -a,-b$"),
        (("b", "-a"), False, "less of it is better: add --minimise, or write --objective b,a$"),
    ],
)
def test_a_score_that_is_an_objective_has_one_direction(objectives, minimise, remedy):
    rules = {"metric": "a", "objectives": list(objectives), "minimise": minimise}
    with pytest.raises(UserError, match=remedy):
        validate(ScoreRules, rules, source="rules", shape="a mapping")
    assert ScoreRules(metric="other", objectives=objectives, minimise=minimise).minimise is minimise


@pytest.mark.parametrize("wrong", [("a", "-a"), ("--a",), ("",), ("-",)])
def test_objectives_are_metrics_each_once(wrong):
    with pytest.raises(ValidationError):
        ScoreRules(objectives=wrong)
