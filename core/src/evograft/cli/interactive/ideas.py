"""What a model said it was about when it changed a program."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from evograft.runs.reader import open_journal
from evograft.text.escapes import sanitize

LONGEST = 200
"""Characters of an idea."""

_CODE = re.compile(r"^(?:```|<<<<<<<|#{1,6} )", re.MULTILINE)
_THOUGHTS = re.compile(r"^\s*<think>.*?</think>", re.DOTALL)


def ideas_of(folder: Path, trials: Collection[int]) -> dict[int, str]:
    """Return the prose before the code of each trial's last answer; trials without any prose are left out."""
    with open_journal(folder) as journal:
        asked = {int(trial): seq for seq, key in journal.places("answer") if (trial := key.partition("/")[0]).isdigit()}
        answers = {trial: journal.exchange(asked[trial])[1] for trial in trials if trial in asked}
    ideas = {trial: idea_in(answer.text) for trial, answer in answers.items() if answer}
    return {trial: idea for trial, idea in ideas.items() if idea}


def idea_in(answer: str) -> str:
    """Return the prose that an answer begins with, on one line; empty: it begins with code."""
    prose = _CODE.split(_THOUGHTS.sub("", answer), maxsplit=1)[0]
    return sanitize(" ".join(prose[: 4 * LONGEST].split()), LONGEST)
