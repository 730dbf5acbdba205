"""Facts that a statement says by rule: limits, direction, kind of scoring. What is not clear stays unknown."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evograft_ahc.contests.statement.sections import split_sections
from evograft_ahc.contests.task import Direction, ScoreKind

TIME = re.compile(r"(?:実行時間制限|Time Limit)\s*[:：]?\s*([\d.]+)\s*(ms|msec|s|sec|秒)", re.IGNORECASE)
MEMORY = re.compile(r"(?:メモリ制限|Memory Limit)\s*[:：]?\s*([\d.]+)\s*([KMG])i?B", re.IGNORECASE)
MEGABYTES = {"K": 1 / 1024, "M": 1, "G": 1024}
SENTENCE = re.compile(r"(?<=[。.!?])\s+|(?<=。)|\n\n+")
SCORE = re.compile(r"得点|スコア|評価値|\bscores?\b|\bpoints?\b|\bevaluation\b|\bcost\b", re.IGNORECASE)
SCORING = re.compile(r"得点|スコア|採点|評価|\bscor(e|es|ing)\b", re.IGNORECASE)
MORE_IS_BETTER = re.compile(
    r"(高|大き)(けれ|い|ければ).{0,12}(ほど|ほうが|方が)(よ|良)い|最大化|できるだけ(大き|高)|なるべく(大き|高)"
    r"|maximi[sz]e|(higher|larger|greater|bigger|more)\b.{0,40}\bbetter|as (high|large|great) as possible"
    r"|more is better|highest score",
    re.IGNORECASE | re.DOTALL,
)
LESS_IS_BETTER = re.compile(
    r"(低|小さ)(けれ|い|ければ).{0,12}(ほど|ほうが|方が)(よ|良)い|最小化|できるだけ(小さ|低)|なるべく(小さ|低)"
    r"|minimi[sz]e|(lower|smaller|less|fewer)\b.{0,40}\bbetter|as (low|small|little) as possible|less is better",
    re.IGNORECASE | re.DOTALL,
)
RELATIVE = re.compile(r"相対(評価|スコア|得点)|relative (evaluation )?scor", re.IGNORECASE)
BY_RANK = re.compile(
    r"順位(スコア|得点|に応じ|に基づ)|rank(ing)?[- ](based )?scor|based on (the|your) rank", re.IGNORECASE
)
SUM = re.compile(
    r"(得点|スコア).{0,30}(合計|総和|の和)|(sum|total) of .{0,40}(scores?|points?)|(sum|total) over .{0,20}cases",
    re.IGNORECASE | re.DOTALL,
)
MEAN = re.compile(r"(得点|スコア).{0,20}平均|(average|mean) of .{0,40}(scores?|points?)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class StatementLimits:
    """Of a program on a case; `None`: not told."""

    seconds: float | None = None
    megabytes: int | None = None

    def describe(self, language: str) -> str:
        if self.seconds is None:
            return ""
        time, memory = ("実行時間制限", "メモリ制限") if language == "ja" else ("Time limit", "Memory limit")
        shown = f"{time}: {self.seconds:g} sec"
        return f"{shown} / {memory}: {self.megabytes} MB" if self.megabytes else shown


def find_limits(text: str) -> StatementLimits:
    time, memory = TIME.search(text), MEMORY.search(text)
    seconds = float(time[1]) * (0.001 if time[2].lower().startswith("m") else 1) if time else None
    megabytes = round(float(memory[1]) * MEGABYTES[memory[2].upper()]) if memory else None
    return StatementLimits(seconds, megabytes)


def find_direction(text: str) -> Direction | None:
    """Find it by the sentences and sections that speak of the score.

    `None`: they disagree or say nothing.
    """
    told = [sentence for sentence in SENTENCE.split(text) if SCORE.search(sentence)]
    told += [body for title, body in split_sections(text) if SCORING.search(title)]
    more, less = (any(rule.search(sentence) for sentence in told) for rule in (MORE_IS_BETTER, LESS_IS_BETTER))
    if more == less:
        return None
    return "max" if more else "min"


def find_score_kind(text: str) -> ScoreKind | None:
    # Relative scores are summed as well, so they are looked for first.
    rules: tuple[tuple[re.Pattern[str], ScoreKind], ...] = (
        (RELATIVE, "relative"),
        (BY_RANK, "rank"),
        (MEAN, "absolute_mean"),
        (SUM, "absolute_sum"),
    )
    return next((kind for rule, kind in rules if rule.search(text)), None)
