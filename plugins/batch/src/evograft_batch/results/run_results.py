"""Results of a batch: a row for each run, their sums over the seeds, and both as files in its folder."""

from __future__ import annotations

import csv
import io
import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from evograft.errors import ServiceError
from evograft.files import write_atomically
from evograft_batch.folder import BatchFolder
from evograft_batch.plan.batch_file import format_value

RunState = Literal["waiting", "running", "complete", "interrupted", "failed"]
UNKNOWN = "unknown"


@dataclass(frozen=True)
class RunRow:
    """A run of a batch."""

    run: str
    problem: str
    settings: dict[str, Any]
    """Those that set it apart."""
    seed: int
    state: RunState
    trials: int = 0
    limit: int | None = None
    best_score: float | None = None
    final_score: float | None = None
    """The score of the best candidate, evaluated after the search; `None`: it was not."""
    elapsed: float = 0.0
    """Wall seconds over all sessions."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    dollars: float | None = 0.0
    """`None`: a price is unknown."""
    exit_code: int | None = None
    """The exit code of the process that worked on it last; `None`: it is at work, or there was none."""
    error: str = ""


@dataclass(frozen=True)
class SeedSummary:
    """A combination over its seeds."""

    problem: str
    settings: dict[str, Any]
    runs: int
    scored: int
    """Runs that have a best score; the others are in no number here."""
    mean: float | None
    min: float | None
    max: float | None


@dataclass(frozen=True)
class Ending:
    """How the process that worked on a run last ended."""

    exit_code: int
    error: str = ""


def summarise(rows: Sequence[RunRow]) -> list[SeedSummary]:
    """Return the best scores of each combination over its seeds; nothing if no combination has several."""
    groups: dict[str, list[RunRow]] = {}
    for row in rows:
        groups.setdefault(format_value([row.problem, row.settings]), []).append(row)
    if all(len(group) == 1 for group in groups.values()):
        return []
    return [_summary(group) for group in groups.values()]


def _summary(rows: Sequence[RunRow]) -> SeedSummary:
    scores = [row.best_score for row in rows if row.best_score is not None]
    return SeedSummary(
        problem=rows[0].problem,
        settings=rows[0].settings,
        runs=len(rows),
        scored=len(scores),
        mean=statistics.fmean(scores) if scores else None,
        min=min(scores, default=None),
        max=max(scores, default=None),
    )


def results_data(folder: BatchFolder, rows: Sequence[RunRow]) -> dict[str, Any]:
    """Return the results for JSON."""
    return {
        "batch": folder.path.name,
        "folder": str(folder.path),
        "runs": [asdict(row) for row in rows],
        "summary": [asdict(each) for each in summarise(rows)],
    }


def save_results(folder: BatchFolder, rows: Sequence[RunRow]) -> None:
    """Write `results.json` and `results.csv`."""
    try:
        data = json.dumps(results_data(folder, rows), indent=1, ensure_ascii=False)
        write_atomically(folder.path / "results.json", data.encode())
        write_atomically(folder.path / "results.csv", _format_csv(rows).encode())
    except OSError as err:
        raise ServiceError(f"cannot write {err.filename!r}: {err.strerror}") from err


def read_earlier_endings(folder: BatchFolder) -> dict[str, Ending]:
    """Return how the runs ended so far, by name.

    A run that is missing here is resumed, which costs little.
    """
    try:
        data = json.loads((folder.path / "results.json").read_text(encoding="utf-8"))
        ended = [row for row in data["runs"] if row["exit_code"] is not None]
        return {row["run"]: Ending(int(row["exit_code"]), str(row["error"])) for row in ended}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def find_varied(rows: Sequence[RunRow] | Sequence[SeedSummary]) -> list[str]:
    """Return the settings that set runs apart, in their order."""
    return list(dict.fromkeys(key for row in rows for key in row.settings))


def _format_csv(rows: Sequence[RunRow]) -> str:
    keys = find_varied(rows)
    plain = [name for name in RunRow.__dataclass_fields__ if name not in ("run", "problem", "settings", "seed")]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["run", "problem", *keys, "seed", *plain])
    for row in rows:
        data = {**vars(row), "dollars": UNKNOWN if row.dollars is None else row.dollars}
        settings = [format_setting(row, key) for key in keys]
        writer.writerow([row.run, row.problem, *settings, row.seed, *(data[name] for name in plain)])
    return text.getvalue()


def format_setting(row: RunRow | SeedSummary, key: str) -> str:
    """Return a setting for people; empty where the run has the pipeline's own."""
    if key not in row.settings:
        return ""
    value = row.settings[key]
    return value if isinstance(value, str) else format_value(value)
