"""The lessons of a complete run: credit by what was measured, then lessons in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evograft_hookspecs.values import Count, Text, Value
from evograft_playbook.learning.credit import BulletEstimate
from evograft_playbook.learning.deltas import Delta, DroppedDelta, read_deltas
from evograft_playbook.learning.evidence import BulletEvidence
from evograft_playbook.learning.lesson_writer import LessonWriter, build_credits
from evograft_playbook.learning.reflector import Reflector
from evograft_playbook.learning.revision import DeltaOutcome
from evograft_playbook.learning.rules import build_lessons
from evograft_playbook.learning.run_summary import LessonSummary
from evograft_playbook.types import Bullet, Playbook


class LearnedLessons(Value):
    """The lessons that a run has left in the playbook."""

    trials: Count
    estimates: tuple[BulletEstimate, ...]
    """Of each bullet that enough trials were shown, and enough kept from."""
    credit: DeltaOutcome | None
    """`None`, here and below: it was written before."""
    lessons: DeltaOutcome | None
    dropped: tuple[DroppedDelta, ...]
    """What was proposed and is not a delta."""
    skipped: tuple[Text, ...]


def write_lessons(
    writer: LessonWriter,
    evidence: BulletEvidence,
    summary: LessonSummary,
    *,
    bullets: Sequence[Bullet],
    reflector: Reflector,
) -> LearnedLessons:
    """Write what was not written before.

    Args:
        writer: writes.
        evidence: of the run.
        summary: of the run.
        bullets: that the run was shown.
        reflector: draws lessons; where a model does not, rules do.
    """
    estimates: list[BulletEstimate] = []

    def credit(settled: int, _: Playbook) -> Iterable[Delta]:
        estimates.extend(evidence.estimates(since=settled))
        return build_credits(estimates)

    credited = writer.write("credit", summary.trials, credit)
    # Asked outside of a transaction, and when what was measured is safe: a budget may end the run here.
    reflection = reflector.on_run(summary, bullets)
    dropped = list(reflection.dropped)

    def lessons(_: int, playbook: Playbook) -> Iterable[Delta]:
        if not reflection.skipped:
            return reflection.deltas
        deltas, unfit = read_deltas(build_lessons(summary, playbook.bullets))
        dropped.extend(unfit)
        return deltas

    learned = writer.write("lessons", summary.trials, lessons)
    return LearnedLessons(
        trials=summary.trials,
        estimates=tuple(estimates),
        credit=credited,
        lessons=learned,
        dropped=tuple(dropped),
        skipped=reflection.skipped,
    )
