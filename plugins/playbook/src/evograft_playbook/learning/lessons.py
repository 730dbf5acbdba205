"""What a run teaches when it is complete: credit by what was measured, then lessons in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evograft_hookspecs.values import Count, Text, Value
from evograft_playbook.learning.credit import Estimate
from evograft_playbook.learning.deltas import Delta, Dropped, read_deltas
from evograft_playbook.learning.evidence import Evidence
from evograft_playbook.learning.lesson_writer import Settling, credits_of
from evograft_playbook.learning.reflector import Reflector
from evograft_playbook.learning.revision import Outcome
from evograft_playbook.learning.rules import lessons_of
from evograft_playbook.learning.run_summary import Story
from evograft_playbook.types import Bullet, Playbook


class Learned(Value):
    """What a run has left in the playbook."""

    trials: Count
    estimates: tuple[Estimate, ...]
    """Of each bullet that enough trials were shown, and enough kept from."""
    credit: Outcome | None
    """`None`, here and below: it was written before."""
    lessons: Outcome | None
    dropped: tuple[Dropped, ...]
    """What was proposed and is no delta."""
    skipped: tuple[Text, ...]


def teach(
    settling: Settling, evidence: Evidence, story: Story, *, bullets: Sequence[Bullet], reflector: Reflector
) -> Learned:
    """Writes what was not written before.

    Args:
        settling: writes.
        evidence: of the run.
        story: of the run.
        bullets: that the run was shown.
        reflector: draws lessons; where a model does not, rules do.
    """
    estimates: list[Estimate] = []

    def credit(settled: int, _: Playbook) -> Iterable[Delta]:
        estimates.extend(evidence.estimates(since=settled))
        return credits_of(estimates)

    credited = settling.write("credit", story.trials, credit)
    # Asked outside of a transaction, and when what was measured is safe: a budget may end the run here.
    reflection = reflector.on_run(story, bullets)
    dropped = list(reflection.dropped)

    def lessons(_: int, playbook: Playbook) -> Iterable[Delta]:
        if not reflection.skipped:
            return reflection.deltas
        deltas, unfit = read_deltas(lessons_of(story, playbook.bullets))
        dropped.extend(unfit)
        return deltas

    learned = settling.write("lessons", story.trials, lessons)
    return Learned(
        trials=story.trials,
        estimates=tuple(estimates),
        credit=credited,
        lessons=learned,
        dropped=tuple(dropped),
        skipped=reflection.skipped,
    )
