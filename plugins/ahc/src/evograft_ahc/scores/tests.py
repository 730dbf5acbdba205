"""Tests by hand as runs of the record."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence

from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.judging.source_file import SourceFile
from evograft_ahc.scores.revision import find_revision
from evograft_ahc.scores.run import ScoredRun, hash_program


def build_tested_run(tested: SourceFile, outcomes: Sequence[CaseOutcome], comment: str) -> ScoredRun:
    """Return what the record keeps of a test.

    Args:
        tested: the program.
        outcomes: of its cases; those on which the contest's own program failed are left out.
        comment: the user's.
    """
    judged = [outcome for outcome in outcomes if outcome.kind != "tester"]
    return ScoredRun(
        key=f"test/{uuid.uuid4().hex}",
        source="test",
        name=tested.file.name,
        at=time.time(),
        scores={outcome.case: outcome.score for outcome in judged},
        program=hash_program(tested.source),
        comment=comment,
        revision=find_revision(*tested.files),
        slowest=max((outcome.wall_seconds for outcome in judged), default=None),
    )
