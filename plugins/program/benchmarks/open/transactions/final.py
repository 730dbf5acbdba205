"""The final evaluation of `transactions`: workloads that the search has not seen."""

from evaluate import evaluate as evaluate_workloads


def evaluate(program_path):
    """Return the score on three other workloads."""
    return evaluate_workloads(program_path, seed=2)
