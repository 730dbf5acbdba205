"""How a session stands, in lines for people."""

from __future__ import annotations

from datetime import datetime, timedelta

from evograft.api import InFlightTrial, RunStatus
from evograft.text.escapes import sanitize
from evograft.text.i18n import Catalog
from evograft_ahc.records.session_history import AttemptCounts
from evograft_ahc.sessions.status import SessionStatus
from evograft_ahc.text.messages import Language

MOST = 6
"""Approaches and failures that are listed; `evo report` has all."""
STATES = {"running": "running", "complete": "complete", "not running": "not_running"}
LONGEST = 100
"""Characters of what programs, compilers or plugins have said."""


def describe_status(session: SessionStatus, language: Language) -> str:
    """Describe all that is specified for `status`."""
    say, run = Catalog(language, __package__), session.run_status
    rows = {
        "session": f"{run.run} ({run.id})",
        "state": sanitize(_state(run, say)),
        **({"error": sanitize(session.error)} if session.error else {}),
        "generation": _generation(session, say),
        "best": _best(session, say),
        "now": _now(session, say),
        **({"waiting_for_you": _waiting(session, say)} if session.waiting else {}),
        "tokens": _tokens(session, say),
        "cost": _cost(session, say),
        "time": _time(session, say),
        "experiments": _counted(session.total, say, f"{session.total.failed} {say('failed')}"),
    }
    # Characters of Japanese are two columns wide, so that no padding in characters lines up.
    lines = [f"{say(name)}: {text}" for name, text in rows.items()]
    strategies = [_attempted(each, say, _best_of(each, say)) for each in session.strategies]
    tried = [
        _attempted(session.operators[each.operator], say, f"{each.improved} {say('improved')}")
        for each in run.approaches
        if each.operator in session.operators
    ]
    failures = [f"  {count} x {sanitize(reason, LONGEST)}" for reason, count in run.failures.items()]
    listed = {"strategies": strategies, "tried": tried, "failed": failures}
    return "\n".join([*lines, *(line for name, rows in listed.items() for line in _listed(name, rows, say))])


def summarize_status(session: SessionStatus, language: Language) -> str:
    """Return a session in one line."""
    say, run = Catalog(language, __package__), session.run_status
    parts = (_generation(session, say), _best(session, say), _cost(session, say), _duration(session.elapsed))
    waiting = f"  {say('prompts', n=len(session.waiting))}" if session.waiting else ""
    figures = (f"{say(name)} {part}" for name, part in zip(("generation", "best", "cost", "time"), parts, strict=True))
    return f"{run.run}  {sanitize(_state(run, say), LONGEST)}  " + "  ".join(figures) + waiting


def _state(run: RunStatus, say: Catalog) -> str:
    if run.state in STATES:
        return say(STATES[run.state])
    facts = dict(run.stop)
    if "by" in facts:
        key = {"evo stop": "by_command", "terminal": "by_terminal"}.get(facts["by"], "by_signal")
        return say(f"stopped.{key}", **facts)
    return say(f"stopped.{facts['limit']}", **facts) if "limit" in facts else run.state


def _generation(session: SessionStatus, say: Catalog) -> str:
    """Format the generation and its limit; a session that was resumed with a lower limit may be past it."""
    most, reached = session.generations, session.generation
    if most is None:
        return str(reached)
    return f"{reached} ({say('limit')} {most})" if reached > most else f"{reached} {say('of')} {most}"


def _now(session: SessionStatus, say: Catalog) -> str:
    """Return what is being done: of each trial who, by which model, and what it waits for."""
    run = session.run_status
    if run.writer is not None and not session.is_analysed:
        return say("analysing")
    return ", ".join(_flight(each, say) for each in run.running[:MOST]) or say("nothing")


def _flight(flight: InFlightTrial, say: Catalog) -> str:
    doing = say(flight.activity.replace("-", "_"))
    if flight.waits_until is not None:
        until = datetime.fromtimestamp(flight.waits_until).astimezone().strftime("%H:%M:%S")
        doing = f"{say('waiting')} {until}: {sanitize(flight.waits_after, LONGEST)}"
    return f"{flight.operator} {flight.model}".strip() + f" ({doing})"


def _attempted(attempts: AttemptCounts, say: Catalog, more: str) -> str:
    return f"  {sanitize(attempts.title, LONGEST)}: {attempts.trials} {say('trials')}, {_counted(attempts, say, more)}"


def _counted(attempts: AttemptCounts, say: Catalog, more: str) -> str:
    pruned = f"{attempts.pruned} {say('pruned')}, " if attempts.pruned else ""
    return f"{attempts.succeeded} {say('succeeded')}, {pruned}{more}"


def _best_of(attempts: AttemptCounts, say: Catalog) -> str:
    score = attempts.best_score
    return f"{say('best')} {say('none') if score is None else f'{score:,.10g}'}"


def _best(session: SessionStatus, say: Catalog) -> str:
    return say("none") if session.best is None else f"{session.best.score:,.10g} ({session.best.individual_id})"


def _tokens(session: SessionStatus, say: Catalog) -> str:
    prompt, completion = session.run_status.prompt_tokens, session.run_status.completion_tokens
    return f"{prompt + completion} ({prompt} {say('prompt')}, {completion} {say('completion')})"


def _cost(session: SessionStatus, say: Catalog) -> str:
    dollars = session.run_status.dollars
    return say("unknown") if dollars is None else f"{dollars:.4f} USD"


def _waiting(session: SessionStatus, say: Catalog) -> str:
    """Return how many prompts wait for a person, which, and what to do."""
    names = ", ".join(session.waiting[:MOST]) + (", …" if len(session.waiting) > MOST else "")
    return f"{say('prompts', n=len(session.waiting))} ({names}): evo ahc answer {session.run_status.run}"


def _time(session: SessionStatus, say: Catalog) -> str:
    """Return the time that it was worked on, of how much, and when other limits are estimated to end it before that."""
    run, left = session.run_status, session.time_left
    passed = f"{_duration(session.elapsed)} {say('elapsed')}"
    if session.time_limit is not None:
        passed = say("time_of", elapsed=_duration(session.elapsed), limit=_duration(session.time_limit))
    if run.writer is None or run.remaining is None or (left is not None and run.remaining >= left):
        return passed
    return f"{passed}{say('estimate', left=_duration(run.remaining))}"


def _duration(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


def _listed(name: str, lines: list[str], say: Catalog) -> list[str]:
    more = [f"  … {len(lines) - MOST} {say('more')}"] if len(lines) > MOST else []
    return [f"{say(name)}:", *lines[:MOST], *more] if lines else []
