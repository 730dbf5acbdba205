"""Programs that differ in nothing but numbers that an operator without a model has tuned: prompts count them as one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress

from evograft_hookspecs import History, Trial

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d|\.\d)[\w.']*(?:(?<=[eE])[-+]\d+)?")


def find_origin(trial: Trial, history: History) -> Trial:
    """Return the trial whose program this one has with other numbers; the trial itself if a model made it, or more."""
    while (parent := _find_original(trial, history)) is not None:
        trial = parent
    return trial


def _find_original(trial: Trial, history: History) -> Trial | None:
    """Return the parent that a trial without a model has tuned; one without parents, the first seed."""
    if trial.model or trial.candidate is None:
        return None
    masked = _mask_numbers(trial.candidate.files)
    for number in trial.candidate.parents or range(min(trial.number, 1)):
        with suppress(KeyError):  # the seed may not be committed yet
            parent = history.trial(number)
            if parent.candidate and _mask_numbers(parent.candidate.files) == masked:
                return parent
    return None


def _mask_numbers(files: Mapping[str, str]) -> dict[str, str]:
    return {path: _NUMBER.sub("0", text) for path, text in files.items()}
