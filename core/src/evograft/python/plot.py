"""The scores of a run, drawn by matplotlib."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from evograft.errors import UserError
from evograft.log.records import Finished
from evograft.runs.reader import open_journal

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_scores(folder: Path, axes: Axes | None) -> Axes:
    """Draw the scores over the trials, and the best so far.

    Raises:
        UserError: matplotlib is not installed.
    """
    try:
        from matplotlib import pyplot as plt
        from matplotlib.ticker import MaxNLocator
    except ImportError as err:
        raise UserError("run.plot() needs matplotlib: pip install matplotlib") from err
    with open_journal(folder) as journal:
        trials = [each.trial for each in journal.records() if isinstance(each, Finished)]
    points = sorted((trial.number, trial.score) for trial in trials if trial.score is not None)
    numbers, scores = [number for number, _ in points], [score for _, score in points]
    if axes is None:
        _, axes = plt.subplots()
    axes.step(numbers, list(accumulate(scores, max)), where="post", color="tab:orange", label="best so far")
    axes.plot(numbers, scores, ".", color="tab:blue", label="score")  # above the line, which hides none
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set(xlabel="trial", ylabel="score", title=folder.name)
    axes.legend()
    return axes
