"""`evo status`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from evograft.budget import trial_limit
from evograft.errors import EvograftError
from evograft.journal import Finished, Journal
from evograft.population import Best
from evograft.reading import reading
from evograft.rundir import find_run, known_runs, open_run, writer_of
from evograft.settings import load_settings
from evograft_hookspecs import Control, Problem


@dataclass(frozen=True)
class Standing:
    """How a run stands, read from its log."""

    run: str
    id: str
    folder: str
    writer: int | None
    """The process that works on it now."""
    trials: int
    limit: int | None
    best_score: float | None
    best_trial: int | None
    rejected: int
    duplicates: int
    elapsed: float
    """Wall seconds over all sessions."""
    dollars: float
    last_stop: str
    """Why it stopped; empty when it went on after that."""


@click.command()
@click.argument("run", default="latest")
@click.option("--all", "every", is_flag=True, help="All runs that are known, a line each.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def status(run: str, *, every: bool, as_json: bool) -> None:
    """Say how RUN (a name, id, path, or `latest`) stands: trials, best score, whether it is being worked on."""
    runs = Path(load_settings().runs_dir)
    if every:
        _print_all(runs, as_json=as_json)
        return
    standing = _standing(find_run(run, runs=runs))
    click.echo(json.dumps(asdict(standing)) if as_json else _report(standing))


def _print_all(runs: Path, *, as_json: bool) -> None:
    standings = []
    for path in known_runs(runs):
        try:
            standings.append(_standing(path))
        except EvograftError as err:
            click.echo(f"{path.name}: {err}", err=True)
    if as_json:
        click.echo(json.dumps([asdict(standing) for standing in standings]))
        return
    for standing in standings:
        click.echo(f"{standing.run:24} {_state(standing):24} {_trials(standing):>15}  best {_best(standing)}")


def _standing(folder: Path) -> Standing:
    run = open_run(folder)
    with reading(folder) as journal:
        counted = _Counts(journal)
    return Standing(
        run=run.name,
        id=run.id,
        folder=str(folder),
        writer=writer_of(folder),
        trials=counted.trials,
        limit=trial_limit(run.pipeline.budget, counted.seeds, generation_size=run.pipeline.generation_size),
        best_score=counted.best.score,
        best_trial=counted.best.trial.number if counted.best.trial else None,
        rejected=counted.rejected,
        duplicates=counted.duplicates,
        elapsed=round(counted.elapsed, 1),
        dollars=counted.dollars,
        last_stop=counted.stop_in_force,
    )


class _Counts:
    """A fold over the log, whoever is writing to it."""

    def __init__(self, journal: Journal) -> None:
        self.trials = self.rejected = self.duplicates = 0
        self.elapsed = self.dollars = 0.0
        self.best = Best()
        self.seeds = self._last_trial = 0
        self._stop: Control | None = None
        for record in journal.records():
            if isinstance(record, Finished):
                self._add(record)
            elif isinstance(record, Problem):
                self.seeds = len(record.seeds)
            elif isinstance(record, Control) and record.kind == "stop":
                self._stop = record

    @property
    def stop_in_force(self) -> str:
        return self._stop.text if self._stop and self._last_trial < self._stop.first_trial else ""

    def _add(self, finished: Finished) -> None:
        trial = finished.trial
        self.trials += 1
        self.rejected += trial.evaluation.status == "rejected"
        self.duplicates += trial.duplicate_of is not None
        self.elapsed = max(self.elapsed, finished.elapsed)
        self.dollars += finished.cost
        self._last_trial = max(self._last_trial, trial.number)
        self.best.see(trial)


def _report(standing: Standing) -> str:
    rows = {
        "run": f"{standing.run} ({standing.id})",
        "folder": standing.folder,
        "state": _state(standing),
        "trials": _trials(standing),
        "best": _best(standing),
        "rejected": f"{standing.rejected}, duplicates {standing.duplicates}",
        "elapsed": f"{standing.elapsed:g} s" + (f", {standing.dollars:.4f} dollars" if standing.dollars else ""),
    }
    return "\n".join(f"{name:10}{text}" for name, text in rows.items())


def _state(standing: Standing) -> str:
    if standing.writer is not None:
        return f"running, process {standing.writer}"
    if standing.limit is not None and standing.trials >= standing.limit:
        return "complete"
    return standing.last_stop or "not running; go on with evo resume"


def _trials(standing: Standing) -> str:
    return f"{standing.trials}/{standing.limit}" if standing.limit else str(standing.trials)


def _best(standing: Standing) -> str:
    return "none yet" if standing.best_score is None else f"{standing.best_score:.6g} in trial {standing.best_trial}"
