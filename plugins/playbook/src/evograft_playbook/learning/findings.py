"""Findings of a model, read from its answer: JSON that becomes deltas, each entry checked alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from evograft_agent.calls.json_text import get_object
from evograft_playbook.learning.deltas import AddBullet, Delta, DroppedDelta, read_deltas, summarize_delta

MOST = 10
"""Entries of each list that are looked at."""
MOST_ADVICE = {"lessons": 3, "instructions": 2}
"""Entries of each list that advise the trials of a run."""
_EFFECTS = ("helpful", "harmful", "none")


@dataclass(frozen=True)
class Reflection:
    """The lessons that were drawn, before they are carried out."""

    deltas: tuple[Delta, ...] = ()
    dropped: tuple[DroppedDelta, ...] = ()
    skipped: tuple[str, ...] = ()
    """What was not even tried, or came to nothing, and why."""


def read_findings(text: str, *, shown_ids: Collection[str], counts: bool) -> Reflection:
    """Return the deltas that an answer comes to; none, with the reason, where it is nonsense.

    Args:
        text: the answer.
        shown_ids: the bullets that the model was shown: it may say something of no others.
        counts: whether it is asked which bullets helped, or that was measured.
    """
    try:
        found = get_object(text, _LISTS)
    except ValueError:
        return Reflection(
            skipped=("the model's answer holds no JSON of the form that was asked for: nothing is learned",)
        )
    reading = _Reading(shown_ids, counts=counts)
    for name, read in _LISTS.items():
        for entry in reading.entries(found, name):
            reading.take(entry, read)
    deltas, unfit = read_deltas(reading.proposed)
    return Reflection(tuple(deltas), (*reading.dropped, *unfit))


def read_advice(text: str) -> tuple[str, ...]:
    """Return the lessons and instructions of an answer that are fit to be advice; none where it is nonsense."""
    try:
        found = get_object(text, MOST_ADVICE)
    except ValueError:
        return ()
    lists = ((found.get(name), most) for name, most in MOST_ADVICE.items())
    entries = [entry for given, most in lists if isinstance(given, tuple) for entry in given[:most]]
    deltas, _ = read_deltas({"kind": "add", "section": "run", "content": entry} for entry in entries)
    return tuple(delta.content for delta in deltas if isinstance(delta, AddBullet))


class _Reading:
    """One answer on its way to deltas."""

    def __init__(self, shown_ids: Collection[str], *, counts: bool) -> None:
        self._shown_ids = shown_ids
        self._counts = counts
        self._seen: set[tuple[str, str]] = set()
        self.proposed: list[dict[str, Any]] = []
        self.dropped: list[DroppedDelta] = []

    def entries(self, found: Mapping[str, Any], name: str) -> tuple[Any, ...]:
        """Return the first entries of a list."""
        entries = found.get(name, ())
        if not isinstance(entries, tuple):
            self._drop(name, "it is no list")
            return ()
        if len(entries) > MOST:
            self._drop(name, f"{len(entries)} entries, of which the first {MOST} are looked at")
        return entries[:MOST]

    def take(self, entry: Any, read: Callable[[Mapping[str, Any]], dict[str, Any] | None]) -> None:
        """Propose what an entry comes to, unless the model had no business to say it."""
        if not isinstance(entry, Mapping):
            self._drop(entry, "it is no object")
            return
        delta = read(entry)
        if delta is None:
            return
        reason = "" if delta["kind"] == "add" else self._reason_against(delta["kind"], delta["bullet_id"])
        if reason:
            self._drop(delta, reason)
        else:
            self.proposed.append(delta)

    def _reason_against(self, kind: str, bullet_id: Any) -> str:
        if kind == "count" and not self._counts:
            return "which bullets helped was measured"
        if not isinstance(bullet_id, str) or bullet_id not in self._shown_ids:
            return "the model was not shown this bullet"
        if (kind, bullet_id) in self._seen:
            return "it is there twice"
        self._seen.add((kind, bullet_id))
        return ""

    def _drop(self, what: Any, reason: str) -> None:
        self.dropped.append(DroppedDelta(delta=summarize_delta(what), reason=reason))


def _count(entry: Mapping[str, Any]) -> dict[str, Any] | None:
    effect = entry.get("effect")
    if effect == "none":
        return None
    # Any other word than those asked for has no field, and is refused by that name.
    known = effect if effect in _EFFECTS else "effect"
    return {"kind": "count", "bullet_id": entry.get("id"), known: 1}


def _add(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": "add", "section": entry.get("section"), "content": entry.get("content")}


def _edit(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": "edit", "bullet_id": entry.get("id"), "content": entry.get("content")}


def _retire(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": "retire", "bullet_id": entry.get("id"), "reason": entry.get("reason")}


_LISTS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any] | None]] = {
    "bullets": _count,
    "lessons": _add,
    "edits": _edit,
    "retire": _retire,
}
