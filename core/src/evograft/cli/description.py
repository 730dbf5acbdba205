"""How a run stands, in lines for people."""

from __future__ import annotations

import time
from datetime import timedelta

from evograft.mailbox import Airborne
from evograft.standing import Standing

MOST_LINES = 8
"""Approaches and failures that are listed; the report has all."""

TWO_MINUTES = 120


def describe(standing: Standing) -> str:
    """How a run stands, in lines for people."""
    process = f", process {standing.writer}" if standing.writer is not None else ""
    hint = "; go on with evo resume" if standing.state == "not running" else ""
    rows = {
        "run": f"{standing.run} ({standing.id})",
        "folder": standing.folder,
        "state": f"{standing.state}{process}{hint}",
        "trials": f"{trials_of(standing)}, generation {standing.generation}",
        "best": best_of(standing),
        "rejected": f"{standing.rejected}, duplicates {standing.duplicates}, repaired {standing.repaired}",
        "spent": _spent(standing),
        "elapsed": clock_of(standing),
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


def trials_of(standing: Standing) -> str:
    return f"{standing.trials}/{standing.limit}" if standing.limit else str(standing.trials)


def best_of(standing: Standing) -> str:
    return "none yet" if standing.best_score is None else f"{standing.best_score:.6g} in trial {standing.best_trial}"


def _spent(standing: Standing) -> str:
    tokens = standing.prompt_tokens + standing.completion_tokens
    if not tokens and not standing.dollars:
        return ""
    dollars = "an unknown number of dollars" if standing.dollars is None else f"{standing.dollars:.4f} dollars"
    return f"{dollars}, {tokens} tokens ({standing.prompt_tokens} prompt, {standing.completion_tokens} completion)"


def clock_of(standing: Standing) -> str:
    parts = [_duration(standing.elapsed)]
    if standing.rate:
        parts.append(f"{standing.rate:.3g} trials/s")
    if standing.remaining and standing.writer is not None:
        parts.append(f"about {_duration(standing.remaining)} left")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    return f"{seconds:g} s" if seconds < TWO_MINUTES else str(timedelta(seconds=round(seconds)))
