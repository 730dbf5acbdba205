"""The files that evaluators of ShinkaEvolve leave."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

EXTRA = "extra_data"


def save_json_results(results_dir: str, metrics: dict[str, Any], correct: bool, error: str | None = None) -> None:
    """Write `correct.json` and `metrics.json`."""
    folder = Path(results_dir)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (("correct", {"correct": correct, "error": error}), ("metrics", metrics)):
        (folder / f"{name}.json").write_text(json.dumps(content, indent=4), encoding="utf-8")


def save_extra_data(results_dir: str, metrics: dict[str, Any], plotting_fn: Callable[[Any], list[Any]] | None) -> None:
    """Move what is only for people out of the metrics, to a file and to figures."""
    if EXTRA not in metrics:
        return
    folder = Path(results_dir)
    folder.mkdir(parents=True, exist_ok=True)
    extra = metrics.pop(EXTRA)
    (folder / "extra.pkl").write_bytes(pickle.dumps(extra))
    if plotting_fn is None:
        return
    try:
        _save_figures(folder / "plots", plotting_fn(extra))
    except Exception as error:  # noqa: BLE001 - a figure decides nothing
        print(f"Error generating plots: {error}")  # noqa: T201 - feedback


def _save_figures(folder: Path, figures: list[Any]) -> None:
    folder.mkdir(exist_ok=True)
    for figure, title in figures:
        if hasattr(figure, "savefig"):
            figure.savefig(folder / f"{title}.png", bbox_inches="tight", dpi=150)
            figure.savefig(folder / f"{title}.pdf", bbox_inches="tight")
        else:
            figure.save(folder / f"{title}.gif", writer="pillow", fps=30)
