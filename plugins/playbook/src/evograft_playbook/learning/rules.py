"""Lessons without a model: the best program, and frequent reasons for rejecting programs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

from evograft_playbook.learning.deltas import LONGEST
from evograft_playbook.learning.run_summary import LessonSummary
from evograft_playbook.types import Bullet

LEAST_TIMES = 3
LEAST_SHARE = 0.02
"""Of all trials: a reason that is rarer costs less than a line in every prompt."""
MOST_REASONS = 3
LONGEST_TASK = 150

_SCORE = re.compile(r"^Best score so far: (\S+) ", re.MULTILINE)


def build_lessons(summary: LessonSummary, bullets: Iterable[Bullet]) -> list[dict[str, Any]]:
    """Deltas, yet to be checked.

    Args:
        summary: of the run.
        bullets: of the playbook as it is now: what it says of the best program is brought up to date.
    """
    return [*_best(summary, bullets), *_rejections(summary)]


def _best(summary: LessonSummary, bullets: Iterable[Bullet]) -> list[dict[str, Any]]:
    """Return the best program, if it is short enough to be a bullet and better than what the playbook knows."""
    best = summary.best
    if best is None or best.score is None or best.candidate is None or len(best.candidate.files) != 1:
        return []
    head = f"{_task(summary)}\n"
    score = f"{best.score:.6g} ({summary.problem.objective})"
    content = f"{head}Best score so far: {score}. The program:\n{best.candidate.source}"
    if len(content) > LONGEST:
        return []
    for bullet in bullets:
        known = _SCORE.search(bullet.content)
        if bullet.content.startswith(head) and known and not bullet.retired:
            is_better = best.score > _number(known[1])
            return [{"kind": "edit", "bullet_id": bullet.id, "content": content}] if is_better else []
    return [{"kind": "add", "section": "exa", "content": content}]


def _rejections(summary: LessonSummary) -> list[dict[str, Any]]:
    least = max(LEAST_TIMES, LEAST_SHARE * summary.trials)
    often = [reason for reason, count in summary.reasons.most_common(MOST_REASONS) if count >= least and reason]
    contents = (f"{_task(summary)}\nPrograms are often rejected for this reason: {reason}" for reason in often)
    return [{"kind": "add", "section": "mis", "content": content} for content in contents]


def _task(summary: LessonSummary) -> str:
    """Return the words by which the problem is recognised, also in a search."""
    words = " ".join(f"{summary.problem.name}: {summary.problem.statement}".split())
    return words if len(words) <= LONGEST_TASK else f"{words[:LONGEST_TASK]}…"


def _number(text: str) -> float:
    """Return the number in a bullet that anybody may have edited."""
    try:
        return float(text)
    except ValueError:
        return -math.inf
