"""What a session's log has shown: a view of its history."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from evograft.api import Journal, RunFolder
from evograft_ahc.knowledge.lesson import Lesson, ModelUse, SessionLessons
from evograft_ahc.records.candidate import get_creation_method
from evograft_ahc.records.session_history import SessionHistory
from evograft_hookspecs import Candidate, Proposal, Trial

MOST = 10
"""Fragments, and prompts, of one session: those that gained most."""
LONGEST = 4000
"""Characters of a text."""
CONTEXT = 2
"""Lines around a change."""


@dataclass(frozen=True)
class Improvement:
    """A candidate that was better than all before."""

    trial: Trial
    candidate: Candidate
    before: Candidate
    """The best until then."""
    gain: float
    """As a share of the score until then."""


@dataclass
class PromptGain:
    """An instruction, whatever the program that it was given with."""

    text: str
    """As it was when it gained most."""
    most: float
    times: int = 0
    gain: float = 0.0


def collect_lessons(run: RunFolder, journal: Journal, contest_id: str) -> SessionLessons:
    """Return the lessons of a session.

    Args:
        run: of the session.
        journal: its log.
        contest_id: of its workspace.
    """
    session_history = SessionHistory(journal, run.pipeline)
    improvements = list(_improvements(session_history))
    lesson = partial(Lesson, contest_id=contest_id, session=run.name)
    results = [lesson(kind="result", title="best score", text=text) for text in _results(session_history)]
    fragments = [
        lesson(kind="fragment", title=get_creation_method(each.trial), text=_change(each), gain=each.gain)
        for each in sorted(improvements, key=lambda each: -each.gain)[:MOST]
    ]
    prompts = [
        lesson(kind="prompt", title=f"{name}, {each.times} times", text=each.text, gain=each.gain)
        for name, each in _prompts(improvements)
    ]
    return SessionLessons(
        session_id=run.id,
        contest_id=contest_id,
        lessons=(*results, *fragments, *prompts),
        models=tuple(_models(session_history, improvements)),
    )


def _improvements(session_history: SessionHistory) -> Iterator[Improvement]:
    """Yield improvements in the order of their commits; the first program is none."""
    for before, best in pairwise(_bests(session_history)):
        if best.candidate is not None and before.candidate is not None:
            old, new = before.score or 0.0, best.score or 0.0
            yield Improvement(best, best.candidate, before.candidate, (new - old) / max(abs(old), 1.0))


def _bests(session_history: SessionHistory) -> Iterator[Trial]:
    """Read the log, and yield the candidates that were better than all before."""
    for logged in session_history.read_on():
        yield from (commit.trial for commit in logged.commits if commit.is_best)
    yield from (commit.trial for commit in session_history.waiting() if commit.is_best)


def _results(session_history: SessionHistory) -> Iterator[str]:
    if history := session_history.results.history:
        first, last = history[0], history[-1]
        yield f"average {first.score:.10g} at first, {last.score:.10g} at the end ({last.individual_id})"


def _change(improvement: Improvement) -> str:
    """Return the lines that differ, with a little around them."""
    before, after = improvement.before.source.splitlines(), improvement.candidate.source.splitlines()
    lines = list(difflib.unified_diff(before, after, lineterm="", n=CONTEXT))
    return "\n".join(lines[2:])[:LONGEST]


def _prompts(improvements: Sequence[Improvement]) -> list[tuple[str, PromptGain]]:
    """Return instructions by what they gained in all; their ids distinguish them, because they quote programs."""
    prompted: dict[str, PromptGain] = {}
    for each in improvements:
        proposal = each.trial.proposal
        if proposal is not None and each.trial.model and proposal.instruction:
            _count(prompted, proposal, each.gain)
    return sorted(prompted.items(), key=lambda item: -item[1].gain)[:MOST]


def _count(prompted: dict[str, PromptGain], proposal: Proposal, gain: float) -> None:
    text = proposal.instruction[:LONGEST]
    # In logs of earlier versions the temperature follows an @.
    known = prompted.setdefault(proposal.id.partition("@")[0], PromptGain(text, gain))
    known.times, known.gain = known.times + 1, known.gain + gain
    if gain > known.most:
        known.text, known.most = text, gain


def _models(session_history: SessionHistory, improvements: Sequence[Improvement]) -> Iterator[ModelUse]:
    improved = Counter(each.trial.model for each in improvements)
    for name, spent in sorted(session_history.by_model.items()):
        yield ModelUse(
            model=name,
            calls=spent.calls,
            prompt_tokens=spent.prompt_tokens,
            completion_tokens=spent.completion_tokens,
            dollars=spent.known_dollars,
            improved=improved[name],
        )
