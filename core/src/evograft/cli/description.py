"""How a run stands, in lines for people."""

from __future__ import annotations

import time
from itertools import chain

from evograft.cli.amounts import duration, pace, price
from evograft.log.front import FrontTrial
from evograft.runs.mailbox import Activity, InFlightTrial
from evograft.runs.status import Approach, RunStatus
from evograft.text.escapes import sanitize
from evograft.text.plurals import counted

MOST_LINES = 8
"""Operators and failures that are listed; the report has all."""
LONGEST = 240
"""Characters of a reason."""

_DOING: dict[Activity, str] = {
    "mutating": "making a candidate",
    "awaiting-model": "waiting for the model's turn",
    "asking": "asking",
    "awaiting-evaluator": "waiting for a free evaluator",
    "evaluating": "evaluating",
}


def describe(standing: RunStatus) -> str:
    """Return how a run stands, in lines for people."""
    host = f" on {sanitize(standing.host)}" if standing.host else ""
    process = f", process {standing.writer}{host}" if standing.writer is not None else ""
    hint = "; resume it with: evo resume" if standing.state == "not running" else ""
    rows = {
        "run": f"{sanitize(standing.run)} ({standing.id})",
        "folder": sanitize(standing.folder),
        "state": f"{sanitize(standing.state)}{process}{hint}",
        "trials": f"{trials_of(standing)}, generation {standing.generation}",
        "budget": _binding(standing),
        "best": "\n          ".join([best_of(standing), *(sanitize(note, LONGEST) for note in standing.notes)]),
        "final": _final(standing),
        "archive": f"{counted(standing.cells, 'cell')} filled" if standing.cells else "",
        "rejected": f"{standing.rejected}, duplicates {standing.duplicates}, repaired {standing.repaired}",
        "spent": _spent(standing),
        "elapsed": clock_of(standing),
        "workers": sanitize(standing.workers, LONGEST),
    }
    lines = [f"{name:10}{text}" for name, text in rows.items() if text]
    parts = (_running, _front, _case_front, _members, _operators, _models, _failures, _degraded)
    return "\n".join([*lines, *chain.from_iterable(part(standing) for part in parts)])


def _running(standing: RunStatus) -> list[str]:
    now = time.time()
    lines = [_flight(each, max(0.0, now - each.since)) for each in standing.running]
    return ["running now", *_shortened(lines, of=standing.in_flight)] if lines else []


def _flight(each: InFlightTrial, seconds: float) -> str:
    if each.final:
        return f"  final evaluation of trial {each.trial}  {seconds:.0f} s"
    repair = f", repair {each.repairs}" if each.repairs else ""
    return f"  trial {each.trial:<6} {each.operator:<24} {_doing(each)}{repair}  {seconds:.0f} s"


def _doing(each: InFlightTrial) -> str:
    if each.waits_until is not None:
        moment = time.strftime("%H:%M:%S", time.localtime(each.waits_until))
        return f"waits until {moment} to ask {each.model} again: {sanitize(each.waits_after, LONGEST)}"
    return f"asking {each.model}".rstrip() if each.activity == "asking" else _DOING[each.activity]


def _degraded(standing: RunStatus) -> list[str]:
    """Yield what the run does without, by plugin."""
    reports = ((name, report) for name, report in standing.environment.items() if report["status"] == "degraded")
    lines = [f"  {name}: {sanitize(error)}" for name, report in reports for error in report["errors"]]
    return ["environment", *_shortened(lines)] if lines else []


def _members(standing: RunStatus) -> list[str]:
    """Yield what each member of a composed search has found, and at what cost."""
    lines = [f"{_achieved(sanitize(each.member), each)}{_cost_of(each)}" for each in standing.members]
    return ["searches", *_shortened(lines)] if lines else []


def _front(standing: RunStatus) -> list[str]:
    """Yield the trials that no other one beats in all objectives, as a table."""
    names = list(dict.fromkeys(name for each in standing.front for name in each.objectives))
    heads = [sanitize(name, LONGEST) for name in names]
    widths = [max(12, len(head)) for head in heads]
    rows = [
        (
            f"trial {each.trial}",
            ["–" if name not in each.objectives else f"{each.objectives[name]:.6g}" for name in names],
        )
        for each in _spread(standing.front)
    ]
    lines = [
        "  ".join([f"  {title:14}", *(f"{text:>{width}}" for text, width in zip(texts, widths, strict=True))])
        for title, texts in (("", heads), *rows)
    ]
    more = len(standing.front) - len(rows)
    return ["front", *lines, *([f"  … and {more} more between these"] if more else [])] if rows else []


def _case_front(standing: RunStatus) -> list[str]:
    """Yield the trials that are the best on some cases, as a table."""
    rows = [
        f"  {f'trial {each.trial}':14}  {each.score:>12.6g}  {each.best_on:>12}  {each.alone_on:>12}"
        for each in standing.case_front
    ]
    heads = f"  {'':14}  {'score':>12}  {'best on':>12}  {'alone on':>12}"
    return [f"frontier of {counted(standing.cases, 'case')}", heads, *_shortened(rows)] if rows else []


def _spread(front: tuple[FrontTrial, ...]) -> tuple[FrontTrial, ...]:
    """Return a few trials from one end of a front to the other."""
    if len(front) <= MOST_LINES:
        return front
    return tuple(front[place * (len(front) - 1) // (MOST_LINES - 1)] for place in range(MOST_LINES))


def _cost_of(each: Approach) -> str:
    dollars = f", {price(each.dollars)}" if each.dollars != 0.0 else ""
    return dollars + (f", {counted(each.tokens, 'token')}" if each.tokens else "")


def _operators(standing: RunStatus) -> list[str]:
    lines = [_achieved(each.operator, each) for each in standing.approaches]
    return ["operators", *_shortened(lines)] if lines else []


def _models(standing: RunStatus) -> list[str]:
    """Yield what each model has written, and what was made without one."""
    lines = [_achieved(sanitize(each.model) or "no model", each) for each in standing.models]
    return ["models", *_shortened(lines)] if lines else []


def _achieved(name: str, each: Approach) -> str:
    best = "" if each.best is None else f", best {each.best:.6g}"
    return (
        f"  {name:32} {counted(each.trials, 'trial'):>12}, {each.ok} valid, {counted(each.improved, 'new best')}{best}"
    )


def _failures(standing: RunStatus) -> list[str]:
    lines = [f"  {count:6} {sanitize(reason, LONGEST)}" for reason, count in standing.failures.items()]
    return ["failures", *_shortened(lines)] if lines else []


def _shortened(lines: list[str], *, of: int = 0) -> list[str]:
    """Return the first lines, and how many more there are: of these, or of a greater number."""
    more = max(of, len(lines)) - MOST_LINES
    return [*lines[:MOST_LINES], f"  … and {more} more"] if more > 0 else lines


def trials_of(standing: RunStatus) -> str:
    """Return how many trials a run has, of how many."""
    if standing.limit and standing.trials > standing.limit:
        return f"{standing.trials}, more than the {standing.limit} of the budget"
    return f"{standing.trials}/{standing.limit}" if standing.limit else str(standing.trials)


def _binding(standing: RunStatus) -> str:
    """Return the budget that ends a run before its trials do."""
    binding = standing.binding
    return f"{binding.used:.6g} of {binding.limit:.6g} {binding.name}, which end it first" if binding else ""


def best_of(standing: RunStatus) -> str:
    """Return the best score and its trial."""
    return "none yet" if standing.best_score is None else f"{standing.best_score:.6g} in trial {standing.best_trial}"


def _final(standing: RunStatus) -> str:
    """Return what the best candidate was given after the search."""
    final = standing.final
    if not final:
        return ""
    if final["score"] is None:
        return f"{final['status']}: {sanitize(final['reason'], LONGEST)}"
    return f"{final['score']:.6g}, evaluated after the search"


def _spent(standing: RunStatus) -> str:
    tokens = standing.prompt_tokens + standing.completion_tokens
    if not tokens and not standing.dollars:
        return ""
    counted_by_nobody = f"; {standing.estimated_tokens} of them estimated" if standing.estimated_tokens else ""
    used = (
        f"{tokens} tokens ({standing.prompt_tokens} prompt, {standing.completion_tokens} completion{counted_by_nobody})"
    )
    return ", ".join(filter(None, (price(standing.dollars), used)))


def clock_of(standing: RunStatus) -> str:
    """Return how long a run has worked, how fast it is, and how long it still takes."""
    parts = [duration(standing.elapsed)]
    if standing.rate:
        parts.append(pace(standing.rate))
    if standing.remaining and standing.writer is not None:
        parts.append(f"about {duration(standing.remaining)} left")
    return ", ".join(parts)
