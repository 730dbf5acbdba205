"""`evo status`."""

from __future__ import annotations

import json
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from evograft.errors import EvograftError
from evograft.mailbox import Airborne
from evograft.rundir import find_run, known_runs
from evograft.settings import load_settings
from evograft.standing import Standing, Watcher, standing_of, watching

WATCH_EVERY = 1.0
MOST_LINES = 8
"""Approaches and failures that are listed; the report has all."""

TWO_MINUTES = 120


@click.command()
@click.argument("run", default="latest")
@click.option("--all", "every", is_flag=True, help="All runs that are known, a line each.")
@click.option(
    "--watch", is_flag=True, help="Show it again every second until the run ends; Ctrl-C leaves the run alone."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON; with --watch an object a line.")
def status(run: str, *, every: bool, watch: bool, as_json: bool) -> None:
    """Say how RUN (a name, id, path, or `latest`) stands.

    Generation, best score, what is running now, approaches tried with their results, tokens, dollars, rate, elapsed and
    remaining time, failures by reason.
    """
    runs = Path(load_settings().runs_dir)
    if every:
        _print_all(runs, as_json=as_json)
        return
    with watching(find_run(run, runs=runs)) as watcher:
        if watch:
            _watch(watcher, as_json=as_json)
        else:
            standing = watcher.look()
            click.echo(json.dumps(standing.to_data()) if as_json else describe(standing))


def _print_all(runs: Path, *, as_json: bool) -> None:
    standings = []
    for path in known_runs(runs):
        try:
            standings.append(standing_of(path))
        except EvograftError as err:
            click.echo(f"{path.name}: {err}", err=True)
    if as_json:
        click.echo(json.dumps([standing.to_data() for standing in standings]))
        return
    for standing in standings:
        click.echo(f"{standing.run:24} {standing.state:24} {_trials(standing):>15}  best {_best(standing)}")


def _watch(watcher: Watcher, *, as_json: bool) -> None:
    if as_json or not sys.stdout.isatty():
        _print_until_it_ends(watcher, as_json=as_json)
        return
    from rich.live import Live
    from rich.text import Text

    with Live(refresh_per_second=4) as live:
        for standing in _looks(watcher):
            live.update(Text(describe(standing)))


def _print_until_it_ends(watcher: Watcher, *, as_json: bool) -> None:
    for standing in _looks(watcher):
        line = f"{standing.state}  {_trials(standing)}  best {_best(standing)}  {_clock(standing)}"
        click.echo(json.dumps(standing.to_data()) if as_json else line)


def _looks(watcher: Watcher) -> Any:
    """Standings a second apart, the last once nobody works on the run."""
    while True:
        standing = watcher.look()
        yield standing
        if standing.writer is None:
            return
        time.sleep(WATCH_EVERY)


def describe(standing: Standing) -> str:
    """How a run stands, in lines for people."""
    process = f", process {standing.writer}" if standing.writer is not None else ""
    hint = "; go on with evo resume" if standing.state == "not running" else ""
    rows = {
        "run": f"{standing.run} ({standing.id})",
        "folder": standing.folder,
        "state": f"{standing.state}{process}{hint}",
        "trials": f"{_trials(standing)}, generation {standing.generation}",
        "best": _best(standing),
        "rejected": f"{standing.rejected}, duplicates {standing.duplicates}, repaired {standing.repaired}",
        "spent": _spent(standing),
        "elapsed": _clock(standing),
    }
    lines = [f"{name:10}{text}" for name, text in rows.items() if text]
    return "\n".join([*lines, *_running(standing), *_approaches(standing), *_failures(standing)])


def _running(standing: Standing) -> list[str]:
    now = time.time()
    lines = [
        f"  trial {each.trial:<6} {each.operator}{f' ({each.model})' if each.model else ''}"
        f"{f', repair {each.repairs}' if each.repairs else ''}  {max(0.0, now - each.since):.0f} s{_wait(each)}"
        for each in standing.running
    ]
    return ["running now", *_shortened(lines)] if lines else []


def _wait(each: Airborne) -> str:
    """That a trial waits for its model, and until when."""
    if each.waits_until is None:
        return ""
    return f", waits until {time.strftime('%H:%M:%S', time.localtime(each.waits_until))}: {each.waits_after}"


def _approaches(standing: Standing) -> list[str]:
    lines = [
        f"  {each.operator:32} {each.trials:6} trials, {each.ok} valid, {each.improved} times the best"
        f"{'' if each.best is None else f', best {each.best:.6g}'}"
        for each in standing.approaches
    ]
    return ["approaches", *_shortened(lines)] if lines else []


def _failures(standing: Standing) -> list[str]:
    lines = [f"  {count:6} {reason}" for reason, count in standing.failures.items()]
    return ["failures", *_shortened(lines)] if lines else []


def _shortened(lines: list[str]) -> list[str]:
    more = len(lines) - MOST_LINES
    return [*lines[:MOST_LINES], f"  … and {more} more"] if more > 0 else lines


def _trials(standing: Standing) -> str:
    return f"{standing.trials}/{standing.limit}" if standing.limit else str(standing.trials)


def _best(standing: Standing) -> str:
    return "none yet" if standing.best_score is None else f"{standing.best_score:.6g} in trial {standing.best_trial}"


def _spent(standing: Standing) -> str:
    tokens = standing.prompt_tokens + standing.completion_tokens
    if not tokens and not standing.dollars:
        return ""
    dollars = "an unknown number of dollars" if standing.dollars is None else f"{standing.dollars:.4f} dollars"
    return f"{dollars}, {tokens} tokens ({standing.prompt_tokens} prompt, {standing.completion_tokens} completion)"


def _clock(standing: Standing) -> str:
    parts = [_duration(standing.elapsed)]
    if standing.rate:
        parts.append(f"{standing.rate:.3g} trials/s")
    if standing.remaining and standing.writer is not None:
        parts.append(f"about {_duration(standing.remaining)} left")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    return f"{seconds:g} s" if seconds < TWO_MINUTES else str(timedelta(seconds=round(seconds)))
