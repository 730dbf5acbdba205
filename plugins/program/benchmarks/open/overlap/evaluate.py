"""Erdős' minimum overlap problem: a function on [0, 2] that overlaps with what it leaves as little as possible.

`find_heights()` returns heights of a step function h on equal parts of [0, 2]: from 2 to 1,000, between 0 and 1, with
the integral 1. The overlap is the largest integral, over all shifts x, of h(t) (1 - h(t + x)), where both are 0 outside
of [0, 2]; the score is 0.380924, the overlap that AlphaEvolve reached (Novikov et al. 2025, appendix B), divided by it.
A program has 20 seconds, one core, NumPy and SciPy.
"""

import importlib.util
import time

import numpy as np

MOST = 1000
BEST_KNOWN = 0.380924


def evaluate(program_path):
    """Return the score of the step function that a program finds."""
    heights = np.asarray(load(program_path).find_heights(), dtype=float)
    if heights.ndim != 1 or not 2 <= len(heights) <= MOST or not np.isfinite(heights).all():
        raise ValueError(f"find_heights returned an array of shape {heights.shape}, not 2 to {MOST} finite numbers")
    if heights.min() < 0 or heights.max() > 1:
        raise ValueError("a height is below 0 or above 1")
    width = 2 / len(heights)
    if abs(heights.sum() * width - 1) > 1e-9:
        raise ValueError(f"the integral is {heights.sum() * width}, not 1")
    # The overlap of step functions is piecewise linear in the shift, with its corners at multiples of a part.
    overlap = float(np.correlate(heights, 1 - heights, "full").max() * width)
    seconds = round(time.process_time())
    return {"combined_score": BEST_KNOWN / overlap, "overlap": overlap, "parts": len(heights), "seconds": seconds}


def load(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program
