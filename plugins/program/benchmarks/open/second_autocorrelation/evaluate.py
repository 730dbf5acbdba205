"""The second autocorrelation inequality: a function whose convolution with itself is as flat as possible.

`find_heights()` returns the heights, none of them negative, of a step function f on equal parts of [-1/4, 1/4]: from 2
to 1,000. With g = f * f, the ratio is the integral of g squared, divided by the integral of g and by the maximum of g;
the score is the ratio divided by 0.8962, which AlphaEvolve reached (Novikov et al. 2025, appendix B). A program has 20
seconds, one core, NumPy and SciPy.
"""

import importlib.util
import time

import numpy as np

MOST = 1000
BEST_KNOWN = 0.8962


def evaluate(program_path):
    """Return the score of the step function that a program finds."""
    heights = np.asarray(load(program_path).find_heights(), dtype=float)
    if heights.ndim != 1 or not 2 <= len(heights) <= MOST or not np.isfinite(heights).all():
        raise ValueError(f"find_heights returned an array of shape {heights.shape}, not 2 to {MOST} finite numbers")
    if heights.min() < 0 or heights.sum() <= 0:
        raise ValueError("a height is negative, or all are 0")
    # The convolution is linear between these corners.
    corners = np.concatenate(([0.0], np.convolve(heights, heights), [0.0]))
    left, right = corners[:-1], corners[1:]
    squares = ((left * left + left * right + right * right) / 3).sum()
    ratio = float(squares / (((left + right) / 2).sum() * corners.max()))
    seconds = round(time.process_time())
    return {"combined_score": ratio / BEST_KNOWN, "ratio": ratio, "parts": len(heights), "seconds": seconds}


def load(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program
