"""The table of conjectures in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from evograft_graph_invariant.conjectures.conjecture import Conjecture
from evograft_graph_invariant.conjectures.invariants.catalogue import PROPERTY_BY_NAME
from evograft_graph_invariant.conjectures.study import ConjectureStudyResult


def format_study(result: ConjectureStudyResult, *, most: int) -> Iterator[str]:
    """Yield the lines of the table.

    Args:
        result: of a study.
        most: conjectures of each status that are shown.
    """
    for status, title in (
        ("not refuted", "Not refuted, and not known to follow from the bundled theorems"),
        ("known", "Rediscovered: follows from bundled theorems"),
        ("not sharper than known theorems", "Not sharper than bundled theorems on any graph of the table"),
    ):
        group = [each for each in result.conjectures if each.status == status]
        yield f"{title}: {len(group)}"
        yield from (f"  {line}" for each in group[:most] for line in format_conjecture(each))
        if len(group) > most:
            yield f"  … and {len(group) - most} more"
        yield ""
    if not result.is_complete:
        yield "The search was interrupted: not all bounds were attacked"
    yield f"refuted on the way: {len(result.refuted)}"
    yield f"graphs of the table: {', '.join(f'{count} {kind}' for kind, count in result.graphs.items())}"


def format_conjecture(conjecture: Conjecture) -> Iterator[str]:
    """Yield the statement, and what it was tried on."""
    yield f"{conjecture.inequality.statement}{format_hypothesis(conjecture)}"
    tried = ", ".join(f"{count} {kind}" for kind, count in conjecture.tried.items())
    searched = sum(conjecture.searches.values())
    more = f", {searched} of a search from 10 nodes on" if searched else ""
    yield f"    sharp on {conjecture.touches} connected graphs; tried on {tried}{more}"


def format_hypothesis(conjecture: Conjecture) -> str:
    """Return for which graphs a conjecture is, with a space before it; empty for all connected graphs."""
    names = conjecture.inequality.hypothesis
    if not names:
        return ""
    adjectives = [PROPERTY_BY_NAME[name].adjective for name in names if name != "tree"]
    noun = "trees" if "tree" in names else "graphs"
    return f"  for {' '.join([*filter(None, [', '.join(adjectives)]), noun])}"
