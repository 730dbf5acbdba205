"""The runs of a program, judged: their metrics and whether they are correct, in two files."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..utils.eval_stop import EarlyStopMethod, create_early_stop_method
from .record import EvaluationRecord
from .results import save_extra_data, save_json_results
from .runs import RepeatedCall, load_program, run_in_processes, run_in_turn

DEFAULT_METRICS_ON_ERROR: dict[str, Any] = {
    "combined_score": 0.0,
    "execution_time_mean": 0.0,
    "execution_time_std": 0.0,
    "num_successful_runs": 0,
    "num_valid_runs": 0,
    "num_invalid_runs": 0,
    "all_validation_errors": [],
}

__all__ = ["DEFAULT_METRICS_ON_ERROR", "load_program", "run_shinka_eval", "save_json_results"]


def run_shinka_eval(  # noqa: PLR0913 - the signature is ShinkaEvolve's
    program_path: str,
    results_dir: str,
    experiment_fn_name: str,
    num_runs: int,
    get_experiment_kwargs: Callable[[int], dict[str, Any]] | None = None,
    aggregate_metrics_fn: Callable[[list[Any]], dict[str, Any]] | None = None,
    validate_fn: Callable[[Any], tuple[bool, str | None]] | None = None,
    plotting_fn: Callable[[Any], list[Any]] | None = None,
    default_metrics_on_error: dict[str, Any] | None = None,
    early_stop_method: str | EarlyStopMethod | None = None,
    early_stop_threshold: float | None = None,
    early_stop_score_fn: Callable[[Any], float] | None = None,
    early_stop_kwargs: dict[str, Any] | None = None,
    run_workers: int = 1,
    max_workers_cap: int | None = None,
) -> tuple[dict[str, Any], bool, str | None]:
    """Call a function of a program several times, and write `metrics.json` and `correct.json`.

    Args:
        program_path: the program, a Python file.
        results_dir: the folder of the two files.
        experiment_fn_name: the function.
        num_runs: how often it is called.
        get_experiment_kwargs: its keyword arguments, by the number of the run from 0; without it only `seed`, from 1.
        aggregate_metrics_fn: makes the metrics of all results.
        validate_fn: says whether a result is valid, and what is wrong with it.
        plotting_fn: makes figures with titles of the metrics' `extra_data`.
        default_metrics_on_error: the metrics where anything raises.
        early_stop_method: `none`, `bayesian`, `ci`, `hybrid`, or a method of one's own.
        early_stop_threshold: the score that has to be beaten.
        early_stop_score_fn: the score of a result; without it the result, or its `score`.
        early_stop_kwargs: for the method.
        run_workers: processes.
        max_workers_cap: the most processes.

    Returns:
        The metrics, whether all is correct, and the first error.
    """
    workers = _count_workers(num_runs, run_workers, max_workers_cap)
    stopper = _make_stopper(early_stop_method, early_stop_threshold, early_stop_kwargs, workers=workers)
    experiment = RepeatedCall(program_path, experiment_fn_name, num_runs, get_experiment_kwargs)
    record = EvaluationRecord(validate_fn, stopper, early_stop_threshold, early_stop_score_fn)
    try:
        for result, seconds in run_in_processes(experiment, workers) if workers > 1 else run_in_turn(experiment):
            if record.add(result, seconds):
                break
        metrics = aggregate_metrics_fn(record.results) if aggregate_metrics_fn else record.describe()
        metrics.update(record.measure(num_runs))
        error = record.first_error or _find_score_error(metrics)
        correct = error is None and record.invalid == 0
    except Exception as raised:  # noqa: BLE001 - programs raise anything, and it is their error
        print(f"Evaluation error: {raised}")  # noqa: T201 - feedback
        given = default_metrics_on_error or {}
        metrics = {name: given.get(name, value) for name, value in DEFAULT_METRICS_ON_ERROR.items()}
        correct, error = False, str(raised)
    save_extra_data(results_dir, metrics, plotting_fn)
    save_json_results(results_dir, metrics, correct, error)
    return metrics, correct, error


def _count_workers(num_runs: int, run_workers: int, most: int | None) -> int:
    if run_workers < 1 or (most is not None and most < 1):
        raise ValueError("run_workers and max_workers_cap must be at least 1")
    return max(1, min(run_workers, num_runs, run_workers if most is None else most))


def _make_stopper(
    method: str | EarlyStopMethod | None,
    threshold: float | None,
    arguments: dict[str, Any] | None,
    *,
    workers: int,
) -> EarlyStopMethod | None:
    if method is None:
        return None
    if workers > 1:
        raise ValueError("early stopping works with run_workers=1 only")
    if threshold is None:
        raise ValueError("early_stop_method needs an early_stop_threshold")
    stopper = create_early_stop_method(method, **(arguments or {})) if isinstance(method, str) else method
    stopper.reset()
    return stopper


def _find_score_error(metrics: dict[str, Any]) -> str | None:
    score = metrics.get("combined_score", 0.0)
    if math.isnan(score):
        return "combined_score is NaN"
    return f"combined_score is inf ({score})" if math.isinf(score) else None
