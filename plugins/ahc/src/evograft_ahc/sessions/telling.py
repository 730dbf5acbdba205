"""How a session stands, in lines for people."""

from __future__ import annotations

from datetime import timedelta

from evograft.escapes import told
from evograft.pages import Texts
from evograft_ahc.messages import Language, retold
from evograft_ahc.sessions.standing import SessionStanding

MOST = 6
"""Approaches and failures that are listed; `evo report` has all."""
STATES = {"running": "running", "complete": "complete", "not running": "not_running"}
STOPS = {
    r"stopped by evo stop$": "evo ahc stop で停止",
    r"stopped by the person at the terminal$": "端末から停止",
    r"stopped by (\w+)$": "{} で停止",
    r"([^ ]+) seconds passed": "{} 秒経過して終了",
    r"no better score in (\d+) trials": "{} 試行の間、更新なしで終了",
    r"no island improved in (\d+) trials": "{} 試行の間、どの島も更新なしで終了",
    r"target score ([^ ]+) reached": "目標スコア {} に到達",
    r"([^ ]+) dollars spent": "{} ドルを使って終了",
    r"(\d+) tokens used": "{} トークンを使って終了",
}
"""Why the engine says that it has stopped."""
LONGEST = 100
"""Characters of what programs, compilers or plugins have said."""


def described(session: SessionStanding, language: Language) -> str:
    """All that is specified for `status`."""
    say, run = Texts(language, __package__), session.standing
    rows = {
        "session": f"{run.run} ({run.id})",
        "state": told(_state(run.state, say)),
        **({"error": told(session.error)} if session.error else {}),
        "generation": _generation(session, say),
        "best": _best(session, say),
        "now": ", ".join(f"{each.operator} {each.model}".strip() for each in run.running[:MOST]) or say("nothing"),
        "tokens": _tokens(session, say),
        "cost": _cost(session, say),
        "time": _time(session, say),
        "experiments": f"{run.trials - run.rejected} {say('succeeded')}, {run.rejected} {say('failed')}",
    }
    # Characters of Japanese are two columns wide, so that no padding in characters lines up.
    lines = [f"{say(name)}: {text}" for name, text in rows.items()]
    tried = [
        f"  {each.operator}: {each.trials} {say('trials')}, {each.ok} {say('succeeded')}, {each.improved} {say('improved')}"
        for each in run.approaches
    ]
    failures = [f"  {count} x {told(reason, LONGEST)}" for reason, count in run.failures.items()]
    return "\n".join([*lines, *_listed("tried", tried, say), *_listed("failed", failures, say)])


def summary(session: SessionStanding, language: Language) -> str:
    """A session in one line."""
    say, run = Texts(language, __package__), session.standing
    parts = (_generation(session, say), _best(session, say), _cost(session, say), _duration(run.elapsed))
    return f"{run.run}  {told(_state(run.state, say), LONGEST)}  " + "  ".join(
        f"{say(name)} {part}" for name, part in zip(("generation", "best", "cost", "time"), parts, strict=True)
    )


def _state(state: str, say: Texts) -> str:
    if state in STATES:
        return say(STATES[state])
    return retold(state, STOPS) if say.language == "ja" else state


def _generation(session: SessionStanding, say: Texts) -> str:
    most = "" if session.generations is None else f" {say('of')} {session.generations}"
    return f"{session.generation}{most}"


def _best(session: SessionStanding, say: Texts) -> str:
    return say("none") if session.best is None else f"{session.best.score:,.10g} ({session.best.individual_id})"


def _tokens(session: SessionStanding, say: Texts) -> str:
    prompt, completion = session.standing.prompt_tokens, session.standing.completion_tokens
    return f"{prompt + completion} ({prompt} {say('prompt')}, {completion} {say('completion')})"


def _cost(session: SessionStanding, say: Texts) -> str:
    dollars = session.standing.dollars
    return say("unknown") if dollars is None else f"{dollars:.4f} USD"


def _time(session: SessionStanding, say: Texts) -> str:
    run = session.standing
    left = "" if run.remaining is None or run.writer is None else f", {_duration(run.remaining)} {say('left')}"
    return f"{_duration(run.elapsed)} {say('elapsed')}{left}"


def _duration(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


def _listed(name: str, lines: list[str], say: Texts) -> list[str]:
    more = [f"  … {len(lines) - MOST} {say('more')}"] if len(lines) > MOST else []
    return [f"{say(name)}:", *lines[:MOST], *more] if lines else []
