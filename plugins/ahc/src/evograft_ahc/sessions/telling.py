"""How a session stands, in lines for people."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from evograft.pages.clip import told
from evograft_ahc.messages import Language
from evograft_ahc.sessions.standing import SessionStanding

MOST = 6
"""Approaches and failures that are listed; `evo report` has all."""
LONGEST = 100
"""Characters of what programs, compilers or plugins have said."""
WORDS: Mapping[str, tuple[str, str]] = {
    "session": ("session", "セッション"),
    "state": ("state", "状態"),
    "error": ("error", "エラー"),
    "generation": ("generation", "世代"),
    "best": ("best", "最良"),
    "now": ("running now", "実行中"),
    "tried": ("tried", "試行した手法"),
    "tokens": ("tokens", "トークン"),
    "cost": ("cost", "推定費用"),
    "time": ("time", "時間"),
    "experiments": ("experiments", "実験"),
    "none": ("none yet", "まだなし"),
    "nothing": ("nothing", "なし"),
    "unknown": ("unknown", "不明"),
    "of": ("of", "/"),
    "prompt": ("prompt", "入力"),
    "completion": ("completion", "出力"),
    "succeeded": ("succeeded", "成功"),
    "failed": ("failed", "失敗"),
    "left": ("left", "残り"),
    "elapsed": ("elapsed", "経過"),
    "trials": ("tried", "試行"),
    "improved": ("times the best", "回最良を更新"),
    "running": ("running", "実行中"),
    "complete": ("complete", "完了"),
    "not running": ("not running", "停止中"),
    "more": ("more", "件"),
}


def described(session: SessionStanding, language: Language) -> str:
    """All that is specified for `status`."""
    say, run = _Words(language), session.standing
    rows = {
        "session": f"{run.run} ({run.id})",
        "state": told(say(run.state)),
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
    say, run = _Words(language), session.standing
    parts = (_generation(session, say), _best(session, say), _cost(session, say), _duration(run.elapsed))
    return f"{run.run}  {told(say(run.state), LONGEST)}  " + "  ".join(
        f"{say(name)} {part}" for name, part in zip(("generation", "best", "cost", "time"), parts, strict=True)
    )


class _Words:
    """The words of a language; what has none is said as it is."""

    def __init__(self, language: Language) -> None:
        self._place = 1 if language == "ja" else 0

    def __call__(self, name: str) -> str:
        return WORDS[name][self._place] if name in WORDS else name


def _generation(session: SessionStanding, say: _Words) -> str:
    most = "" if session.generations is None else f" {say('of')} {session.generations}"
    return f"{session.generation}{most}"


def _best(session: SessionStanding, say: _Words) -> str:
    return say("none") if session.best is None else f"{session.best.score:,.10g} ({session.best.individual_id})"


def _tokens(session: SessionStanding, say: _Words) -> str:
    prompt, completion = session.standing.prompt_tokens, session.standing.completion_tokens
    return f"{prompt + completion} ({prompt} {say('prompt')}, {completion} {say('completion')})"


def _cost(session: SessionStanding, say: _Words) -> str:
    dollars = session.standing.dollars
    return say("unknown") if dollars is None else f"{dollars:.4f} USD"


def _time(session: SessionStanding, say: _Words) -> str:
    run = session.standing
    left = "" if run.remaining is None or run.writer is None else f", {_duration(run.remaining)} {say('left')}"
    return f"{_duration(run.elapsed)} {say('elapsed')}{left}"


def _duration(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


def _listed(name: str, lines: list[str], say: _Words) -> list[str]:
    more = [f"  … {len(lines) - MOST} {say('more')}"] if len(lines) > MOST else []
    return [f"{say(name)}:", *lines[:MOST], *more] if lines else []
