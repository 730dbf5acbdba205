"""The final evaluation of `packing`: instances that the search has not seen."""

from evaluate import evaluate as evaluate_instances


def evaluate(program_path):
    """Return the score on ten other instances."""
    return evaluate_instances(program_path, seeds=range(101, 111))
