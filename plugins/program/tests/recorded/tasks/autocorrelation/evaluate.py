"""The first autocorrelation inequality: find a step function whose convolution with itself has a small maximum.

`find_heights()` returns the heights, none of them negative, of a step function f on equal parts of [-1/4, 1/4]: from 2
to 1,000. The ratio is the maximum of the convolution of f with itself, divided by the square of the integral of f; the
score is 1.5053, the ratio that AlphaEvolve reached (Novikov et al. 2025, appendix B.1), divided by it. A program has 20
seconds, one core, NumPy and SciPy.
"""

import importlib.util

import numpy as np

MOST = 1000
BEST_KNOWN = 1.5053


def evaluate(program_path):
    """Return the score of the step function that a program finds."""
    heights = np.asarray(load(program_path).find_heights(), dtype=float)
    if heights.ndim != 1 or not 2 <= len(heights) <= MOST or not np.isfinite(heights).all():
        raise ValueError(f"find_heights returned an array of shape {heights.shape}, not 2 to {MOST} finite numbers")
    if heights.min() < 0 or heights.sum() <= 0:
        raise ValueError("a height is negative, or all are 0")
    # The convolution of step functions is piecewise linear, with its corners at the sums of the parts' ends.
    width = 0.5 / len(heights)
    ratio = float(np.convolve(heights, heights).max() * width / (heights.sum() * width) ** 2)
    return {"combined_score": BEST_KNOWN / ratio, "ratio": ratio, "parts": len(heights)}


def load(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program
