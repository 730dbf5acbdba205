"""What lies in an artifacts folder, as far as it can be read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evograft.errors import UserError
from evograft_graph_invariant.records.reader import read_summary
from evograft_graph_invariant.records.summary import Summary
from evograft_graph_invariant.report_page.events import EventTotals, read_events

SUMMARIES = {"phase1": "phase1_summary.json", "phase2": "phase2_summary.json"}
EVENTS = "events.jsonl"


@dataclass(frozen=True)
class Artifacts:
    """The records of one or two phases."""

    folder: Path
    summaries: dict[str, Summary]
    """By phase: `phase1`, `phase2`."""
    events: EventTotals | None
    checkpoints: tuple[str, ...]
    """The files, the newest last."""
    problems: tuple[str, ...]
    """Files that are there and cannot be read."""


def read_artifacts(folder: Path) -> Artifacts:
    """Reads a folder.

    Raises:
        UserError: there is no such folder, or nothing of what a report is made of in it.
    """
    if not folder.is_dir():
        raise UserError(f"there is no folder {str(folder)!r}: name the artifacts folder of an experiment")
    problems: list[str] = []
    summaries = _summaries(folder, problems)
    events = _events(folder / EVENTS, problems)
    checkpoints = _checkpoints(folder)
    if not (summaries or events or checkpoints or problems):
        raise UserError(
            f"{str(folder)!r} holds no {', '.join(SUMMARIES.values())}, {EVENTS} or checkpoints: "
            "name the artifacts folder of an experiment"
        )
    return Artifacts(folder, summaries, events, checkpoints, tuple(problems))


def _summaries(folder: Path, problems: list[str]) -> dict[str, Summary]:
    found = {}
    for phase, name in SUMMARIES.items():
        if not (folder / name).is_file():
            continue
        try:
            found[phase] = read_summary(folder / name)
        except UserError as err:
            problems.append(str(err))
    return found


def _events(path: Path, problems: list[str]) -> EventTotals | None:
    if not path.is_file():
        return None
    try:
        return read_events(path)
    except OSError as err:
        problems.append(f"cannot read {str(path)!r}: {err.strerror}")
        return None


def _checkpoints(folder: Path) -> tuple[str, ...]:
    found = [path for path in folder.glob("checkpoints/*/gen_*.json") if path.stem[4:].isdigit()]
    ordered = sorted(found, key=lambda path: (path.parent.name, int(path.stem[4:])))
    return tuple(str(path.relative_to(folder)) for path in ordered)
