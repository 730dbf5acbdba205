"""What stands in for other engines where they are not installed."""

from __future__ import annotations

import json
import math

import pytest

from evograft_program.styles.imports import SHIMS
from evograft_program.worker.shims.gepa import optimize_anything
from evograft_program.worker.shims.openevolve.evaluation_result import EvaluationResult
from evograft_program.worker.shims.shinka.core import run_shinka_eval
from evograft_program.worker.shims.shinka.utils.distributions import normal_tail, student_quantile, student_tail
from evograft_program.worker.shims.shinka.utils.eval_stop import create_early_stop_method
from evograft_program.worker.shims.shinka.utils.wolfram import build_wolframscript_argv, is_wolframscript_available


@pytest.fixture
def evaluate(tmp_path):
    """Runs a program's `run`, and returns what was returned and what the two files say."""

    def run(source, **arguments):
        (tmp_path / "program.py").write_text(source)
        results = tmp_path / "results"
        arguments = {"experiment_fn_name": "run", "num_runs": 3, **arguments}
        answer = run_shinka_eval(str(tmp_path / "program.py"), str(results), **arguments)
        return answer, *(json.loads((results / f"{name}.json").read_text()) for name in ("metrics", "correct"))

    return run


def score(results):
    return {"combined_score": float(sum(results)), "public": {"count": len(results)}}


def test_a_result_holds_metrics_and_artifacts_and_counts_bytes():
    result = EvaluationResult(metrics={"combined_score": 1.0}, artifacts={"text": "ä", "data": b"123", "other": 12})
    assert result.to_dict() == {"combined_score": 1.0}
    assert result.has_artifacts()
    assert result.get_artifact_keys() == ["text", "data", "other"]
    assert [result.get_artifact_size(key) for key in ("text", "data", "other", "none")] == [2, 3, 2, 0]
    assert result.get_total_artifact_size() == 7
    assert not EvaluationResult.from_dict({"score": 1.0}).has_artifacts()


def test_what_is_logged_is_printed(capsys):
    optimize_anything.log("score", 3, sep="=")
    assert capsys.readouterr().out == "score=3\n"


def test_runs_get_seeds_from_one_on_and_their_metrics_go_to_files(evaluate):
    answer, metrics, correct = evaluate("def run(seed): return seed * 10", aggregate_metrics_fn=score)
    assert answer == (metrics, True, None)
    assert metrics["combined_score"] == 60.0
    assert metrics["execution_time_mean"] >= 0
    assert metrics["execution_time_std"] >= 0
    assert correct == {"correct": True, "error": None}


def test_arguments_of_runs_are_made_from_their_numbers(evaluate):
    _, metrics, _ = evaluate(
        "def run(a): return a", aggregate_metrics_fn=score, get_experiment_kwargs=lambda index: {"a": index}
    )
    assert metrics["combined_score"] == 3.0


def test_without_an_aggregation_there_is_a_preview(evaluate):
    _, metrics, _ = evaluate("def run(seed): return seed")
    assert metrics["num_successful_runs"] == 3
    assert metrics["raw_results_preview"] == "[1, 2]"


def test_invalid_results_are_counted_and_each_reason_is_told_once(evaluate):
    def validate(result):
        return (result == 2, None if result == 2 else "it is odd")

    answer, metrics, correct = evaluate("def run(seed): return seed", validate_fn=validate, aggregate_metrics_fn=score)
    assert metrics["num_valid_runs"] == 1
    assert metrics["num_invalid_runs"] == 2
    assert metrics["all_validation_errors"] == ["it is odd"]
    assert correct == {"correct": False, "error": "Validation failed: it is odd"}
    assert answer[1:] == (False, "Validation failed: it is odd")


def test_an_invalid_result_without_a_reason_is_not_correct_either(evaluate):
    answer, _, correct = evaluate("def run(seed): return seed", validate_fn=lambda _: (False, None))
    assert answer[1:] == (False, None)
    assert correct == {"correct": False, "error": None}


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_finite_number_is_not_correct(evaluate, value):
    answer, _, correct = evaluate(
        "def run(seed): return seed", aggregate_metrics_fn=lambda _: {"combined_score": value}
    )
    assert not answer[1]
    assert correct["error"].startswith("combined_score is ")


def test_what_a_program_raises_makes_it_incorrect_with_the_metrics_for_that_case(evaluate):
    answer, metrics, correct = evaluate(
        "def run(seed): return 1 / 0", default_metrics_on_error={"combined_score": -1.0, "ignored": 1}
    )
    assert metrics["combined_score"] == -1.0
    assert "ignored" not in metrics
    assert correct == {"correct": False, "error": "division by zero"}
    assert not answer[1]


def test_a_program_without_the_function_is_incorrect(evaluate):
    _, _, correct = evaluate("x = 1")
    assert "'run'" in correct["error"]


def test_what_is_for_people_is_no_metric(evaluate, tmp_path):
    def figures(data):
        assert data == [1, 2]
        raise ValueError("no display")

    _, metrics, correct = evaluate(
        "def run(seed): return seed",
        aggregate_metrics_fn=lambda _: {"combined_score": 1.0, "extra_data": [1, 2]},
        plotting_fn=figures,
    )
    assert "extra_data" not in metrics
    assert correct["correct"]
    assert (tmp_path / "results" / "extra.pkl").is_file()


def test_runs_in_processes_give_the_same_in_the_same_order(evaluate):
    _, metrics, _ = evaluate(
        "def run(seed): return seed",
        num_runs=4,
        run_workers=8,
        max_workers_cap=2,
        aggregate_metrics_fn=lambda results: {"combined_score": 1.0, "results": results},
    )
    assert metrics["results"] == [1, 2, 3, 4]


def test_a_run_that_fails_in_its_process_makes_the_program_incorrect(evaluate):
    _, _, correct = evaluate("def run(seed): return 1 / (seed - 2)", run_workers=2)
    assert not correct["correct"]
    assert "division by zero" in correct["error"]


def test_equal_scores_below_the_threshold_end_the_runs(evaluate):
    _, metrics, correct = evaluate(
        "def run(seed): return 1.0",
        num_runs=50,
        early_stop_method="bayesian",
        early_stop_threshold=2.0,
        aggregate_metrics_fn=score,
    )
    assert metrics["early_stop"]["triggered"]
    assert metrics["early_stop"]["prediction"] == "fails"
    assert metrics["early_stop"]["runs_completed"] == len(metrics["early_stop"]["scores"]) == 3
    assert correct["correct"]


def test_a_result_without_a_score_does_not_end_the_runs(evaluate):
    _, metrics, _ = evaluate(
        "def run(seed): return [seed]",
        early_stop_method="ci",
        early_stop_threshold=2.0,
    )
    assert metrics["num_successful_runs"] == 3
    assert metrics["early_stop"]["scores"] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"run_workers": 0}, "at least 1"),
        ({"early_stop_method": "ci"}, "early_stop_threshold"),
        ({"early_stop_method": "ci", "early_stop_threshold": 1.0, "run_workers": 2}, "run_workers=1"),
        ({"early_stop_method": "guess", "early_stop_threshold": 1.0}, "guess"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(evaluate, arguments, words):
    with pytest.raises(ValueError, match=words):
        evaluate("def run(seed): return seed", **arguments)


@pytest.mark.parametrize(
    ("method", "threshold", "prediction"),
    [
        ("bayesian", 0.0, "beats"),
        ("bayesian", 1.05, "uncertain"),
        ("bayesian", 2.0, "fails"),
        ("ci", 0.0, "beats"),
        ("ci", 1.05, "uncertain"),
        ("ci", 2.0, "fails"),
        ("hybrid", 0.0, "beats"),
        ("hybrid", 1.05, "uncertain"),
        ("hybrid", 2.0, "fails"),
        ("none", 2.0, "uncertain"),
    ],
)
def test_scores_near_one_are_told_from_other_scores(method, threshold, prediction):
    decision = create_early_stop_method(method).check([0.9, 1.0, 1.1, 1.2], threshold)
    assert decision.prediction == prediction
    assert decision.should_stop is (prediction != "uncertain")


@pytest.mark.parametrize("method", ["bayesian", "ci", "hybrid"])
def test_one_score_decides_nothing(method):
    assert not create_early_stop_method(method).check([1.0], 2.0).should_stop


@pytest.mark.parametrize(
    ("probability", "degrees", "value"),
    [(0.95, 2, 2.919985580353725), (0.95, 9, 1.8331129326562368), (0.975, 1, 12.706204736174698)],
)
def test_quantiles_are_those_of_the_tables(probability, degrees, value):
    assert student_quantile(probability, degrees) == pytest.approx(value, rel=1e-10)
    assert student_tail(value, degrees) == pytest.approx(1 - probability, rel=1e-10)


def test_the_normal_tail_is_that_of_the_tables():
    assert normal_tail(1.6448536269514722) == pytest.approx(0.05, rel=1e-12)


def test_wolframscript_is_looked_for_where_the_environment_says(tmp_path, monkeypatch):
    program = tmp_path / "script"
    monkeypatch.setenv("WOLFRAMSCRIPT_BIN", str(program))
    assert not is_wolframscript_available()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert is_wolframscript_available()
    assert build_wolframscript_argv(["-file", "a.wl"]) == [str(program), "-file", "a.wl"]


def test_names_that_are_never_missing_are_those_of_the_shims():
    from pathlib import Path

    from evograft_program.worker import shims

    folder = Path(shims.__file__).parent
    modules = {path.relative_to(folder).with_suffix("") for path in folder.rglob("*.py")}
    names = {".".join(path.parts).removesuffix("__init__").removesuffix(".") for path in modules} - {""}
    assert names == SHIMS
